// on_hexagon.cpp -- a freestanding Hexagon program: what every intrinsic makes of its cases goes to standard output, 256 bytes each.
#include "tests/intrinsics/operands.h"

namespace {

// Linux system calls of user-mode qemu: number in r6, trap0(#1).
int system_call(int number, int a, const void *b, int c) {
    register int r6 asm("r6") = number;
    register int r0 asm("r0") = a;
    register const void *r1 asm("r1") = b;
    register int r2 asm("r2") = c;
    asm volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r6) : "memory");
    return r0;
}

[[noreturn]] void end(int code) {
    for (;;) system_call(93, code, nullptr, 0);
}

void write_all(const uint8_t *data, int bytes) {
    while (bytes > 0) {
        const int n = system_call(64, 1, data, bytes);
        if (n <= 0) end(3);
        data += n;
        bytes -= n;
    }
}

void run_all() {
    using namespace hexane::proof;
    alignas(128) static uint8_t region[region_bytes];
    alignas(128) static result results[cases_per_intrinsic];
    for (uint32_t n = 0; n < n_intrinsics; ++n) {
        for (uint32_t i = 0; i < cases_per_intrinsic; ++i) results[i] = intrinsics[n].call(make_operands(n, i, region));
        write_all(reinterpret_cast<const uint8_t *>(results), sizeof results);
    }
}

}  // namespace

// What clang calls for copies of structs.
extern "C" void *memcpy(void *to, const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        static_cast<volatile uint8_t *>(to)[i] = static_cast<const uint8_t *>(from)[i];
    }
    return to;
}
extern "C" void *__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void *to, const void *from, size_t bytes) {
    return memcpy(to, from, bytes);
}
extern "C" void *memset(void *to, int value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) static_cast<volatile uint8_t *>(to)[i] = static_cast<uint8_t>(value);
    return to;
}
// The few divisions are by constants of the generator; none is in a kernel.
extern "C" unsigned __hexagon_udivsi3(unsigned a, unsigned b) {
    unsigned quotient = 0, rest = 0;
    for (int bit = 31; bit >= 0; --bit) {
        rest = rest << 1 | (a >> bit & 1);
        if (rest >= b) {
            rest -= b;
            quotient |= 1u << bit;
        }
    }
    return quotient;
}
extern "C" unsigned __hexagon_umodsi3(unsigned a, unsigned b) { return a - __hexagon_udivsi3(a, b) * b; }

extern "C" [[noreturn]] __attribute__((used)) void start() {
    run_all();
    end(0);
}
// The stack comes from the emulator; vectors on it want 128 bytes.
asm(".global _start\n_start: { r29 = and(r29, #-128) }\n jump start\n");
