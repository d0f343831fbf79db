// f16 and bf16: every value upwards, edges and random numbers downwards, against models that use double and the
// definition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using hvx::bf16x64;
using hvx::f16x64;
using hvx::f32x32;

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// By the definition of binary16.
double f16_value(uint16_t h) {
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    const double sign = h & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

// The nearest of all 63488 finite values and infinity (as if it were 65536); of two equally near ones the even.
uint16_t nearest_f16(float x) {
    const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x)) return 0x7e00;
    const double magnitude = std::fabs(static_cast<double>(x));
    uint16_t below = 0, above = 0x7c00;  // f16_value(below) <= magnitude
    if (magnitude >= 65536.0) return sign | 0x7c00;
    while (above - below > 1) {
        const uint16_t middle = static_cast<uint16_t>((below + above) / 2);
        (f16_value(middle) <= magnitude ? below : above) = middle;
    }
    const double upper = above == 0x7c00 ? 65536.0 : f16_value(above);
    const double to_below = magnitude - f16_value(below), to_above = upper - magnitude;
    const bool up = to_above < to_below || (to_above == to_below && (below & 1));
    return sign | (up ? above : below);
}

void expect_same(float got, float expected, uint32_t what) {
    if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got)) << std::hex << what;
    else
        ASSERT_EQ(bits(got), bits(expected)) << std::hex << what;
}

TEST(convert, every_f16_to_f32) {
    for (uint32_t h = 0; h < 65536; h += 64) {
        lanes<uint16_t> x;
        for (uint32_t i = 0; i < 64; ++i) x[i] = static_cast<uint16_t>(h + i);
        const auto fast = hvx::to_f32(f16x64{vector_of(x)}), exact = hvx::by_bits::to_f32(f16x64{vector_of(x)});
        const auto by_halves = hvx::by_halves::to_f32(f16x64{vector_of(x)});
        for (uint32_t i = 0; i < 64; ++i) {
            const float expected = static_cast<float>(f16_value(x[i]));
            expect_same(hvx::f16_to_f32(x[i]), expected, x[i]);
            expect_same(lanes_of<float>(i < 32 ? fast.lo.v : fast.hi.v)[i % 32], expected, x[i]);
            expect_same(lanes_of<float>(i < 32 ? exact.lo.v : exact.hi.v)[i % 32], expected, x[i]);
            // A signalling NaN becomes quiet: the bits too.
            ASSERT_EQ(bits(lanes_of<float>(i < 32 ? by_halves.lo.v : by_halves.hi.v)[i % 32]),
                      bits(hvx::f16_to_f32(x[i])));
        }
    }
}

TEST(convert, every_bf16_to_f32_and_back) {
    for (uint32_t h = 0; h < 65536; h += 64) {
        lanes<uint16_t> x;
        for (uint32_t i = 0; i < 64; ++i) x[i] = static_cast<uint16_t>(h + i);
        const auto wide = hvx::to_f32(bf16x64{vector_of(x)});
        const auto back = lanes_of<uint16_t>(hvx::to_bf16(wide).v);
        for (uint32_t i = 0; i < 64; ++i) {
            ASSERT_EQ(lanes_of<uint32_t>(i < 32 ? wide.lo.v : wide.hi.v)[i % 32], uint32_t{x[i]} << 16);
            ASSERT_EQ(bits(hvx::bf16_to_f32(x[i])), uint32_t{x[i]} << 16);
            const bool nan = (x[i] & 0x7fff) > 0x7f80;
            ASSERT_EQ(back[i], nan ? x[i] | 0x40 : x[i]);
        }
    }
}

// Around every f16 value and the middle to its neighbour, and random bits.
template <class Check> void for_each_interesting(Check check) {
    inputs in;
    lanes<float> lo, hi;
    for (uint32_t h = 0; h < 65536; h += 4) {
        for (uint32_t i = 0; i < 32; ++i) {
            const auto base = static_cast<uint16_t>(h + i % 4);
            const float x = static_cast<float>(f16_value(base));
            const uint32_t middle = bits(x) + (i / 4 % 2 ? 0x1000u : 0u);  // half an f16 step for normal values
            lo[i] = std::bit_cast<float>(middle + i / 8 - 1);              // one below, at, one above, two above
            hi[i] = std::bit_cast<float>(in.word());
            if (i % 4 == 0)
                hi[i] = std::ldexp(1.0f + static_cast<float>(in.word() & 0xffffff) * 0x1p-24f,
                                   -26 + static_cast<int>(i % 14));
            if (i % 8 == 1) hi[i] = static_cast<float>((in.word() % 4096) * 0x1p-25);  // ties among subnormals
            // Infinity, and NaN with one bit of payload anywhere.
            if (i % 16 == 3) hi[i] = std::bit_cast<float>((in.word() | 0x7fffffffu) & (0xff800000u | 1u << h / 4 % 24));
        }
        check(lo, hi);
    }
}

TEST(convert, f32_to_f16) {
    for_each_interesting([](const lanes<float> &lo, const lanes<float> &hi) {
        const auto fast = lanes_of<uint16_t>(hvx::to_f16(f32x32{vector_of(lo)}, f32x32{vector_of(hi)}).v);
        const auto exact = lanes_of<uint16_t>(hvx::by_bits::to_f16(f32x32{vector_of(lo)}, f32x32{vector_of(hi)}).v);
        const auto by_halves =
            lanes_of<uint16_t>(hvx::by_halves::to_f16(f32x32{vector_of(lo)}, f32x32{vector_of(hi)}).v);
        for (int i = 0; i < 64; ++i) {
            const float x = i < 32 ? lo[i] : hi[i - 32];
            const uint16_t expected = nearest_f16(x), scalar = hvx::f32_to_f16(x);
            if (std::isnan(x)) {
                for (uint16_t got : {scalar, fast[i], exact[i], by_halves[i]})
                    ASSERT_GT(got & 0x7fff, 0x7c00) << std::hex << bits(x);
            } else {
                for (uint16_t got : {scalar, fast[i], exact[i], by_halves[i]})
                    ASSERT_EQ(got, expected) << std::hex << bits(x);
            }
        }
    });
}

TEST(convert, f32_to_bf16) {
    for_each_interesting([](const lanes<float> &lo, const lanes<float> &hi) {
        const auto got = lanes_of<uint16_t>(hvx::to_bf16(f32x32{vector_of(lo)}, f32x32{vector_of(hi)}).v);
        for (int i = 0; i < 64; ++i) {
            const float x = i < 32 ? lo[i] : hi[i - 32];
            ASSERT_EQ(got[i], hvx::f32_to_bf16(x)) << std::hex << bits(x);
            if (!std::isfinite(x)) continue;
            // To nearest: no neighbour is closer.
            const double chosen = hvx::bf16_to_f32(got[i]);
            if (!std::isfinite(chosen)) continue;
            for (int step : {-1, 1}) {
                const double other = hvx::bf16_to_f32(static_cast<uint16_t>(got[i] + step));
                const double here = std::fabs(chosen - x), there = std::fabs(other - x);
                ASSERT_TRUE(!(there < here) &&
                            !(there == here && (got[i] & 1) && std::signbit(other) == std::signbit(chosen)));
            }
        }
    });
}

TEST(convert, integers) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto w = in.next<int32_t>();
        const auto as_float = lanes_of<float>(hvx::to_f32(hvx::i32x32{vector_of(w)}).v);
        for (int i = 0; i < 32; ++i) ASSERT_EQ(as_float[i], static_cast<float>(w[i]));
        lanes<float> f;
        for (float &x : f)
            x = std::ldexp(static_cast<float>(static_cast<int32_t>(in.word())), -static_cast<int>(in.word() % 36));
        const auto cut = lanes_of<int32_t>(hvx::to_i32_truncated(f32x32{vector_of(f)}).v);
        const auto by_bits = lanes_of<int32_t>(hvx::by_bits::to_i32_truncated(f32x32{vector_of(f)}).v);
        for (int i = 0; i < 32; ++i) {
            const bool in_range = std::fabs(f[i]) < 0x1p31f;
            ASSERT_EQ(cut[i], in_range ? static_cast<int32_t>(f[i]) : INT32_MIN) << f[i];
            ASSERT_EQ(by_bits[i], cut[i]) << f[i];
        }
        for (float &x : f) x = std::ldexp(std::round(x), -1 * static_cast<int>(in.word() % 2));  // halves: ties
        for (float &x : f) x = std::fabs(x) > 0x1p22f ? 2.5f : x;
        const auto near = lanes_of<int32_t>(hvx::to_i32_nearest(f32x32{vector_of(f)}).v);
        for (int i = 0; i < 32; ++i) ASSERT_EQ(near[i], static_cast<int32_t>(std::nearbyint(f[i]))) << f[i];
    }
}

TEST(convert, integers_out_of_range) {
    lanes<float> f{};
    const float special[] = {INFINITY, -INFINITY, NAN, 0x1p31f, -0x1p31f, -0x1.000002p31f, 1e30f};
    std::copy(std::begin(special), std::end(special), f.begin());
    const auto cut = lanes_of<int32_t>(hvx::to_i32_truncated(f32x32{vector_of(f)}).v);
    const auto by_bits = lanes_of<int32_t>(hvx::by_bits::to_i32_truncated(f32x32{vector_of(f)}).v);
    for (size_t i = 0; i < std::size(special); ++i) {
        ASSERT_EQ(cut[i], INT32_MIN) << special[i];
        ASSERT_EQ(by_bits[i], INT32_MIN) << special[i];
    }
}

}  // namespace
}  // namespace hexane::test
