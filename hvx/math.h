// hvx/math.h -- exp, sigmoid, tanh, erf. Whole range; NaN in, NaN out. Errors: docs/numerics.md, measured by tests/hvx.
//
// Coefficients: near-minimax polynomials computed for this file with mpmath's chebyfit in 40 digits.
#pragma once

#include "hvx/divide.h"
#include "hvx/float32.h"

namespace hexane::hvx {

namespace detail {

// c[0] + x * (c[1] + x * (...)), from the innermost.
template <int N> HEX_HVX f32x32 polynomial(f32x32 x, const float (&c)[N]) {
    f32x32 sum = splat<f32x32>(c[N - 1]);
    for (int i = N - 2; i >= 0; --i) sum = mul_add(splat<f32x32>(c[i]), sum, x);
    return sum;
}

// Devices do not promise to carry a NaN through qf32 or through minimum and maximum.
HEX_HVX f32x32 keep_nan([[maybe_unused]] f32x32 x, f32x32 result) {
#if HEX_F32_LANES
    return result;
#else
    return select(is_nan(x), x, result);
#endif
}

// e^x = 2^n * (1 + q), |r| <= ln(2) / 2 where r = x - n * ln(2). ln(2) in two parts (Cody and Waite): n * 0.693359375
// is exact for |n| < 2^15. q = r + r^2 * g(r), g of degree 4; error of the polynomial 8e-9. REQUIRES: |x| < 2^15.
struct exp_parts {
    whole n;
    f32x32 q;
};
HEX_HVX exp_parts exp_reduced(f32x32 x) {
    constexpr float g[] = {0.5f, 0.166665766661f, 0.041666554213f, 0.00836323288368f, 0.00139262508315f};
    const whole n = round_whole(mul(x, splat<f32x32>(1.44269504089f)));
    f32x32 r = mul_add(x, n.f, splat<f32x32>(-0.693359375f));
    r = mul_add(r, n.f, splat<f32x32>(2.12194440055e-4f));
    return {n, mul_add(r, mul(r, r), polynomial(r, g))};
}

}  // namespace detail

// Infinity above 88.73, subnormal below -87.34, zero below -103.98.
HEX_HVX f32x32 exp(f32x32 x) {
    const f32x32 inside = max(splat<f32x32>(-104.0f), min(splat<f32x32>(89.0f), x));
    const detail::exp_parts e = detail::exp_reduced(inside);
    return detail::keep_nan(x, scale_by_power(add(e.q, splat<f32x32>(1.0f)), e.n));
}

// 1 / (1 + e^-x).
HEX_HVX f32x32 sigmoid(f32x32 x) {
    const f32x32 inverse = add(splat<f32x32>(1.0f), exp(neg(x)));
    return detail::keep_nan(x, reciprocal_above_one(inverse));
}

// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; e^y - 1 = 2^n * q + (2^n - 1) loses nothing near zero. From 10 on it
// is 1.
HEX_HVX f32x32 tanh(f32x32 x) {
    const f32x32 magnitude = min(splat<f32x32>(10.0f), abs(x));
    const detail::exp_parts e = detail::exp_reduced(add(magnitude, magnitude));
    const f32x32 power = power_of_two(e.n.i);
    const f32x32 minus_one = mul_add(sub(power, splat<f32x32>(1.0f)), power, e.q);
    const f32x32 inverse = reciprocal_above_one(add(minus_one, splat<f32x32>(2.0f)));
    return detail::keep_nan(x, copy_sign(mul(minus_one, inverse), x));
}

// 1 - erf(z) for z >= 0: t * P(t - 1/2) * e^-z^2 with t = 1 / (1 + 0.4 z), P of degree 9 (error 5e-9); the form of
// Abramowitz and Stegun 7.1.26, with the polynomial about the middle of t, where its terms do not cancel.
HEX_HVX f32x32 erfc_positive(f32x32 z) {
    constexpr float p[] = {0.421612731f,  0.643721416f,  0.726261658f,  0.548012144f,  0.181552393f,
                           -0.107755775f, -0.123659477f, 0.0271672915f, 0.0678463958f, -0.0333399331f};
    const f32x32 inside = min(splat<f32x32>(11.0f), z);
    const f32x32 t = reciprocal_above_one(mul_add(splat<f32x32>(1.0f), splat<f32x32>(0.4f), inside));
    const f32x32 decay = exp(neg(mul(inside, inside)));
    return detail::keep_nan(z, mul(mul(t, detail::polynomial(sub(t, splat<f32x32>(0.5f)), p)), decay));
}

// Below 1: x * Q(x^2), Q of degree 6 (error 1.3e-9). Else 1 - erfc.
HEX_HVX f32x32 erf(f32x32 x) {
    constexpr float q[] = {1.12837917f,    -0.376126267f,    0.112835947f,  -0.026854212f,
                           0.00518908742f, -0.000801686429f, 7.87587506e-5f};
    const f32x32 z = abs(x);
    const f32x32 near_zero = mul(x, detail::polynomial(mul(x, x), q));
    const f32x32 away = copy_sign(sub(splat<f32x32>(1.0f), erfc_positive(z)), x);
    return detail::keep_nan(x, select(less(z, splat<f32x32>(1.0f)), near_zero, away));
}

}  // namespace hexane::hvx
