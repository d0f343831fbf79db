// tests/hvx/sums_test.cpp -- running sums, steps of dot products, and the conversions that go with them.
#include <cmath>

#include "hvx/float16.h"
#include "hvx/reduce.h"
#include "hvx/scalar_convert.h"
#include "tests/hvx/lanes.h"

namespace hexane::test {

namespace {

using hvx::f16x64;
using hvx::f32x32;
using hvx::i32x32;
using hvx::u8x128;

void expect_nearest(float x) {
    const auto got = lanes_of<int32_t>(hvx::nearest_by_bits(hvx::splat<f32x32>(x)).v);
    const auto small = lanes_of<int32_t>(hvx::small_to_i32_nearest(hvx::splat<f32x32>(x)).v);
    ASSERT_EQ(got[0], static_cast<int32_t>(std::nearbyint(x))) << x;
    ASSERT_EQ(small[31], got[0]) << x;
}

TEST(sums, nearest) {
    for (const float x :
         {0.0f, -0.0f, 1e-30f, 0x1p-149f, 0.49999997f, 0.5f, 0.50000006f, 1.5f, 2.5f, 126.5f, 127.49999f})
        expect_nearest(x), expect_nearest(-x);
    for (int i = 0; i < 4096; ++i) expect_nearest(static_cast<float>(i - 2048) / 8);
    for (const float x : {4194303.5f, 4194302.5f, 4194303.0f, 65535.5f}) expect_nearest(x), expect_nearest(-x);
    inputs in;
    for (int i = 0; i < 100000; ++i) {
        const float x = std::bit_cast<float>(in.word());
        if (std::fabs(x) < 0x1p22f) expect_nearest(x);
    }
}

TEST(sums, finite_f16) {
    for (uint32_t first = 0; first < 0x10000; first += 64) {
        lanes<uint16_t> halves;
        for (uint32_t i = 0; i < 64; ++i) halves[i] = static_cast<uint16_t>(first + i);
        const hvx::f32x32x2 got = hvx::finite_to_f32(f16x64{vector_of(halves)});
        const auto lo = lanes_of<float>(got.lo.v), hi = lanes_of<float>(got.hi.v);
        for (uint32_t i = 0; i < 64; ++i) {
            if ((halves[i] & 0x7c00) == 0x7c00) continue;
            ASSERT_EQ(i < 32 ? lo[i] : hi[i - 32], hvx::f16_to_f32(halves[i])) << halves[i];
        }
    }
}

TEST(sums, products) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        lanes<float> start, a, b;
        for (int i = 0; i < 32; ++i) {
            start[i] = static_cast<float>(in.word() % 1000), a[i] = static_cast<float>(in.word() % 1000) - 500;
            b[i] = static_cast<float>(in.word() % 1000) - 500;
        }
        hvx::running_sum s = hvx::sum_from({vector_of(start)}), none = hvx::empty_sum();
        for (int step = 0; step < 8; ++step) {
            s = hvx::add_product(s, {vector_of(a)}, {vector_of(b)});
            none = hvx::add_product(none, {vector_of(a)}, {vector_of(b)});
        }
        const auto got = lanes_of<float>(to_f32(s).v), alone = lanes_of<float>(to_f32(none).v);
        for (int i = 0; i < 32; ++i) {  // whole numbers below 2^24: exact
            ASSERT_EQ(got[i], start[i] + 8 * a[i] * b[i]);
            ASSERT_EQ(alone[i], 8 * a[i] * b[i]);
        }
    }
}

TEST(sums, f16_products) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        lanes<uint16_t> a, b;
        double expected = 0;
        hvx::running_sum s = hvx::empty_sum();
        for (int step = 0; step < 8; ++step) {
            for (int i = 0; i < 64; ++i) {
                const float x = static_cast<float>(in.word() % 256) - 128,
                            y = static_cast<float>(in.word() % 256) - 128;
                a[i] = hvx::f32_to_f16(x), b[i] = hvx::f32_to_f16(y);
                expected += double{x} * y;
            }
            s = hvx::add_products(s, {vector_of(a)}, {vector_of(b)});
        }
        ASSERT_EQ(hvx::sum(to_f32(s)), expected);
    }
}

// Steps against the single products that arithmetic_test.cpp and dot_test.cpp hold to their models.
template <uint32_t C> void check_dot_steps(size_t pitch) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        alignas(8) int32_t words[C * 8];
        for (int32_t &word : words) word = static_cast<int32_t>(in.word());
        u8x128 weights[hvx::dot_step], nibbles[hvx::dot_step];
        i32x32 got[C], got_u7[C], expected[C], expected_u7[C];
        for (u8x128 &w : weights) w = {vector_of(in.next<uint8_t>())};
        for (uint32_t n = 0; n < hvx::dot_step; ++n) nibbles[n] = hvx::low_nibbles(weights[n]);
        for (uint32_t c = 0; c < C; ++c) {
            got[c] = got_u7[c] = expected[c] = expected_u7[c] = {vector_of(in.next<int32_t>())};
            for (uint32_t n = 0; n < hvx::dot_step; ++n) {
                expected[c] = hvx::dot4_acc(expected[c], weights[n], words[c * pitch + n]);
                expected_u7[c] = hvx::dot4_acc_u7(expected_u7[c], nibbles[n], words[c * pitch + n]);
            }
        }
        hvx::dot4_acc(got, weights, words, pitch);
        hvx::dot4_acc_u7(got_u7, nibbles, words, pitch);
        for (uint32_t c = 0; c < C; ++c) {
            ASSERT_EQ(lanes_of<int32_t>(got[c].v), lanes_of<int32_t>(expected[c].v));
            ASSERT_EQ(lanes_of<int32_t>(got_u7[c].v), lanes_of<int32_t>(expected_u7[c].v));
        }
    }
}

TEST(sums, dot_steps) {
    check_dot_steps<1>(0);
    check_dot_steps<2>(8);
    check_dot_steps<4>(8);
}

}  // namespace
}  // namespace hexane::test
