// tests/qemu/counters_test.cpp -- qemu's counters of executed packets count what is executed: a loop of which everything is known.
#include "virtual/qemu/counters.h"
#include "tests/qemu/expect.h"

#include <thread>

namespace hexane::qemu_test {

namespace {

using virt::executed;
using virt::executed_so_far;

// Per iteration three packets with seven instructions, three of them HVX.
[[gnu::noinline]] executed run_loop(uint32_t iterations) {
    const executed before = executed_so_far();
    asm volatile(
        "{ loop0(1f, %0) }\n"
        "1: { v1 = vand(v0, v0); r1 = add(r1, #1); r2 = add(r2, #1) }\n"
        "   { v2.w = vadd(v0.w, v0.w); v3 = vor(v0, v0) }\n"
        "   { r1 = add(r1, #1); r2 = add(r2, #1) }:endloop0\n"
        :
        : "r"(iterations)
        : "r1", "r2", "v1", "v2", "v3", "sa0", "lc0", "usr");
    return executed_so_far() - before;
}

void test_known_loop() {
    const executed few = run_loop(10), many = run_loop(1010), difference = many - few;
    EXPECT(difference.packets == 3000);
    EXPECT(difference.instructions == 7000);
    EXPECT(difference.vector_instructions == 3000);
    // What is around the loop: the instruction that begins it and reading three counters.
    EXPECT(few.packets > 30 && few.packets < 45 && few.vector_instructions == 30);
}

// What another thread executes is not counted here.
void test_threads_count_for_themselves() {
    const executed before = executed_so_far();
    executed other;
    std::thread([&] { other = run_loop(1'000'000); }).join();
    const executed here = executed_so_far() - before;
    EXPECT(other.packets > 3'000'000);
    EXPECT(here.packets < 1'000'000);
}

}  // namespace

void test_counters() {
    test_known_loop();
    test_threads_count_for_themselves();
}

}  // namespace hexane::qemu_test
