// tests/harness/npu/low_memory.cpp -- mmap at hinted addresses.
#include "tests/harness/npu/low_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace hexane::testing {

namespace {

constexpr size_t page = 4096;
constexpr uint64_t lowest = 0x10000000;
constexpr uint64_t limit = 0xf0000000;

size_t whole_pages(size_t bytes) { return (bytes + page - 1) / page * page; }

// Next fit: freed pages are found again on the next turn.
uint8_t *map_low(size_t bytes) {
    static uint64_t next = lowest;
    for (int turn = 0; turn < 2; ++turn) {
        for (; next + bytes < limit; next += 1u << 20) {
            void *p = mmap(reinterpret_cast<void *>(next), bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (p == MAP_FAILED) continue;
            if (reinterpret_cast<uint64_t>(p) == next) {
                next += whole_pages(bytes);
                return static_cast<uint8_t *>(p);
            }
            munmap(p, bytes);  // an old kernel took the address for a hint
        }
        next = lowest;
    }
    std::fprintf(stderr, "no %zu bytes of address space below 4 GiB\n", bytes);
    std::abort();
}

}  // namespace

guarded_memory::guarded_memory(size_t bytes) : bytes_(bytes) {
    const size_t inner = whole_pages(bytes + alignment);
    page_bytes_ = inner + 2 * page;
    pages_ = map_low(page_bytes_);
    if (mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0) std::abort();
    data_ = pages_ + page + inner - (bytes + alignment - 1) / alignment * alignment;
}

guarded_memory::~guarded_memory() {
    if (pages_) munmap(pages_, page_bytes_);
}

guarded_memory::guarded_memory(guarded_memory &&o) noexcept
    : pages_(std::exchange(o.pages_, nullptr)), page_bytes_(o.page_bytes_), data_(o.data_), bytes_(o.bytes_) {}

memory_range guarded_memory::range() const {
    const auto begin = reinterpret_cast<uint64_t>(data_);
    return {begin, begin + (bytes_ + alignment - 1) / alignment * alignment};
}

}  // namespace hexane::testing
