// platform/dma.h -- the user DMA engine and the cache lines, as the NPU library reaches them.
//
// On a device these are instructions (dmlink, dmpoll, dccleaninva, ...). On the PC the session process exports them and
// executes the very same descriptors; its modes (fast, strict) differ behind this seam only.
#pragma once

#include <stdint.h>

#include "abi/arch.h"

namespace hexane::platform {

// What the pusher of a transfer allows the engine to do with it.
enum dma_hint : uint32_t {
    dma_hint_none = 0,
    // The bytes are only read, and the reader asks the queue where they are: an emulated engine may leave a contiguous,
    // line-aligned transfer where it is. Real hardware ignores this.
    dma_hint_read_only = 1,
};

#if defined(__hexagon__)

// Appends `descriptor` to the chain that ends in `tail` and starts the engine of this hardware thread if it is idle.
// Returns the address at which the bytes will be found once the descriptor is done: its destination.
// REQUIRES: both in DDR, aligned as their kind demands, descriptor complete with next = 0 and done = 0.
inline uint32_t dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, dma_hint) {
    asm volatile("release(%0):at" ::"r"(descriptor) : "memory");
    asm volatile("dmlink(%0, %1)" ::"r"(tail), "r"(descriptor) : "memory");
    return destination;
}

// One poll of the engine; lets it make progress on cores where it does not run by itself.
inline void dma_poll() {
    uint32_t dm0;
    asm volatile("%0 = dmpoll" : "=r"(dm0)::"memory");
}

// Cleans and invalidates the cache line that holds `address`; done only after sync_thread().
inline void clean_invalidate_line(const void *address) { asm volatile("dccleaninva(%0)" ::"r"(address) : "memory"); }

// Completes this thread's stores before anything that follows.
inline void sync_thread() { asm volatile("syncht" ::: "memory"); }

// Spin hint.
inline void pause() { asm volatile("pause(#255)" ::: "memory"); }

// Architecture that this library runs on.
inline arch current_arch() { return static_cast<arch>(__HEXAGON_ARCH__); }

#else

extern "C" {
uint32_t hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint);
void hexane_virtual_dma_poll();
void hexane_virtual_clean_invalidate_line(const void *address);
void hexane_virtual_sync_thread();
uint32_t hexane_virtual_arch();  // 73, 75, 79 or 81, from the device description
}

inline uint32_t dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, dma_hint hint) {
    return hexane_virtual_dma_link(tail, descriptor, destination, hint);
}
inline void dma_poll() { hexane_virtual_dma_poll(); }
inline void clean_invalidate_line(const void *address) { hexane_virtual_clean_invalidate_line(address); }
inline void sync_thread() { hexane_virtual_sync_thread(); }
inline arch current_arch() { return static_cast<arch>(hexane_virtual_arch()); }
inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#endif

}  // namespace hexane::platform
