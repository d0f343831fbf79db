// tests/htp/arithmetic_test.cpp -- base/: exact division without dividing, shares that cover, rounding.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/align.h"
#include "base/fastdiv.h"
#include "base/share.h"

namespace hexane::base {
namespace {

// Around every power of two and at the ends of the range; the places where a rounded multiplier would be off by one.
std::vector<uint32_t> corners() {
    std::vector<uint32_t> list{0, 1, 2, 3, 5, 7, 10, 100, 641, 65537, 0x55555555, 0xaaaaaaab, 0xfffffffe, 0xffffffff};
    for (int bit = 2; bit < 32; ++bit) {
        for (int d = -1; d <= 1; ++d) list.push_back((1u << bit) + static_cast<uint32_t>(d));
    }
    return list;
}

TEST(fastdiv, is_exact_at_corners) {
    for (uint32_t d : corners()) {
        if (d == 0) continue;
        const fastdiv by_d = fastdiv::by(d);
        for (uint32_t n : corners()) {
            ASSERT_EQ(by_d.quotient(n), n / d) << n << " / " << d;
            ASSERT_EQ(by_d.remainder(n), n % d) << n << " % " << d;
        }
        // Multiples and their neighbours decide whether the multiplier is large enough.
        for (uint64_t q = 1; q * d <= 0xffffffffu; q = q * 3 + 1) {
            const auto n = static_cast<uint32_t>(q * d);
            ASSERT_EQ(by_d.quotient(n), n / d) << n << " / " << d;
            ASSERT_EQ(by_d.quotient(n - 1), (n - 1) / d) << n - 1 << " / " << d;
        }
    }
}

TEST(fastdiv, is_exact_for_small_numbers) {
    for (uint32_t d = 1; d < 400; ++d) {
        const fastdiv by_d = fastdiv::by(d);
        for (uint32_t n = 0; n < 3000; ++n) ASSERT_EQ(by_d.quotient(n), n / d) << n << " / " << d;
    }
}

TEST(share, covers_everything_once_and_evenly) {
    for (uint32_t total : {0u, 1u, 5u, 31u, 32u, 33u, 100u, 4097u})
        for (uint32_t count : {1u, 2u, 3u, 6u, 16u})
            for (uint32_t granule : {1u, 2u, 32u, 100u}) {
                uint32_t at = 0, least = ~0u, most = 0;
                for (uint32_t i = 0; i < count; ++i) {
                    const range r = share(total, i, fastdiv::by(count), fastdiv::by(granule));
                    ASSERT_EQ(r.begin, at) << total << " over " << count << " by " << granule;
                    ASSERT_LE(r.begin, r.end);
                    ASSERT_TRUE(r.end == total || r.end % granule == 0);
                    least = min(least, ceil_div(r.size(), granule));
                    most = max(most, ceil_div(r.size(), granule));
                    at = r.end;
                }
                ASSERT_EQ(at, total);
                ASSERT_LE(most - least, 1u);
            }
}

TEST(align, rounds_to_units_that_are_not_powers_of_two) {
    EXPECT_EQ(align_up(0u, 34u), 0u);
    EXPECT_EQ(align_up(35u, 34u), 68u);
    EXPECT_EQ(align_up(68u, 34u), 68u);
    EXPECT_EQ(align_down(67u, 34u), 34u);
    EXPECT_EQ(gcd(0u, 12u), 12u);
    EXPECT_EQ(gcd(18u, 12u), 6u);
}

}  // namespace
}  // namespace hexane::base
