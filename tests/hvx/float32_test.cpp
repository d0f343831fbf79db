// f32 arithmetic is IEEE on the PC, and the products of f16 add up.
#include <cmath>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using hvx::f32x32;

lanes<float> any_floats(inputs &in) {
    lanes<float> x;
    const float edges[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1p-126f, 3.4e38f, 1.0f, -1.0f};
    for (float &lane : x)
        lane = in.word() % 4 == 0 ? edges[in.word() % std::size(edges)] : std::bit_cast<float>(in.word());
    return x;
}

template <class Op, class Model> void check(const char *name, Op op, Model model) {
    SCOPED_TRACE(name);
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = any_floats(in), b = any_floats(in);
        const auto got = lanes_of<float>(op(f32x32{vector_of(a)}, f32x32{vector_of(b)}).v);
        for (int i = 0; i < 32; ++i) {
            const float expected = model(a[i], b[i]);
            if (std::isnan(expected))
                ASSERT_TRUE(std::isnan(got[i])) << a[i] << " " << b[i];
            else
                ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(expected)) << a[i] << " " << b[i];
        }
    }
}

TEST(float32, arithmetic) {
    check("add", [](f32x32 a, f32x32 b) { return hvx::add(a, b); }, [](float a, float b) { return a + b; });
    check("sub", [](f32x32 a, f32x32 b) { return hvx::sub(a, b); }, [](float a, float b) { return a - b; });
    check("mul", [](f32x32 a, f32x32 b) { return hvx::mul(a, b); }, [](float a, float b) { return a * b; });
    check("div", [](f32x32 a, f32x32 b) { return hvx::div(a, b); }, [](float a, float b) { return a / b; });
    check(
        "min_of_numbers", [](f32x32 a, f32x32 b) { return hvx::min_of_numbers(a, b); },
        [](float a, float b) { return a < b ? a : b; });
    check(
        "max_of_numbers", [](f32x32 a, f32x32 b) { return hvx::max_of_numbers(a, b); },
        [](float a, float b) { return a > b ? a : b; });
    check("sqrt", [](f32x32 a, f32x32) { return hvx::sqrt(a); }, [](float a, float) { return std::sqrt(a); });
    check("neg", [](f32x32 a, f32x32) { return hvx::neg(a); }, [](float a, float) { return -a; });
    check("abs", [](f32x32 a, f32x32) { return hvx::abs(a); }, [](float a, float) { return std::fabs(a); });
    check(
        "copy_sign", [](f32x32 a, f32x32 b) { return hvx::copy_sign(a, b); },
        [](float a, float b) { return std::copysign(a, b); });
}

TEST(float32, compare) {
    const f32x32 one = hvx::splat<f32x32>(1.0f), none = hvx::zero<f32x32>();
    const auto chosen = [=](hvx::mask m) { return hvx::select(m, one, none); };
    check(
        "greater", [=](f32x32 a, f32x32 b) { return chosen(hvx::greater(a, b)); },
        [](float a, float b) { return a > b ? 1.0f : 0.0f; });
    check(
        "less", [=](f32x32 a, f32x32 b) { return chosen(hvx::less(a, b)); },
        [](float a, float b) { return a < b ? 1.0f : 0.0f; });
    check(
        "is_nan", [=](f32x32 a, f32x32) { return chosen(hvx::is_nan(a)); },
        [](float a, float) { return std::isnan(a) ? 1.0f : 0.0f; });
    check(
        "is_infinite", [=](f32x32 a, f32x32) { return chosen(hvx::is_infinite(a)); },
        [](float a, float) { return std::isinf(a) ? 1.0f : 0.0f; });
    check(
        "is_zero", [=](f32x32 a, f32x32) { return chosen(hvx::is_zero(a)); },
        [](float a, float) { return a == 0 ? 1.0f : 0.0f; });
}

TEST(float32, mul_add_rounds_once_or_twice) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        lanes<float> x[3];
        for (auto &v : x)
            for (float &lane : v) lane = static_cast<float>(static_cast<int32_t>(in.word())) * 0x1p-16f;
        const auto got =
            lanes_of<float>(hvx::mul_add(f32x32{vector_of(x[0])}, f32x32{vector_of(x[1])}, f32x32{vector_of(x[2])}).v);
        for (int i = 0; i < 32; ++i) {
            volatile float product = x[1][i] * x[2][i];  // volatile: no contraction
            const float twice = x[0][i] + product, once = std::fma(x[1][i], x[2][i], x[0][i]);
            ASSERT_TRUE(got[i] == once || got[i] == twice);
        }
    }
}

TEST(float32, scale_by_power) {
    for (int n = -252; n <= 254; ++n) {
        const hvx::whole power = {hvx::splat<hvx::i32x32>(n), hvx::splat<f32x32>(static_cast<float>(n))};
        for (const float x : {1.0f, -1.9999999f, 0.7071f, 1.41421f})
            ASSERT_EQ(hvx::first_lane(hvx::scale_by_power(hvx::splat<f32x32>(x), power)), std::ldexp(x, n)) << n;
    }
}

TEST(float16, dot_product) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        hvx::f32x32x2 acc = {hvx::zero<f32x32>(), hvx::zero<f32x32>()};
        double expected = 0, magnitude = 0;
        for (int step = 0; step < 8; ++step) {
            lanes<uint16_t> a, b;
            for (int i = 0; i < 64; ++i) {
                const float x = static_cast<float>(static_cast<int32_t>(in.word())) * 0x1p-28f;
                const float y = static_cast<float>(static_cast<int32_t>(in.word())) * 0x1p-28f;
                a[i] = hvx::f32_to_f16(x), b[i] = hvx::f32_to_f16(y);
                const double product = double{hvx::f16_to_f32(a[i])} * hvx::f16_to_f32(b[i]);
                expected += product, magnitude += std::fabs(product);
            }
            acc = hvx::mul_acc(acc, {vector_of(a)}, {vector_of(b)});
        }
        ASSERT_NEAR(hvx::sum(hvx::add(acc.lo, acc.hi)), expected, magnitude * 0x1p-22);
    }
}

}  // namespace
}  // namespace hexane::test
