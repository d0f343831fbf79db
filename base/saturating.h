// base/saturating.h -- sums and products of sizes that come from outside: too large stays too large.
#pragma once

#include <stdint.h>

namespace hexane::base {

// a + b and a * b, or the largest number where that does not fit.
constexpr uint64_t saturating_add(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? ~uint64_t{0} : sum;
}
constexpr uint64_t saturating_mul(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~uint64_t{0} : product;
}
static_assert(saturating_add(~uint64_t{0}, 1) == ~uint64_t{0} &&
              saturating_mul(1ull << 40, 1ull << 24) == ~uint64_t{0});

}  // namespace hexane::base
