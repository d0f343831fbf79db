// virtual/session/range_allocator.h -- first fit over address ranges.
#pragma once

#include <stdint.h>

#include <map>

namespace hexane::virt {

// Hands out pieces of the ranges that it was given. Knows nothing of memory itself. Not thread-safe.
class range_allocator {
  public:
    void add(uint64_t address, uint64_t bytes) { give_back(address, bytes); }
    // 0 when no range is large enough. REQUIRES: alignment is a power of two.
    uint64_t take(uint64_t bytes, uint64_t alignment);
    void give_back(uint64_t address, uint64_t bytes);
    uint64_t free_bytes() const;
    uint64_t largest() const;

  private:
    std::map<uint64_t, uint64_t> free_;  // address -> bytes, never adjacent
};

}  // namespace hexane::virt
