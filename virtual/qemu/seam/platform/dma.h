// seam/platform/dma.h -- platform/dma.h for Hexagon code under qemu, which has no DMA instructions: the session process executes the
// descriptors, as in native code. Found before the device's header by the order of include folders.
#pragma once

#include <stdint.h>

#include "abi/arch.h"

namespace hexane::platform {

enum dma_hint : uint32_t {
    dma_hint_none = 0,
    dma_hint_read_only = 1,
};

extern "C" {
uint32_t hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint);
void hexane_virtual_dma_poll();
void hexane_virtual_clean_invalidate_line(const void *address);
uint32_t hexane_virtual_arch();
void hexane_virtual_pause();
}

inline uint32_t dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, dma_hint hint) {
    return hexane_virtual_dma_link(tail, descriptor, destination, hint);
}
inline void dma_poll() { hexane_virtual_dma_poll(); }
inline arch current_arch() { return static_cast<arch>(hexane_virtual_arch()); }

// These instructions exist in qemu, and run as on a device.
inline void clean_invalidate_line(const void *address) { asm volatile("dccleaninva(%0)" ::"r"(address) : "memory"); }
inline void sync_thread() { asm volatile("syncht" ::: "memory"); }
inline void pause() {
    asm volatile("pause(#255)" ::: "memory");
    hexane_virtual_pause();  // a thread waits; virtual/qemu/packets.cpp does not count that
}

}  // namespace hexane::platform
