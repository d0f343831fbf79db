// hvx/math.h -- exp, sigmoid, tanh, erf. Whole range; NaN in, NaN out. Errors: docs/numerics.md, measured by tests/hvx.
//
// Coefficients: near-minimax polynomials computed for this file with mpmath's chebyfit in 40 digits.
#pragma once

#include "hvx/chain.h"
#include "hvx/divide.h"
#include "hvx/float32.h"

namespace hexane::hvx {

namespace detail {

// c[0] + x * (c[1] + x * (...)), from the innermost. No step of these polynomials cancels.
template <int N> HEX_HVX chain polynomial(f32x32 x, const float (&c)[N]) {
    const chain factor = chain_of(x);
    chain sum = chain_mul_add(splat<f32x32>(c[N - 2]), splat<f32x32>(c[N - 1]), x);
    for (int i = N - 3; i >= 0; --i) sum = chain_mul_add(splat<f32x32>(c[i]), sum, factor);
    return sum;
}

// Devices do not promise to carry a NaN through qf32 or through minimum and maximum.
HEX_HVX f32x32 select_number(f32x32 x, f32x32 result) { return select(is_nan(x), x, result); }
HEX_HVX f32x32 keep_nan([[maybe_unused]] f32x32 x, f32x32 result) {
#if HEX_F32_LANES
    return result;
#else
    return select_number(x, result);
#endif
}
}  // namespace detail

// x where it is within the limits, else the limit; NaN stays. REQUIRES: limits are numbers, low <= high.
HEX_HVX f32x32 at_most(f32x32 x, f32x32 high) { return detail::keep_nan(x, min_of_numbers(high, x)); }
HEX_HVX f32x32 at_least(f32x32 x, f32x32 low) { return detail::keep_nan(x, max_of_numbers(low, x)); }
HEX_HVX f32x32 clamp(f32x32 x, f32x32 low, f32x32 high) {
    return detail::keep_nan(x, max_of_numbers(low, min_of_numbers(high, x)));
}

namespace detail {

// A whole number n near another one, and what it adds to the bits of a number that is multiplied by 2^n.
struct exponent {
    f32x32 f;
    i32x32 i;
    i32x32 bits;  // n * 2^23
};

// A whole number within 1/2 + 2^-8 of a. However a dialect rounds, the sum is within 2^-8 of a and 1.5 * 2^15, its low
// byte is the fraction, and integers round that. REQUIRES: |a| <= 2^14.
HEX_HVX exponent near_by_grid(f32x32 a) {
    const f32x32 grid = splat<f32x32>(49152.0f);
    const i32x32 sum = add(bits_as<i32x32>(add(a, grid)), splat<i32x32>(0x80));
    const i32x32 whole = bit_and(sum, splat<i32x32>(-0x100));
    const i32x32 bits = shift_left(whole, 15);  // of the grid itself the shift leaves nothing
    return {sub(bits_as<f32x32>(whole), grid), shift_right(bits, 23), bits};
}
// The nearest one, where sums are rounded as IEEE 754 says: 1.5 * 2^23 leaves no fraction.
HEX_HVX exponent near_whole(f32x32 a) {
#if HEX_F32_QFLOAT
    return near_by_grid(a);
#else
    const f32x32 magic = splat<f32x32>(12582912.0f);
    const f32x32 sum = add(a, magic);
    const i32x32 i = sub(bits_as<i32x32>(sum), bits_as<i32x32>(magic));
    return {sub(sum, magic), i, shift_left(bits_as<i32x32>(sum), 23)};
#endif
}

// e^x = 2^n * (1 + q) for n near x / ln(2), |r| <= ln(2) / 2 (and 2^-9 more) where r = x - n * ln(2). ln(2) in two parts (Cody and Waite):
// n * 0.693359375 is exact for |n| < 2^15. q = r + r^2 * g(r), g of degree 4; error of the polynomial 8e-9. REQUIRES:
// |x| < 2^13.
struct exp_parts {
    exponent n;
    chain q;
};
HEX_HVX exp_parts exp_reduced(f32x32 x, exponent n) {
    constexpr float g[] = {0.5f, 0.166665766661f, 0.041666554213f, 0.00836323288368f, 0.00139262508315f};
    const f32x32 first = mul_add(x, n.f, splat<f32x32>(-0.693359375f));
    const f32x32 r = mul_add(first, n.f, splat<f32x32>(2.12194440055e-4f));
    return {n, chain_mul_add(r, chain_mul(r, r), polynomial(r, g))};
}
HEX_HVX f32x32 to_base_2(f32x32 x) { return mul(x, splat<f32x32>(1.44269504089f)); }
HEX_HVX exp_parts exp_reduced(f32x32 x) { return exp_reduced(x, near_whole(to_base_2(x))); }

}  // namespace detail

// Infinity above 88.73, subnormal below -87.34, zero below -103.98.
HEX_HVX f32x32 exp(f32x32 x) {
    const f32x32 inside = max_of_numbers(splat<f32x32>(-104.0f), min_of_numbers(splat<f32x32>(89.0f), x));
    const detail::exp_parts e = detail::exp_reduced(inside);
    return detail::keep_nan(x, scale_by_power(to_f32(chain_add(e.q, splat<f32x32>(1.0f))), whole{e.n.i, e.n.f}));
}

namespace on_device {

// Up to here e^x and its reciprocal are normal numbers, so that 2^n can be added to the exponent.
constexpr float sigmoid_limit = 87.0f;

// e^-u with u brought within sigmoid_limit of 0; of NaN a number. `near` is near_whole or near_by_grid.
template <class Near> HEX_HVX f32x32 inverse_power(f32x32 u, Near near) {
    const f32x32 least = splat<f32x32>(-sigmoid_limit);
    const f32x32 inside = max_of_numbers(least, neg(max_of_numbers(least, u)));
    const detail::exp_parts e = detail::exp_reduced(inside, near(detail::to_base_2(inside)));
    const f32x32 mantissa = to_f32(chain_add(e.q, splat<f32x32>(1.0f)));
    return bits_as<f32x32>(add(bits_as<i32x32>(mantissa), e.n.bits));
}
HEX_HVX f32x32 inverse_power(f32x32 u) {
    return inverse_power(u, [](f32x32 a) __attribute__((always_inline)) { return detail::near_whole(a); });
}

// -1 / (1 + power)
HEX_HVX f32x32 minus_one_over_one_plus(f32x32 power) {
    return to_f32(by_newton::minus_reciprocal(chain_add(power, splat<f32x32>(1.0f))));
}

// x * sigmoid(u) from inverse_power(u); -0 below x = -sigmoid_limit, NaN where x is. REQUIRES: u has the sign of x and
// is not smaller.
HEX_HVX f32x32 times_sigmoid(f32x32 x, f32x32 inverse_power_of_u) {
    const f32x32 product = mul(neg(x), minus_one_over_one_plus(inverse_power_of_u));
    const mask is_nothing = greater(splat<f32x32>(-sigmoid_limit), x);
    return detail::select_number(x, select(is_nothing, splat<f32x32>(-0.0f), product));
}

// 0 below -sigmoid_limit.
HEX_HVX f32x32 sigmoid(f32x32 x) {
    const f32x32 inside = neg(minus_one_over_one_plus(inverse_power(x)));
    const mask is_nothing = greater(splat<f32x32>(-sigmoid_limit), x);
    return detail::select_number(x, select(is_nothing, zero<f32x32>(), inside));
}

}  // namespace on_device

// 1 / (1 + e^-x).
HEX_HVX f32x32 sigmoid(f32x32 x) {
#if HEX_F32_LANES
    return reciprocal(add(splat<f32x32>(1.0f), exp(neg(x))));
#else
    return on_device::sigmoid(x);
#endif
}

// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; e^y - 1 = 2^n * q + (2^n - 1) loses nothing near zero. From 10 on it
// is 1.
HEX_HVX f32x32 tanh(f32x32 x) {
    const f32x32 magnitude = min_of_numbers(splat<f32x32>(10.0f), abs(x));
    const detail::exp_parts e = detail::exp_reduced(add(magnitude, magnitude));
    const f32x32 power = power_of_two(e.n.i);
    const f32x32 minus_one = mul_add(sub(power, splat<f32x32>(1.0f)), power, to_f32(e.q));
    const f32x32 inverse = reciprocal_above_one(add(minus_one, splat<f32x32>(2.0f)));
    return detail::keep_nan(x, copy_sign(mul(minus_one, inverse), x));
}

// 1 - erf(z) for z >= 0: t * P(t - 1/2) * e^-z^2 with t = 1 / (1 + 0.4 z), P of degree 9 (error 5e-9); the form of
// Abramowitz and Stegun 7.1.26, with the polynomial about the middle of t, where its terms do not cancel.
HEX_HVX f32x32 erfc_positive(f32x32 z) {
    constexpr float p[] = {0.421612731f,  0.643721416f,  0.726261658f,  0.548012144f,  0.181552393f,
                           -0.107755775f, -0.123659477f, 0.0271672915f, 0.0678463958f, -0.0333399331f};
    const f32x32 inside = min_of_numbers(splat<f32x32>(11.0f), z);
    const f32x32 t = reciprocal_above_one(mul_add(splat<f32x32>(1.0f), splat<f32x32>(0.4f), inside));
    const f32x32 decay = exp(neg(mul(inside, inside)));
    return detail::keep_nan(z, mul(mul(t, to_f32(detail::polynomial(sub(t, splat<f32x32>(0.5f)), p))), decay));
}

// Below 1: x * Q(x^2), Q of degree 6 (error 1.3e-9). Else 1 - erfc.
HEX_HVX f32x32 erf(f32x32 x) {
    constexpr float q[] = {1.12837917f,    -0.376126267f,    0.112835947f,  -0.026854212f,
                           0.00518908742f, -0.000801686429f, 7.87587506e-5f};
    const f32x32 z = abs(x);
    const f32x32 near_zero = mul(x, to_f32(detail::polynomial(mul(x, x), q)));
    const f32x32 away = copy_sign(sub(splat<f32x32>(1.0f), erfc_positive(z)), x);
    return detail::keep_nan(x, select(less(z, splat<f32x32>(1.0f)), near_zero, away));
}

}  // namespace hexane::hvx
