// virtual/session/low_memory.cpp -- reservation by PROT_NONE mappings, placement by first fit.
#include "virtual/session/low_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <string_view>

#include "virtual/session/log.h"
#include "virtual/session/range_allocator.h"
#include "virtual/session/text_file.h"

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

// What a line of /proc/self/maps begins with: "<begin>-<end> ", hexadecimal.
bool parse_range(std::string_view line, uint64_t *begin, uint64_t *end) {
    const char *last = line.data() + line.size();
    const auto [dash, no_begin] = std::from_chars(line.data(), last, *begin, 16);
    if (no_begin != std::errc{} || dash == last || *dash != '-') return false;
    return std::from_chars(dash + 1, last, *end, 16).ec == std::errc{};
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
    const std::string maps = read_text_file("/proc/self/maps");
    uint64_t at = lowest;
    for (std::string_view rest = maps; !rest.empty() && at < highest;) {
        uint64_t begin = 0, end = 0;
        if (parse_range(rest, &begin, &end)) {
            reserve_range(a, at, std::min(begin, highest));
            at = std::max(at, end);
        }
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
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
