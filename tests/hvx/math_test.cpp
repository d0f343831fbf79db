// Every function of hvx/math.h, hvx/activation.h and hvx/divide.h against double, over the whole range and at the
// special values. What is measured here stands in docs/numerics.md: run with --gtest_also_run_disabled_tests to print
// the table.
#include <cmath>
#include <cstdio>
#include <functional>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using hvx::f32x32;

struct errors {
    double relative = 0;  // where the exact result is a normal f32
    double absolute = 0;  // where it is at most 1 in magnitude
    double scaled = 0;    // error / max(1, |x|): what an activation adds to a number of that size
};

struct range {
    float low, high;
};

void compare(errors &worst, float x, float got, double exact) {
    const double error = std::fabs(got - exact);
    const double size = std::fabs(exact);
    if (size >= 0x1p-126 && size <= 3.4028234e38) worst.relative = std::max(worst.relative, error / size);
    if (size <= 1) worst.absolute = std::max(worst.absolute, error);
    if (size <= 3.4028234e38) worst.scaled = std::max(worst.scaled, error / std::max(1.0, std::fabs(double{x})));
}

// Evenly spaced points and, for relative accuracy near zero, geometrically spaced ones of both signs.
template <class Op, class Exact> errors measure(range r, Op op, Exact exact) {
    errors worst;
    const auto block = [&](const lanes<float> &x) {
        const auto y = lanes_of<float>(op(f32x32{vector_of(x)}).v);
        for (int i = 0; i < 32; ++i)
            if (x[i] >= r.low && x[i] <= r.high) compare(worst, x[i], y[i], exact(double{x[i]}));
    };
    lanes<float> x;
    constexpr int points = 1 << 18;
    for (int p = 0; p < points; p += 32) {
        for (int i = 0; i < 32; ++i)
            x[i] = static_cast<float>(r.low + (double{r.high} - r.low) * (p + i) / (points - 1));
        block(x);
    }
    for (uint32_t step = 0; step < 0x7f800000; step += 32 * 12347) {  // all exponents
        for (uint32_t i = 0; i < 32; ++i) {
            const uint32_t magnitude = std::min(step + i * 12347 / 2 * 2, 0x7f7fffffu);
            x[i] = std::bit_cast<float>(magnitude | (i & 1) << 31);
        }
        block(x);
    }
    return worst;
}

template <class Op> float at(Op op, float x) { return hvx::first_lane(op(hvx::splat<f32x32>(x))); }

template <class Op> void expect_at(Op op, std::initializer_list<std::pair<float, float>> points) {
    for (const auto &[x, expected] : points) {
        const float got = at(op, x);
        if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(got)) << "at " << x << ": " << got;
        else
            EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected)) << "at " << x << ": " << got;
    }
    EXPECT_TRUE(std::isnan(at(op, NAN)));
    EXPECT_TRUE(std::isnan(at(op, -NAN)));
}

constexpr range all = {-3.4028235e38f, 3.4028235e38f};

TEST(math, exp) {
    const auto op = [](f32x32 x) { return hvx::exp(x); };
    const auto e = measure({-104.0f, 88.73f}, op, [](double x) { return std::exp(x); });
    EXPECT_LT(e.relative, 1.5e-7);
    EXPECT_LT(e.absolute, 1e-7);
    expect_at(op, {{0.0f, 1.0f},
                   {-0.0f, 1.0f},
                   {INFINITY, INFINITY},
                   {-INFINITY, 0.0f},
                   {88.8f, INFINITY},
                   {3e38f, INFINITY},
                   {-3e38f, 0.0f},
                   {-104.5f, 0.0f}});
    EXPECT_NEAR(at(op, -100.0f), std::exp(-100.0), 1e-45);  // subnormal results are rounded, not flushed
    EXPECT_NEAR(at(op, 88.72f), std::exp(double{88.72f}), 1e32);
}

TEST(math, sigmoid) {
    const auto op = [](f32x32 x) { return hvx::sigmoid(x); };
    const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
    EXPECT_LT(measure({-87.0f, 100.0f}, op, exact).relative, 2.5e-7);
    EXPECT_LT(measure(all, op, exact).absolute, 1.2e-7);
    expect_at(op, {{0.0f, 0.5f}, {INFINITY, 1.0f}, {-INFINITY, 0.0f}, {200.0f, 1.0f}, {-200.0f, 0.0f}});
}

TEST(math, tanh) {
    const auto op = [](f32x32 x) { return hvx::tanh(x); };
    const auto e = measure(all, op, [](double x) { return std::tanh(x); });
    EXPECT_LT(e.relative, 4e-7);
    EXPECT_LT(e.absolute, 1.5e-7);
    expect_at(op, {{0.0f, 0.0f}, {-0.0f, -0.0f}, {INFINITY, 1.0f}, {-INFINITY, -1.0f}, {20.0f, 1.0f}, {-20.0f, -1.0f}});
}

TEST(math, erf) {
    const auto op = [](f32x32 x) { return hvx::erf(x); };
    const auto e = measure(all, op, [](double x) { return std::erf(x); });
    EXPECT_LT(e.relative, 2.5e-7);
    EXPECT_LT(e.absolute, 1.5e-7);
    expect_at(op, {{0.0f, 0.0f}, {-0.0f, -0.0f}, {INFINITY, 1.0f}, {-INFINITY, -1.0f}, {10.0f, 1.0f}, {-10.0f, -1.0f}});
}

TEST(math, erfc_positive) {
    const auto e =
        measure({0.0f, 9.0f}, [](f32x32 x) { return hvx::erfc_positive(x); }, [](double x) { return std::erfc(x); });
    EXPECT_LT(e.relative, 5e-6);  // far out: the rounding of z^2 in the exponent
    EXPECT_LT(e.absolute, 5e-7);  // near zero: the rounding of t
}

double exact_silu(double x) { return x / (1 + std::exp(-x)); }
double exact_gelu_tanh(double x) {
    const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * u));
}
double exact_gelu_erf(double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }
double exact_gelu_quick(double x) { return x / (1 + std::exp(-1.702 * x)); }

template <class Op, class Exact> void check_activation(Op op, Exact exact, double limit) {
    EXPECT_LT(measure({-40.0f, 40.0f}, op, exact).scaled, limit);
    EXPECT_LT(measure(all, op, exact).scaled, limit);
    expect_at(op, {{0.0f, 0.0f}, {INFINITY, INFINITY}, {-INFINITY, -0.0f}, {-1e30f, -0.0f}, {1e30f, 1e30f}});
}

TEST(activation, silu) {
    check_activation([](f32x32 x) { return hvx::silu(x); }, exact_silu, 2.5e-7);
}
TEST(activation, gelu_tanh) {
    check_activation([](f32x32 x) { return hvx::gelu_tanh(x); }, exact_gelu_tanh, 3e-7);
}
TEST(activation, gelu_erf) {
    check_activation([](f32x32 x) { return hvx::gelu_erf(x); }, exact_gelu_erf, 2.5e-7);
}
TEST(activation, gelu_quick) {
    check_activation([](f32x32 x) { return hvx::gelu_quick(x); }, exact_gelu_quick, 2.5e-7);
}
TEST(activation, relu) {
    const auto op = [](f32x32 x) { return hvx::relu(x); };
    expect_at(op, {{0.0f, 0.0f}, {1.5f, 1.5f}, {-1.5f, 0.0f}, {INFINITY, INFINITY}, {-INFINITY, 0.0f}});
}

// tanh form against ggml's own words: 0.5 x (1 + tanh(u)).
TEST(activation, gelu_tanh_is_the_form_of_ggml) {
    for (double x = -6; x < 6; x += 0.01) {
        const double ggml = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * x * (1 + 0.044715 * x * x)));
        ASSERT_NEAR(at([](f32x32 v) { return hvx::gelu_tanh(v); }, static_cast<float>(x)), ggml, 1e-6);
    }
}

// What a device calculates instead of dividing.
TEST(newton, div) {
    inputs in;
    errors worst;
    for (int round = 0; round < 5000; ++round) {
        lanes<float> a, b;
        for (int i = 0; i < 32; ++i) a[i] = std::bit_cast<float>(in.word()), b[i] = std::bit_cast<float>(in.word());
        const auto got = lanes_of<float>(hvx::by_newton::div(f32x32{vector_of(a)}, f32x32{vector_of(b)}).v);
        for (int i = 0; i < 32; ++i) {
            const double exact = double{a[i]} / double{b[i]};
            if (std::isnan(exact))
                ASSERT_TRUE(std::isnan(got[i])) << a[i] << " " << b[i];
            else if (std::fabs(exact) < 0x1p-126)
                ASSERT_NEAR(got[i], exact, 0x1p-148) << a[i] << " " << b[i];
            else if (std::fabs(exact) > 3.4028e38)
                ASSERT_GT(std::fabs(got[i]), 3.4e38f);
            else
                compare(worst, a[i], got[i], exact);
        }
    }
    EXPECT_LT(worst.relative, 1.3e-7);
    const float specials[] = {0.0f, -0.0f, 1.0f, -2.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, 3.4e38f};
    for (float a : specials)
        for (float b : specials) {
            const float got = hvx::first_lane(hvx::by_newton::div(hvx::splat<f32x32>(a), hvx::splat<f32x32>(b)));
            const float exact = a / b;
            if (std::isnan(exact))
                EXPECT_TRUE(std::isnan(got)) << a << " / " << b;
            else if (std::isnormal(exact) || exact == 0 || std::isinf(exact))
                EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(exact))
                    << a << " / " << b << " = " << got;
            else
                EXPECT_NEAR(got, exact, 0x1p-148) << a << " / " << b;  // rounded twice
        }
}

TEST(newton, sqrt_and_rsqrt) {
    const auto root = [](f32x32 x) { return hvx::by_newton::sqrt(x); };
    const auto inverse = [](f32x32 x) { return hvx::by_newton::rsqrt(x); };
    EXPECT_LT(measure({0.0f, 3.4028235e38f}, root, [](double x) { return std::sqrt(x); }).relative, 1.3e-7);
    EXPECT_LT(measure({0x1p-149f, 3.4028235e38f}, inverse, [](double x) { return 1 / std::sqrt(x); }).relative, 2.5e-7);
    expect_at(root, {{0.0f, 0.0f}, {-0.0f, -0.0f}, {4.0f, 2.0f}, {INFINITY, INFINITY}, {-1.0f, NAN}, {-INFINITY, NAN}});
    expect_at(inverse, {{0.0f, INFINITY}, {-0.0f, -INFINITY}, {INFINITY, 0.0f}, {-1.0f, NAN}, {-INFINITY, NAN}});
}

TEST(newton, reciprocal_above_one) {
    const auto e = measure(
        {1.0f, 8.5e37f}, [](f32x32 x) { return hvx::by_newton::reciprocal_of_normal(x); },
        [](double x) { return 1 / x; });
    EXPECT_LT(e.relative, 2e-7);
}

TEST(divide, rsqrt) {
    const auto op = [](f32x32 x) { return hvx::rsqrt(x); };
    EXPECT_LT(measure({0x1p-149f, 3.4028235e38f}, op, [](double x) { return 1 / std::sqrt(x); }).relative, 1.3e-7);
    expect_at(op, {{0.0f, INFINITY}, {4.0f, 0.5f}, {INFINITY, 0.0f}, {-1.0f, NAN}});
}

// What a device calculates instead of the forms that divide and scale in two steps.
TEST(on_device, near_by_grid) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        lanes<float> a;
        for (float &x : a) x = static_cast<float>(static_cast<int32_t>(in.word())) * 0x1p-17f;  // within 2^14
        const auto near = hvx::detail::near_by_grid(f32x32{vector_of(a)});
        const auto f = lanes_of<float>(near.f.v);
        const auto bits = lanes_of<uint32_t>(near.bits.v);
        for (int i = 0; i < 32; ++i) {
            ASSERT_EQ(f[i], std::nearbyint(f[i]));
            ASSERT_LE(std::fabs(double{f[i]} - double{a[i]}), 0.5 + 0x1p-8) << a[i];
            ASSERT_EQ(bits[i], static_cast<uint32_t>(static_cast<int32_t>(f[i])) << 23) << a[i];
        }
    }
}

template <class Op> void check_inverse_power(Op op) {
    EXPECT_LT(measure({-87.0f, 87.0f}, op, [](double x) { return std::exp(-x); }).relative, 1.5e-7);
    EXPECT_EQ(at(op, 1e30f), at(op, 87.0f));
    EXPECT_EQ(at(op, -INFINITY), at(op, -87.0f));
}
TEST(on_device, inverse_power) {
    check_inverse_power([](f32x32 x) { return hvx::on_device::inverse_power(x); });
    check_inverse_power([](f32x32 x) {
        return hvx::on_device::inverse_power(x, [](f32x32 a) { return hvx::detail::near_by_grid(a); });
    });
}

TEST(on_device, sigmoid) {
    const auto op = [](f32x32 x) { return hvx::on_device::sigmoid(x); };
    const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
    EXPECT_LT(measure({-87.0f, 100.0f}, op, exact).relative, 4e-7);
    EXPECT_LT(measure(all, op, exact).absolute, 1.8e-7);
    expect_at(op, {{0.0f, 0.5f}, {INFINITY, 1.0f}, {-INFINITY, 0.0f}, {200.0f, 1.0f}, {-200.0f, 0.0f}});
}

TEST(on_device, times_sigmoid) {
    const auto times_sigmoid = [](f32x32 x, f32x32 u) {
        return hvx::on_device::times_sigmoid(x, hvx::on_device::inverse_power(u));
    };
    check_activation([=](f32x32 x) { return times_sigmoid(x, x); }, exact_silu, 3e-7);
    check_activation([=](f32x32 x) { return times_sigmoid(x, hvx::argument_of_gelu(x)); }, exact_gelu_tanh, 3.5e-7);
    check_activation([=](f32x32 x) { return times_sigmoid(x, hvx::argument_of_gelu_quick(x)); }, exact_gelu_quick,
                     3e-7);
}

// The table of docs/numerics.md.
TEST(math, DISABLED_table) {
    const auto row = [](const char *name, errors e) {
        std::printf("| %-24s | %.2e | %.2e | %.2e |\n", name, e.relative, e.absolute, e.scaled);
    };
    row("exp", measure({-87.3f, 88.7f}, [](f32x32 x) { return hvx::exp(x); }, [](double x) { return std::exp(x); }));
    row("sigmoid", measure(
                       {-87.0f, 100.0f}, [](f32x32 x) { return hvx::sigmoid(x); },
                       [](double x) { return 1 / (1 + std::exp(-x)); }));
    row("tanh", measure(all, [](f32x32 x) { return hvx::tanh(x); }, [](double x) { return std::tanh(x); }));
    row("tanh +-12",
        measure({-12.0f, 12.0f}, [](f32x32 x) { return hvx::tanh(x); }, [](double x) { return std::tanh(x); }));
    row("erf +-6", measure({-6.0f, 6.0f}, [](f32x32 x) { return hvx::erf(x); }, [](double x) { return std::erf(x); }));
    row("erfc_positive 0..9",
        measure({0.0f, 9.0f}, [](f32x32 x) { return hvx::erfc_positive(x); }, [](double x) { return std::erfc(x); }));
    row("silu +-40", measure({-40.0f, 40.0f}, [](f32x32 x) { return hvx::silu(x); }, exact_silu));
    row("gelu_tanh +-40", measure({-40.0f, 40.0f}, [](f32x32 x) { return hvx::gelu_tanh(x); }, exact_gelu_tanh));
    row("gelu_erf +-40", measure({-40.0f, 40.0f}, [](f32x32 x) { return hvx::gelu_erf(x); }, exact_gelu_erf));
    row("gelu_quick +-40", measure({-40.0f, 40.0f}, [](f32x32 x) { return hvx::gelu_quick(x); }, exact_gelu_quick));
    row("on_device sigmoid", measure(
                                 {-87.0f, 100.0f}, [](f32x32 x) { return hvx::on_device::sigmoid(x); },
                                 [](double x) { return 1 / (1 + std::exp(-x)); }));
    row("on_device silu +-40",
        measure(
            {-40.0f, 40.0f},
            [](f32x32 x) { return hvx::on_device::times_sigmoid(x, hvx::on_device::inverse_power(x)); }, exact_silu));
    row("on_device gelu +-40", measure(
                                   {-40.0f, 40.0f},
                                   [](f32x32 x) {
                                       return hvx::on_device::times_sigmoid(
                                           x, hvx::on_device::inverse_power(hvx::argument_of_gelu(x)));
                                   },
                                   exact_gelu_tanh));
    row("on_device inverse_power", measure(
                                       {-87.0f, 87.0f}, [](f32x32 x) { return hvx::on_device::inverse_power(x); },
                                       [](double x) { return std::exp(-x); }));
    row("rsqrt",
        measure(
            {0x1p-149f, 3.4e38f}, [](f32x32 x) { return hvx::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }));
    row("newton sqrt",
        measure(
            {0.0f, 3.4e38f}, [](f32x32 x) { return hvx::by_newton::sqrt(x); }, [](double x) { return std::sqrt(x); }));
    row("newton rsqrt", measure(
                            {0x1p-149f, 3.4e38f}, [](f32x32 x) { return hvx::by_newton::rsqrt(x); },
                            [](double x) { return 1 / std::sqrt(x); }));
    row("newton 1/x", measure(
                          {1.0f, 8.5e37f}, [](f32x32 x) { return hvx::by_newton::reciprocal_of_normal(x); },
                          [](double x) { return 1 / x; }));
}

}  // namespace
}  // namespace hexane::test
