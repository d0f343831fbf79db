// virtual/session/low_memory.cpp -- reservation by PROT_NONE mappings, placement by first fit.
#include "virtual/session/low_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>

#include "virtual/session/log.h"
#include "virtual/session/range_allocator.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace hexane::virt::low_memory {

namespace {

// Never destroyed: threads of the NPU library may use it until the process is gone.
struct arena {
    std::mutex lock;
    range_allocator ranges;
    uint64_t reserved = 0;
};
arena &the_arena() {
    static arena &a = *new arena;
    return a;
}

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }
uint64_t padded(uint64_t bytes) { return (bytes + page_bytes - 1) & ~(page_bytes - 1); }

void reserve_range(arena &a, uint64_t begin, uint64_t end) {
    if (end <= begin) return;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *got = mmap(pointer(begin), end - begin, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) return;
    if (got != pointer(begin)) {  // a kernel without MAP_FIXED_NOREPLACE took it as a hint
        munmap(got, end - begin);
        return;
    }
    a.ranges.add(begin, end - begin);
    a.reserved += end - begin;
}

void release(uint64_t address, uint64_t bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(pointer(address), bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        die("cannot return memory to the reserved range");
}

void *place(uint64_t bytes, uint64_t alignment, int flags, int fd) {
    arena &a = the_arena();
    const uint64_t whole = padded(bytes) + page_bytes;  // one page stays unmapped
    const std::lock_guard guard(a.lock);
    const uint64_t at = a.ranges.take(whole, std::max(alignment, page_bytes));
    if (!at) return nullptr;
    if (mmap(pointer(at), padded(bytes), PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) != MAP_FAILED)
        return pointer(at);
    release(at, padded(bytes));
    a.ranges.give_back(at, whole);
    return nullptr;
}

}  // namespace

bool reserve(uint64_t needed) {
    arena &a = the_arena();
    const std::lock_guard guard(a.lock);
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t at = lowest;
    if (maps) {
        char line[512];
        for (uint64_t begin, end; fgets(line, sizeof line, maps) && at < highest;) {
            if (sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2) continue;
            reserve_range(a, at, std::min(begin, highest));
            at = std::max(at, end);
        }
        fclose(maps);
    }
    reserve_range(a, at, highest);
    return a.reserved >= needed;
}

uint64_t reserved_bytes() { return the_arena().reserved; }

void *map_private(uint64_t bytes, uint64_t alignment) {
    return place(bytes, alignment, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

void *map_shared(int fd, uint64_t bytes) { return place(bytes, page_bytes, MAP_SHARED | MAP_NORESERVE, fd); }

void unmap(void *address, uint64_t bytes) {
    arena &a = the_arena();
    const auto at = reinterpret_cast<uint64_t>(address);
    const std::lock_guard guard(a.lock);
    release(at, padded(bytes));
    a.ranges.give_back(at, padded(bytes) + page_bytes);
}

}  // namespace hexane::virt::low_memory
