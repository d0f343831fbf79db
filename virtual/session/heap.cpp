// virtual/session/heap.cpp -- malloc and friends of the NPU: small, rarely used, and in low memory, for DMA reaches it.
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "platform/heap.h"
#include "virtual/session/export.h"
#include "virtual/session/heap.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/session/range_allocator.h"

namespace hexane::virt {

namespace {

constexpr uint64_t granule = 16;
// Larger blocks get pages of their own, with an unmapped page behind.
constexpr uint64_t large_bytes = 64u << 10;

class npu_heap {
  public:
    void *allocate(uint64_t bytes, uint64_t alignment) {
        bytes = (std::max<uint64_t>(bytes, 1) + granule - 1) & ~(granule - 1);
        if (alignment < granule) alignment = granule;
        if (bytes > heap_bytes || (alignment & (alignment - 1))) return nullptr;
        const std::lock_guard guard(lock_);
        const bool large = bytes >= large_bytes;
        uint64_t at = 0;
        if (large) {
            at = reinterpret_cast<uint64_t>(low_memory::map_private(bytes, alignment));
        } else if (have_segment()) {
            at = ranges_.take(bytes, alignment);
        }
        if (!at) return nullptr;
        blocks_.emplace(at, block{bytes, large});
        return reinterpret_cast<void *>(at);
    }

    void free(void *memory) {
        if (!memory) return;
        const auto at = reinterpret_cast<uint64_t>(memory);
        const std::lock_guard guard(lock_);
        const auto found = blocks_.find(at);
        if (found == blocks_.end()) die("free of %p, which is not allocated", memory);
        if (found->second.large)
            low_memory::unmap(memory, found->second.bytes);
        else
            ranges_.give_back(at, found->second.bytes);
        blocks_.erase(found);
    }

  private:
    struct block {
        uint64_t bytes;
        bool large;
    };
    bool have_segment() {
        if (segment_) return true;
        segment_ = low_memory::map_private(small_heap_bytes, low_memory::page_bytes);
        if (segment_) ranges_.add(reinterpret_cast<uint64_t>(segment_), small_heap_bytes);
        return segment_ != nullptr;
    }
    std::mutex lock_;
    void *segment_ = nullptr;
    range_allocator ranges_;
    std::map<uint64_t, block> blocks_;
};

npu_heap &the_heap() {
    static npu_heap &h = *new npu_heap;
    return h;
}

}  // namespace

}  // namespace hexane::virt

using namespace hexane::virt;

HEX_EXPORT void *__wrap_malloc(size_t bytes) { return the_heap().allocate(bytes, 16); }

HEX_EXPORT void *__wrap_calloc(size_t count, size_t bytes) {
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
    void *memory = the_heap().allocate(total, 16);
    if (memory) memset(memory, 0, total);
    return memory;
}

HEX_EXPORT void *__wrap_memalign(size_t alignment, size_t bytes) { return the_heap().allocate(bytes, alignment); }

HEX_EXPORT void __wrap_free(void *memory) { the_heap().free(memory); }
