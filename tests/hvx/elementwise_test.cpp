// Functions of f32 numbers on vectors of every float type, and what the device has instead of them.
#include <cmath>

#include "hvx/elementwise.h"
#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using hvx::bf16x64;
using hvx::f16x64;
using hvx::f32x32;

struct f16_type {
    using vector = f16x64;
    static float up(uint16_t x) { return hvx::f16_to_f32(x); }
    static uint16_t down(float x) { return hvx::f32_to_f16(x); }
};
struct bf16_type {
    using vector = bf16x64;
    static float up(uint16_t x) { return hvx::bf16_to_f32(x); }
    static uint16_t down(float x) { return hvx::f32_to_bf16(x); }
};

template <class Type> class elementwise : public testing::Test {};
using types = testing::Types<f16_type, bf16_type>;
TYPED_TEST_SUITE(elementwise, types);

template <class Type, class Op, class Model> void check_pairs(Op op, Model model) {
    using V = typename Type::vector;
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = in.next<uint16_t>(), b = in.next<uint16_t>();
        const auto got = lanes_of<uint16_t>(op(V{vector_of(a)}, V{vector_of(b)}).v);
        for (int i = 0; i < 64; ++i) {
            const float exact = model(Type::up(a[i]), Type::up(b[i]));
            if (std::isnan(exact))
                ASSERT_TRUE(std::isnan(Type::up(got[i])));
            else
                ASSERT_EQ(got[i], Type::down(exact)) << Type::up(a[i]) << ", " << Type::up(b[i]);
        }
    }
}

TYPED_TEST(elementwise, sums_and_products) {
    using V = typename TypeParam::vector;
    check_pairs<TypeParam>([](V a, V b) { return hvx::add(a, b); }, [](float a, float b) { return a + b; });
    check_pairs<TypeParam>([](V a, V b) { return hvx::sub(a, b); }, [](float a, float b) { return a - b; });
    check_pairs<TypeParam>([](V a, V b) { return hvx::mul(a, b); }, [](float a, float b) { return a * b; });
}

TYPED_TEST(elementwise, any_function) {
    using V = typename TypeParam::vector;
    const auto smaller = [](f32x32 a, f32x32 b) { return hvx::min_of_numbers(a, b); };
    const auto model = [](float a, float b) { return a < b ? a : b; };
    check_pairs<TypeParam>([=](V a, V b) { return hvx::elementwise(smaller, a, b); }, model);
    check_pairs<TypeParam>([=](V a, V b) { return hvx::elementwise_in_turn(smaller, a, b); }, model);
}

TYPED_TEST(elementwise, scale) {
    using V = typename TypeParam::vector;
    const auto factor = hvx::splat<f32x32>(-1.75f), bias = hvx::splat<f32x32>(0.5f);
    check_pairs<TypeParam>([=](V a, V) { return hvx::scale_lanes(a, factor); },
                           [](float a, float) { return a * -1.75f; });
    check_pairs<TypeParam>([=](V a, V) { return hvx::scale_lanes(a, factor, bias); },
                           [](float a, float) { return std::fma(a, -1.75f, 0.5f); });
}

// Taking lanes apart and together again changes none, whatever the order in between.
TYPED_TEST(elementwise, widen_and_narrow) {
    using V = typename TypeParam::vector;
    check_pairs<TypeParam>([](V a, V) { return hvx::narrow_lanes<V>(hvx::widen_lanes(a)); },
                           [](float a, float) { return a; });
    inputs in;
    const auto a = in.next<uint16_t>(), b = in.next<uint16_t>();
    const auto both = lanes_of<uint16_t>(hvx::merge_odd(V{vector_of(a)}, V{vector_of(b)}).v);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(both[i], i % 2 ? b[i] : a[i]);
}

// by_parity() is the order of widen_lanes().
TEST(by_parity, is_the_order_of_widen_lanes) {
    lanes<float> lo, hi;
    lanes<uint16_t> x;
    for (int i = 0; i < 64; ++i) {
        (i < 32 ? lo[i] : hi[i - 32]) = static_cast<float>(i);
        x[i] = hvx::f32_to_f16(static_cast<float>(i));
    }
    const auto ordered = hvx::by_parity({{vector_of(lo)}, {vector_of(hi)}});
    const auto wide = hvx::widen_lanes(f16x64{vector_of(x)});
    ASSERT_EQ(lanes_of<float>(ordered.lo.v), lanes_of<float>(wide.lo.v));
    ASSERT_EQ(lanes_of<float>(ordered.hi.v), lanes_of<float>(wide.hi.v));
}

TEST(halfwords, shifts_and_zeros) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = in.next<uint16_t>();
        lanes<uint16_t> left;
        for (uint16_t &count : left) count = static_cast<uint16_t>(in.word() % 16);
        const hvx::i16x64 x{vector_of(a)};
        const auto shifted_left = lanes_of<uint16_t>(hvx::shift_left(x, hvx::i16x64{vector_of(left)}).v);
        const auto zeros = lanes_of<uint16_t>(hvx::leading_zeros(x).v);
        for (int i = 0; i < 64; ++i) {
            ASSERT_EQ(shifted_left[i], static_cast<uint16_t>(a[i] << left[i]));
            ASSERT_EQ(zeros[i], std::countl_zero(a[i]));
        }
    }
}

TEST(masks, or_and_where) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = in.next<int32_t>(), b = in.next<int32_t>();
        const hvx::i32x32 x{vector_of(a)}, y{vector_of(b)};
        const auto mask = hvx::or_equal(hvx::greater(x, y), x, y);
        const auto less = lanes_of<int32_t>(hvx::sub_where(mask, x, y).v);
        for (int i = 0; i < 32; ++i)
            ASSERT_EQ(static_cast<uint32_t>(less[i]),
                      static_cast<uint32_t>(a[i]) - (a[i] >= b[i] ? static_cast<uint32_t>(b[i]) : 0u));
        const auto c = in.next<int16_t>(), d = in.next<int16_t>();
        const hvx::i16x64 z{vector_of(c)}, w{vector_of(d)};
        const auto more = lanes_of<int16_t>(hvx::add_where(hvx::greater_unsigned(z, w), z, w).v);
        for (int i = 0; i < 64; ++i) {
            const bool above = static_cast<uint16_t>(c[i]) > static_cast<uint16_t>(d[i]);
            ASSERT_EQ(more[i], static_cast<int16_t>(above ? c[i] + d[i] : c[i]));
        }
    }
}

}  // namespace
}  // namespace hexane::test
