// virtual/session/low_memory.h -- the part of the address space that a DMA engine with 32-bit addresses reaches.
//
// The process reserves it before anything else can settle there. Buffers, VTCM and the heap of the NPU live in it, each followed by an
// unmapped page, so that running over an end is a fault.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hexane::virt::low_memory {

inline constexpr uint64_t page_bytes = 4096;
inline constexpr uint64_t lowest = 0x1000'0000;
inline constexpr uint64_t highest = 0xf000'0000;

// Reserves what is free between lowest and highest. False when it is less than `needed`.
bool reserve(uint64_t needed);
uint64_t reserved_bytes();

// Zeroed memory of this process. Null when nothing fits. Thread-safe, as all functions here.
void *map_private(uint64_t bytes, uint64_t alignment);
// The first `bytes` of a descriptor's memory.
void *map_shared(int fd, uint64_t bytes);
// REQUIRES: what map_private or map_shared returned, with its size.
void unmap(void *address, uint64_t bytes);

// The range may hold something that a DMA touches.
inline bool contains(uint64_t address, uint64_t bytes) {
    return address >= lowest && address < highest && bytes <= highest - address;
}

}  // namespace hexane::virt::low_memory
