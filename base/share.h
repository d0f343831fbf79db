// base/share.h -- contiguous shares of work, without a division: the number of sharers is known beforehand.
#pragma once

#include <stdint.h>

#include "base/align.h"
#include "base/fastdiv.h"

namespace hexane::base {

// Half-open range of work items.
struct range {
    uint32_t begin;
    uint32_t end;
    constexpr uint32_t size() const { return end - begin; }
    constexpr bool empty() const { return begin == end; }
};

// Share `index` of `count` of the items [0, total): contiguous, sizes differ by at most one unit of `granule` items.
// The shares depend on nothing else, so every thread can compute its own.
constexpr range share(uint32_t total, uint32_t index, const fastdiv &count, const fastdiv &granule = {}) {
    const uint32_t whole = granule.quotient(total);
    const uint32_t units = whole + (whole * granule.divisor < total ? 1 : 0);
    const uint32_t base = count.quotient(units);
    const uint32_t extra = units - base * count.divisor;
    const uint32_t first = index * base + min(index, extra);
    const uint32_t n = base + (index < extra ? 1u : 0u);
    return {min(first * granule.divisor, total), min((first + n) * granule.divisor, total)};
}
static_assert(share(10, 0, fastdiv::by(4)).end == 3 && share(10, 3, fastdiv::by(4)).begin == 8);
static_assert(share(300, 1, fastdiv::by(2), fastdiv::by(128)).begin == 256);

}  // namespace hexane::base
