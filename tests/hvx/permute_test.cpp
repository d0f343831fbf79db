// Permutations against the pseudocode of the reference manual, byte by byte.
#include <algorithm>
#include <utility>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using bytes = lanes<uint8_t>;

TEST(permute, rotate_and_align) {
    inputs in;
    const bytes u = in.next<uint8_t>(), v = in.next<uint8_t>();
    for (int r = -3; r <= 260; ++r) {
        const int n = r & 127;
        const auto rotated = lanes_of<uint8_t>(Q6_V_vror_VR(vector_of(u), r));
        const auto right = lanes_of<uint8_t>(Q6_V_valign_VVR(vector_of(u), vector_of(v), r));
        const auto left = lanes_of<uint8_t>(Q6_V_vlalign_VVR(vector_of(u), vector_of(v), r));
        for (int k = 0; k < 128; ++k) {
            ASSERT_EQ(rotated[k], u[(k + n) % 128]) << r;
            ASSERT_EQ(right[k], k + n < 128 ? v[k + n] : u[k + n - 128]) << r;
            ASSERT_EQ(left[k], k < n ? v[128 + k - n] : u[k - n]) << r;
        }
    }
}

// for each set bit of r: swap odd blocks of v[0] with even blocks of v[1]
void exchange(bytes &v0, bytes &v1, int offset) {
    for (int k = 0; k < 128; ++k)
        if (!(k & offset)) std::swap(v1[k], v0[k + offset]);
}

TEST(permute, shuffle_and_deal) {
    inputs in;
    const bytes u = in.next<uint8_t>(), v = in.next<uint8_t>();
    for (int r = -128; r < 128; ++r) {
        bytes lo = v, hi = u;
        for (int offset = 1; offset < 128; offset <<= 1)
            if (r & offset) exchange(lo, hi, offset);
        HVX_VectorPair w = Q6_W_vshuff_VVR(vector_of(u), vector_of(v), r);
        ASSERT_EQ(lanes_of<uint8_t>(Q6_V_lo_W(w)), lo) << r;
        ASSERT_EQ(lanes_of<uint8_t>(Q6_V_hi_W(w)), hi) << r;
        lo = v, hi = u;
        for (int offset = 64; offset > 0; offset >>= 1)
            if (r & offset) exchange(lo, hi, offset);
        w = Q6_W_vdeal_VVR(vector_of(u), vector_of(v), r);
        ASSERT_EQ(lanes_of<uint8_t>(Q6_V_lo_W(w)), lo) << r;
        ASSERT_EQ(lanes_of<uint8_t>(Q6_V_hi_W(w)), hi) << r;
    }
}

TEST(permute, halfwords_within_a_vector) {
    inputs in;
    const auto u = in.next<int16_t>();
    const auto shuffled = lanes_of<int16_t>(Q6_Vh_vshuff_Vh(vector_of(u)));
    const auto dealt = lanes_of<int16_t>(Q6_Vh_vdeal_Vh(vector_of(u)));
    for (int i = 0; i < 32; ++i) {
        ASSERT_EQ(shuffled[2 * i], u[i]);
        ASSERT_EQ(shuffled[2 * i + 1], u[i + 32]);
        ASSERT_EQ(dealt[i], u[2 * i]);
        ASSERT_EQ(dealt[i + 32], u[2 * i + 1]);
    }
}

// Narrowing of v then u: result lane i from lane i of v, or of u in the upper half.
template <class Wide, class Narrow, class Op, class Model> void check_pack(Op op, Model model) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto u = in.next<Wide>(), v = in.next<Wide>();
        const auto got = lanes_of<Narrow>(op(vector_of<Wide>(u), vector_of<Wide>(v)));
        const size_t n = v.size();
        for (size_t i = 0; i < n; ++i) {
            ASSERT_EQ(+got[i], +static_cast<Narrow>(model(v[i])));
            ASSERT_EQ(+got[n + i], +static_cast<Narrow>(model(u[i])));
        }
    }
}
#define CHECK_PACK(Wide, Narrow, name, expression) \
    check_pack<Wide, Narrow>([](HVX_Vector u, HVX_Vector v) { return name(u, v); }, [](Wide x) { return expression; })

TEST(permute, pack) {
    CHECK_PACK(int16_t, uint8_t, Q6_Vb_vpacke_VhVh, x & 0xff);
    CHECK_PACK(int16_t, uint8_t, Q6_Vb_vpacko_VhVh, x >> 8);
    CHECK_PACK(int32_t, uint16_t, Q6_Vh_vpacke_VwVw, x & 0xffff);
    CHECK_PACK(int32_t, uint16_t, Q6_Vh_vpacko_VwVw, x >> 16);
    CHECK_PACK(int16_t, int8_t, Q6_Vb_vpack_VhVh_sat, std::clamp<int>(x, -128, 127));
    CHECK_PACK(int16_t, uint8_t, Q6_Vub_vpack_VhVh_sat, std::clamp<int>(x, 0, 255));
    CHECK_PACK(int32_t, int16_t, Q6_Vh_vpack_VwVw_sat, std::clamp<int>(x, -32768, 32767));
}

template <class Narrow, class Wide, class Op> void check_unpack(Op op) {
    inputs in;
    const auto u = in.next<Narrow>();
    const HVX_VectorPair w = op(vector_of<Narrow>(u));
    const auto lo = lanes_of<Wide>(Q6_V_lo_W(w)), hi = lanes_of<Wide>(Q6_V_hi_W(w));
    for (size_t i = 0; i < lo.size(); ++i) {
        ASSERT_EQ(lo[i], static_cast<Wide>(u[i]));
        ASSERT_EQ(hi[i], static_cast<Wide>(u[lo.size() + i]));
    }
}

TEST(permute, unpack) {
    check_unpack<int8_t, int16_t>([](HVX_Vector u) { return Q6_Wh_vunpack_Vb(u); });
    check_unpack<uint8_t, uint16_t>([](HVX_Vector u) { return Q6_Wuh_vunpack_Vub(u); });
    check_unpack<int16_t, int32_t>([](HVX_Vector u) { return Q6_Ww_vunpack_Vh(u); });
    check_unpack<uint16_t, uint32_t>([](HVX_Vector u) { return Q6_Wuw_vunpack_Vuh(u); });
}

TEST(permute, four_words_to_bytes) {
    inputs in;
    hvx::i32x32 x[4];
    lanes<int32_t> w[4];
    for (int i = 0; i < 4; ++i) {
        w[i] = in.next<int32_t>();
        for (size_t k = 0; k < 32; k += 2) w[i][k] = static_cast<int32_t>(in.word() % 512) - 256;
        x[i] = {vector_of(w[i])};
    }
    const auto got = lanes_of<int8_t>(hvx::pack_saturated(x[0], x[1], x[2], x[3]).v);
    for (int i = 0; i < 128; ++i) ASSERT_EQ(got[i], std::clamp(w[i / 32][i % 32], -128, 127));
}

}  // namespace
}  // namespace hexane::test
