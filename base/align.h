// base/align.h -- integer arithmetic that both sides of the wire share: rounding, common divisors, limits.
#pragma once

#include <stdint.h>

namespace hexane::base {

template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }

// Quotient rounded up. REQUIRES: b > 0, a + b - 1 does not wrap.
template <class T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }

// Nearest multiple of `unit` that is not below (align_up) or not above (align_down) `value`. REQUIRES: unit > 0.
template <class T> constexpr T align_up(T value, T unit) { return ceil_div(value, unit) * unit; }
template <class T> constexpr T align_down(T value, T unit) { return value / unit * unit; }

// Greatest common divisor; gcd(0, b) is b.
template <class T> constexpr T gcd(T a, T b) {
    while (b != 0) {
        const T r = a % b;
        a = b;
        b = r;
    }
    return a;
}

// Half-open range of work items.
struct range {
    uint32_t begin;
    uint32_t end;
    constexpr uint32_t size() const { return end - begin; }
    constexpr bool empty() const { return begin == end; }
};

// Share `index` of `count` of the items [0, total): contiguous, sizes differ by at most one unit of `granule`.
// The shares depend on nothing else, so every thread can compute its own. REQUIRES: count > 0, granule > 0.
constexpr range share(uint32_t total, uint32_t index, uint32_t count, uint32_t granule = 1) {
    const uint32_t units = ceil_div(total, granule);
    const uint32_t base = units / count;
    const uint32_t extra = units % count;
    const uint32_t first = index * base + min(index, extra);
    const uint32_t n = base + (index < extra ? 1u : 0u);
    return {min(first * granule, total), min((first + n) * granule, total)};
}

}  // namespace hexane::base
