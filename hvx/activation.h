// hvx/activation.h -- exp and the activation functions that are made of it. Errors: docs/numerics.md.
#pragma once

#include "hvx/float.h"

namespace hexane::hvx {

namespace detail {
// Horner's scheme; the coefficient of the highest power comes first.
template <uint32_t N> HEX_HVX f32x32 polynomial(const float (&coefficients)[N], f32x32 x) {
    f32x32 p = splat<f32x32>(coefficients[0]);
    for (uint32_t i = 1; i < N; ++i) p = mul_add(p, x, splat<f32x32>(coefficients[i]));
    return p;
}
}  // namespace detail

// e^x over the whole range: infinity above 88.73, subnormal results and 0 below -87.3, NaN for NaN.
// Method: x = n ln 2 + r with |r| <= ln 2 / 2 (ln 2 in two parts, after Cody and Waite), the Taylor polynomial of degree 7 for e^r
// (error below 6e-9), and 2^n applied in two factors so that neither overflows.
HEX_HVX f32x32 exp(f32x32 x) {
    const auto shift = splat<f32x32>(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer
    const auto clamped = min(max(x, splat<f32x32>(-104.0f)), splat<f32x32>(89.0f));
    const auto shifted = add(mul(clamped, splat<f32x32>(1.44269504f)), shift);
    const auto n = sub(bits_as<i32x32>(shifted), splat<i32x32>(0x4b400000));
    const auto n_f32 = sub(shifted, shift);
    auto r = sub(clamped, mul(n_f32, splat<f32x32>(0.693359375f)));
    r = sub(r, mul(n_f32, splat<f32x32>(-2.12194440e-4f)));
    constexpr float taylor[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
    const auto p = detail::polynomial(taylor, r);
    const auto half = shift_right(n, 1);
    const auto e = mul(mul(p, detail::power_of_two(half)), detail::power_of_two(sub(n, half)));
    return select(is_nan(x), x, e);
}

// 1 / (1 + e^-x).
HEX_HVX f32x32 sigmoid(f32x32 x) {
    const auto one = splat<f32x32>(1.0f);
    return div(one, add(one, exp(negate(x))));
}

// 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), ggml's GELU; written as x sigmoid(2u), which does not cancel.
HEX_HVX f32x32 gelu(f32x32 x) {
    const auto cubic = mul_add(mul(mul(x, x), splat<f32x32>(0.044715f)), x, x);
    return mul(x, sigmoid(mul(cubic, splat<f32x32>(1.59576912f))));
}

// x sigmoid(1.702 x).
HEX_HVX f32x32 gelu_quick(f32x32 x) { return mul(x, sigmoid(mul(x, splat<f32x32>(1.702f)))); }

// 0.5 x (1 + erf(x / sqrt 2)). erfc(z) for z >= 0 by Abramowitz and Stegun 7.1.26, absolute error below 1.5e-7; negative x take
// erfc directly, so that small results do not cancel.
HEX_HVX f32x32 gelu_erf(f32x32 x) {
    const auto z = mul(abs(x), splat<f32x32>(0.70710678f));
    const auto t = div(splat<f32x32>(1.0f), mul_add(z, splat<f32x32>(0.3275911f), splat<f32x32>(1.0f)));
    constexpr float a5_to_a1[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f};
    const auto half_erfc = mul(mul(mul(detail::polynomial(a5_to_a1, t), t), exp(negate(mul(z, z)))), splat<f32x32>(0.5f));
    const auto positive = greater(x, splat<f32x32>(0.0f));
    return mul(x, select(positive, sub(splat<f32x32>(1.0f), half_erfc), half_erfc));
}

}  // namespace hexane::hvx
