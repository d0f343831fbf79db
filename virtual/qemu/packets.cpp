// virtual/qemu/packets.cpp -- HAP_perf_get_pcycles() of the qemu flavour: the packets that the NPU library has executed, on all threads.
//
// qemu counts for each thread, and a thread can read only its own count, so each adds what it has executed since last time to a sum, at the
// calls that it makes anyway: reading the counter, starting a transfer, waiting. What follows a thread's last such call in an op is added
// with the next op: the few packets from its last transfer to its end.
//
// Not counted is what a device does not execute: the engine's copies, and packets that pass while a thread waits for others. The linker
// puts these functions between the NPU library and the session's (--wrap).
#include <stdint.h>

#include "platform/dma.h"
#include "virtual/qemu/counters.h"

namespace {

// Between two calls of pause() a waiting thread executes about ten packets, or two system calls.
constexpr uint32_t waiting_packets = 100;

uint64_t sum = 0;
thread_local uint32_t counted_to = 0;
thread_local bool counts = false;

// Packets since the thread was here last, none the first time: a thread goes on from the count of its creator.
uint32_t take() {
    const uint32_t now = hexane::virt::packets_executed();
    const uint32_t since = counts ? now - counted_to : 0;
    counts = true;
    counted_to = now;
    return since;
}

uint64_t count(uint32_t packets) { return __atomic_add_fetch(&sum, packets, __ATOMIC_RELAXED); }

}  // namespace

extern "C" {

uint32_t __real_hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint);
void __real_hexane_virtual_dma_poll();

uint32_t __wrap_hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint) {
    count(take());
    const uint32_t where = __real_hexane_virtual_dma_link(tail, descriptor, destination, hint);
    take();
    return where;
}
void __wrap_hexane_virtual_dma_poll() {
    count(take());
    __real_hexane_virtual_dma_poll();
    take();
}
void hexane_virtual_pause() {
    const uint32_t since = take();
    if (since >= waiting_packets) count(since);
}
unsigned long long __wrap_HAP_perf_get_pcycles() { return count(take()); }

}  // extern "C"
