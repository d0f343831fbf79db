// vrmpy against a scalar model, with every extreme of both operands: a saturating instruction anywhere would show.
#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

int32_t model(int32_t acc, const uint8_t *u, const int8_t *s) {
    auto sum = static_cast<uint32_t>(acc);
    for (int b = 0; b < 4; ++b) sum += static_cast<uint32_t>(u[b] * s[b]);
    return static_cast<int32_t>(sum);
}

TEST(dot, unsigned_vector_by_word) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto acc = in.next<int32_t>();
        const auto u = in.next<uint8_t>();
        const auto s = in.next<int8_t>();
        const auto word = lanes_of<int32_t>(vector_of(s))[0];
        const auto got = lanes_of<int32_t>(Q6_Vw_vrmpyacc_VwVubRb(vector_of(acc), vector_of(u), word));
        const auto fresh = lanes_of<int32_t>(Q6_Vw_vrmpy_VubRb(vector_of(u), word));
        for (int i = 0; i < 32; ++i) {
            ASSERT_EQ(got[i], model(acc[i], &u[4 * i], s.data()));
            ASSERT_EQ(fresh[i], model(0, &u[4 * i], s.data()));
        }
    }
}

TEST(dot, unsigned_vector_by_signed_vector) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto acc = in.next<int32_t>();
        const auto u = in.next<uint8_t>();
        const auto s = in.next<int8_t>();
        const auto got = lanes_of<int32_t>(Q6_Vw_vrmpyacc_VwVubVb(vector_of(acc), vector_of(u), vector_of(s)));
        const auto fresh = lanes_of<int32_t>(Q6_Vw_vrmpy_VubVb(vector_of(u), vector_of(s)));
        for (int i = 0; i < 32; ++i) {
            ASSERT_EQ(got[i], model(acc[i], &u[4 * i], &s[4 * i]));
            ASSERT_EQ(fresh[i], model(0, &u[4 * i], &s[4 * i]));
        }
    }
}

TEST(dot, extremes_of_both) {
    for (const int u : {0, 1, 127, 128, 254, 255})
        for (const int s : {-128, -127, -1, 0, 1, 127}) {
            lanes<uint8_t> weights;
            weights.fill(static_cast<uint8_t>(u));
            const int32_t word = (s & 0xff) * 0x01010101;
            const auto zero = hvx::splat<hvx::i32x32>(0);
            ASSERT_EQ(hvx::first_lane(hvx::dot4_acc(zero, {vector_of(weights)}, word)), 4 * u * s);
            if (u <= 127) ASSERT_EQ(hvx::first_lane(hvx::dot4_acc_u7(zero, {vector_of(weights)}, word)), 4 * u * s);
        }
}

TEST(dot, weights_of_seven_bits) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto acc = in.next<int32_t>();
        auto u = in.next<uint8_t>();
        for (uint8_t &x : u) x &= 127;
        const auto word = static_cast<int32_t>(in.word());
        const auto got = lanes_of<int32_t>(hvx::dot4_acc_u7({vector_of(acc)}, {vector_of(u)}, word).v);
        const auto expected = lanes_of<int32_t>(hvx::dot4_acc({vector_of(acc)}, {vector_of(u)}, word).v);
        ASSERT_EQ(got, expected);
    }
}

}  // namespace
}  // namespace hexane::test
