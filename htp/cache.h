// htp/cache.h -- coherency between the cached accesses of kernels and everything that goes around the caches.
//
// DMA bypasses the caches, and so do the host and other sessions. The discipline:
//   - a kernel that reads a tensor through the caches (indices by scalar loads) calls before_cached_read() first;
//   - a kernel that writes a tensor through the caches calls wrote() afterwards;
//   - before_dma() on an operand writes back what earlier ops left dirty there; the dispatcher calls it for every operand of every
//     op, before the kernel runs, and flush_all() before the response;
//   - what the host polls while a batch runs is published.
// The scratch area is never seen by DMA or by others, so it needs none of this.
#pragma once

#include <stdint.h>

#include "htp/dma_addr.h"
#include "htp/trace.h"

namespace hexane::htp {

// Addresses that may be dirty in this session's caches, as ranges of whole lines. Main thread only.
class cache_tracker {
  public:
    static constexpr uint32_t max_ranges = 32;

    void init(trace_log *trace) { trace_ = trace; }

    // The lines of [address, address + bytes) may hold stale data: drop them, so that the next cached read sees DDR.
    void before_cached_read(dma_addr_t address, uint64_t bytes);
    // The range was written through the caches.
    void wrote(dma_addr_t address, uint64_t bytes);
    // Writes back and drops every dirty line that touches the range.
    void before_dma(dma_addr_t address, uint64_t bytes);
    // Writes a word back at once, for a reader who polls it from outside.
    void publish(const void *word, uint32_t bytes);
    // Writes back everything that is dirty.
    void flush_all();

    uint32_t dirty_ranges() const { return count_; }

  private:
    struct lines {
        uint64_t begin, end;
    };
    void flush(const lines &l);

    lines ranges_[max_ranges];
    uint32_t count_ = 0;
    trace_log *trace_ = nullptr;
};

}  // namespace hexane::htp
