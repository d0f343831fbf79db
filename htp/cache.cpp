// htp/cache.cpp -- dirty ranges as whole lines.
#include "htp/cache.h"

#include "abi/arch.h"
#include "base/align.h"
#include "htp/clock.h"
#include "platform/dma.h"

namespace hexane::htp {

namespace {
uint64_t line_begin(uint64_t a) { return base::align_down<uint64_t>(a, line_bytes); }
uint64_t line_end(uint64_t a) { return base::align_up<uint64_t>(a, line_bytes); }
}  // namespace

void cache_tracker::flush(const lines &l) {
    trace_scope traced(*trace_, trace_event::l2flush, static_cast<uint32_t>((l.end - l.begin) / line_bytes));
    for (uint64_t a = l.begin; a < l.end; a += line_bytes) {
        platform::clean_invalidate_line(dma_addr_t(a).pointer<const void>());
    }
    platform::sync_thread();
}

void cache_tracker::before_cached_read(dma_addr_t address, uint64_t bytes) {
    flush({line_begin(address.value()), line_end(address.value() + bytes)});
}

void cache_tracker::wrote(dma_addr_t address, uint64_t bytes) {
    lines l{line_begin(address.value()), line_end(address.value() + bytes)};
    // Swallow what overlaps or touches, so that a line is in one range only.
    for (uint32_t i = 0; i < count_;) {
        const lines &r = ranges_[i];
        if (r.begin > l.end || r.end < l.begin) {
            ++i;
            continue;
        }
        l = {base::min(l.begin, r.begin), base::max(l.end, r.end)};
        ranges_[i] = ranges_[--count_];
        i = 0;
    }
    if (count_ == max_ranges) flush(ranges_[--count_]);
    ranges_[count_++] = l;
}

void cache_tracker::before_dma(dma_addr_t address, uint64_t bytes) {
    const uint64_t begin = line_begin(address.value()), end = line_end(address.value() + bytes);
    for (uint32_t i = 0; i < count_;) {
        if (ranges_[i].begin >= end || ranges_[i].end <= begin) {
            ++i;
            continue;
        }
        flush(ranges_[i]);
        ranges_[i] = ranges_[--count_];
    }
}

void cache_tracker::publish(const void *word, uint32_t bytes) {
    const uint64_t at = dma_addr_t::of(word).value();
    flush({line_begin(at), line_end(at + bytes)});
}

void cache_tracker::flush_all() {
    while (count_) flush(ranges_[--count_]);
}

}  // namespace hexane::htp
