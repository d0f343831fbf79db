// base/fastdiv.h -- division by a recurring divisor without a divide instruction; Hexagon has none.
#pragma once

#include <stdint.h>

namespace hexane::base {

// Precomputed divisor. quotient(n) is exact for every 32-bit n and every divisor >= 1.
// Method: round-up multiplier of Granlund and Montgomery, "Division by Invariant Integers using Multiplication"
// (PLDI 1994), section 4; the sum (hi + n) is taken in 64 bits because it can exceed 32.
struct fastdiv {
    uint32_t multiplier = 1;
    uint32_t shift = 0;
    uint32_t divisor = 1;

    // REQUIRES: d >= 1.
    static constexpr fastdiv by(uint32_t d) {
        uint32_t shift = 0;
        while (shift < 32 && (uint64_t{1} << shift) < d) ++shift;
        const uint64_t multiplier = ((((uint64_t{1} << shift) - d) << 32) / d) + 1;
        return {static_cast<uint32_t>(multiplier), shift, d};
    }

    // Without a division. REQUIRES: log2 < 32.
    static constexpr fastdiv by_power_of_two(uint32_t log2) { return {1, log2, 1u << log2}; }

    constexpr uint32_t quotient(uint32_t n) const {
        const uint64_t high = (uint64_t{n} * multiplier) >> 32;
        return static_cast<uint32_t>((high + n) >> shift);
    }
    constexpr uint32_t remainder(uint32_t n) const { return n - quotient(n) * divisor; }
};
static_assert(fastdiv::by(1).quotient(0xffffffffu) == 0xffffffffu);
static_assert(fastdiv::by(7).quotient(0xffffffffu) == 0xffffffffu / 7);
static_assert(fastdiv::by_power_of_two(31).quotient(0xffffffffu) == 1 && fastdiv::by_power_of_two(5).divisor == 32);
static_assert(fastdiv::by(0xffffffffu).quotient(0xfffffffeu) == 0);
static_assert(fastdiv::by(3).remainder(0x80000001u) == 0x80000001u % 3);

}  // namespace hexane::base
