// Lane-wise integer intrinsics, compares and predicates against scalar models.
#include <algorithm>
#include <bit>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

#define CHECK(T, name, expression) \
    check_lanes<T>(#name, [](HVX_Vector u, HVX_Vector v) { return name(u, v); }, [](T a, T b) { return expression; })

TEST(arithmetic, add_subtract_wrap) {
    CHECK(uint32_t, Q6_Vw_vadd_VwVw, a + b);
    CHECK(uint32_t, Q6_Vw_vsub_VwVw, a - b);
    CHECK(uint16_t, Q6_Vh_vadd_VhVh, a + b);
    CHECK(uint16_t, Q6_Vh_vsub_VhVh, a - b);
    CHECK(uint8_t, Q6_Vb_vadd_VbVb, a + b);
    CHECK(uint8_t, Q6_Vb_vsub_VbVb, a - b);
}

TEST(arithmetic, saturate) {
    CHECK(int16_t, Q6_Vh_vadd_VhVh_sat, std::clamp(a + b, -32768, 32767));
    CHECK(int16_t, Q6_Vh_vsub_VhVh_sat, std::clamp(a - b, -32768, 32767));
}

TEST(arithmetic, minimum_maximum) {
    CHECK(int32_t, Q6_Vw_vmax_VwVw, std::max(a, b));
    CHECK(int32_t, Q6_Vw_vmin_VwVw, std::min(a, b));
    CHECK(int16_t, Q6_Vh_vmax_VhVh, std::max(a, b));
    CHECK(int16_t, Q6_Vh_vmin_VhVh, std::min(a, b));
    CHECK(int8_t, Q6_Vb_vmax_VbVb, std::max(a, b));
    CHECK(int8_t, Q6_Vb_vmin_VbVb, std::min(a, b));
    CHECK(uint8_t, Q6_Vub_vmax_VubVub, std::max(a, b));
    CHECK(uint8_t, Q6_Vub_vmin_VubVub, std::min(a, b));
}

TEST(arithmetic, logic) {
    CHECK(uint32_t, Q6_V_vand_VV, a &b);
    CHECK(uint32_t, Q6_V_vor_VV, a | b);
    CHECK(uint32_t, Q6_V_vxor_VV, a ^ b);
    check_lanes<uint32_t>(
        "vnot", [](HVX_Vector u, HVX_Vector) { return Q6_V_vnot_V(u); }, [](uint32_t a, uint32_t) { return ~a; });
}

TEST(arithmetic, absolute_and_leading_zeros) {
    check_lanes<int32_t>(
        "vabs", [](HVX_Vector u, HVX_Vector) { return Q6_Vw_vabs_Vw(u); },
        [](int32_t a, int32_t) { return a < 0 ? 0u - static_cast<uint32_t>(a) : static_cast<uint32_t>(a); });
    check_lanes<uint32_t>(
        "vcl0", [](HVX_Vector u, HVX_Vector) { return Q6_Vuw_vcl0_Vuw(u); },
        [](uint32_t a, uint32_t) { return std::countl_zero(a); });
}

TEST(arithmetic, splat) {
    EXPECT_EQ(lanes_of<int32_t>(Q6_V_vsplat_R(-7))[31], -7);
    EXPECT_EQ(lanes_of<int16_t>(Q6_Vh_vsplat_R(0x12348001))[63], static_cast<int16_t>(0x8001));
    EXPECT_EQ(lanes_of<int8_t>(Q6_Vb_vsplat_R(0x1ff))[127], -1);
    EXPECT_EQ(lanes_of<int32_t>(Q6_V_vzero())[5], 0);
}

// Scalar counts: all of 0..40, taken modulo the width.
template <class T, class Op, class Model> void check_shift(const char *name, Op op, Model model) {
    constexpr int bits = sizeof(T) * 8;
    for (int count = 0; count <= 40; ++count)
        check_lanes<T>(
            name, [&](HVX_Vector u, HVX_Vector) { return op(u, count); },
            [&](T a, T) { return model(a, count % bits); });
}
#define CHECK_SHIFT(T, name, expression) \
    check_shift<T>(#name, [](HVX_Vector u, int n) { return name(u, n); }, [](T a, int n) { return expression; })

TEST(arithmetic, shift_by_one_count) {
    CHECK_SHIFT(uint32_t, Q6_Vw_vasl_VwR, a << n);
    CHECK_SHIFT(int32_t, Q6_Vw_vasr_VwR, a >> n);
    CHECK_SHIFT(uint32_t, Q6_Vuw_vlsr_VuwR, a >> n);
    CHECK_SHIFT(uint16_t, Q6_Vh_vasl_VhR, a << n);
    CHECK_SHIFT(int16_t, Q6_Vh_vasr_VhR, a >> n);
    CHECK_SHIFT(uint16_t, Q6_Vuh_vlsr_VuhR, a >> n);
    CHECK_SHIFT(uint8_t, Q6_Vub_vlsr_VubR, a >> n);
}

// Counts per lane are the low 6 bits, signed; calculated in 64 bits, where shifts by 32 are harmless.
int signed_count(int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(b) << 26) >> 26; }
int64_t shifted_left(int64_t a, int n) {
    return n >= 0 ? static_cast<int64_t>(static_cast<uint64_t>(a) << n) : a >> -n;
}

TEST(arithmetic, shift_by_lane_counts) {
    CHECK(int32_t, Q6_Vw_vasl_VwVw, shifted_left(a, signed_count(b)));
    CHECK(int32_t, Q6_Vw_vasr_VwVw, shifted_left(a, -signed_count(b)));
    CHECK(int32_t, Q6_Vw_vlsr_VwVw, shifted_left(static_cast<uint32_t>(a), -signed_count(b)));
}

template <class T, class Op, class Model> void check_compare(const char *name, Op op, Model model) {
    SCOPED_TRACE(name);
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = in.next<T>();
        auto b = in.next<T>();
        for (size_t i = 0; i < b.size(); i += 3) b[i] = a[i];  // or equality would hardly occur
        const auto got = lanes_of(op(vector_of<T>(a), vector_of<T>(b)));
        for (size_t i = 0; i < 128; ++i) {
            const size_t lane = i / sizeof(T);
            ASSERT_EQ(+got[i], model(a[lane], b[lane]) ? 255 : 0) << "byte " << i;
        }
    }
}
#define CHECK_COMPARE(T, name, operation) \
    check_compare<T>(                     \
        #name, [](HVX_Vector u, HVX_Vector v) { return name(u, v); }, [](T a, T b) { return a operation b; })

TEST(predicate, compare) {
    CHECK_COMPARE(int32_t, Q6_Q_vcmp_eq_VwVw, ==);
    CHECK_COMPARE(int32_t, Q6_Q_vcmp_gt_VwVw, >);
    CHECK_COMPARE(uint32_t, Q6_Q_vcmp_gt_VuwVuw, >);
    CHECK_COMPARE(int16_t, Q6_Q_vcmp_eq_VhVh, ==);
    CHECK_COMPARE(int16_t, Q6_Q_vcmp_gt_VhVh, >);
    CHECK_COMPARE(uint16_t, Q6_Q_vcmp_gt_VuhVuh, >);
    CHECK_COMPARE(int8_t, Q6_Q_vcmp_eq_VbVb, ==);
    CHECK_COMPARE(int8_t, Q6_Q_vcmp_gt_VbVb, >);
    CHECK_COMPARE(uint8_t, Q6_Q_vcmp_gt_VubVub, >);
}

TEST(predicate, first_bytes) {
    for (int n = -130; n <= 260; ++n) {
        const auto q = lanes_of(Q6_Q_vsetq_R(n)), q2 = lanes_of(Q6_Q_vsetq2_R(n));
        for (int i = 0; i < 128; ++i) {
            ASSERT_EQ(q[i] != 0, i < (n & 127)) << n;
            ASSERT_EQ(q2[i] != 0, i <= ((n - 1) & 127)) << n;
        }
    }
    for (uint32_t n = 0; n <= 128; ++n)
        for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(lanes_of(hvx::first_bytes(n).q)[i] != 0, i < n);
}

TEST(predicate, logic_and_selection) {
    inputs in;
    const auto a = vector_of(in.next<int8_t>()), b = vector_of(in.next<int8_t>());
    const auto zero = Q6_V_vzero();
    const HVX_VectorPred p = Q6_Q_vcmp_gt_VbVb(a, zero), q = Q6_Q_vcmp_gt_VbVb(b, zero);
    for (int i = 0; i < 128; ++i) {
        const bool s = lanes_of<int8_t>(a)[i] > 0, t = lanes_of<int8_t>(b)[i] > 0;
        ASSERT_EQ(lanes_of(Q6_Q_and_QQ(p, q))[i] != 0, s && t);
        ASSERT_EQ(lanes_of(Q6_Q_and_QQn(p, q))[i] != 0, s && !t);
        ASSERT_EQ(lanes_of(Q6_Q_or_QQ(p, q))[i] != 0, s || t);
        ASSERT_EQ(lanes_of(Q6_Q_or_QQn(p, q))[i] != 0, s || !t);
        ASSERT_EQ(lanes_of(Q6_Q_xor_QQ(p, q))[i] != 0, s != t);
        ASSERT_EQ(lanes_of(Q6_Q_not_Q(p))[i] != 0, !s);
        ASSERT_EQ(lanes_of<int8_t>(Q6_V_vmux_QVV(p, a, b))[i], lanes_of<int8_t>(s ? a : b)[i]);
        ASSERT_EQ(lanes_of<int8_t>(Q6_V_vand_QV(p, b))[i], s ? lanes_of<int8_t>(b)[i] : 0);
    }
}

TEST(integer, nibbles) {
    inputs in;
    const auto x = in.next<uint8_t>();
    const auto low = lanes_of<uint8_t>(hvx::low_nibbles(hvx::u8x128{vector_of(x)}).v);
    const auto high = lanes_of<uint8_t>(hvx::high_nibbles(hvx::u8x128{vector_of(x)}).v);
    for (size_t i = 0; i < 128; ++i) {
        ASSERT_EQ(low[i], x[i] & 15);
        ASSERT_EQ(high[i], x[i] >> 4);
    }
}

}  // namespace
}  // namespace hexane::test
