// hvx/float.h -- f32 arithmetic in the dialect of the target (hvx/dialect.h).
//
// Each operation rounds once to f32. The qfloat dialect converts back after every operation: a qf32 value that is spilled is corrupted
// (a known defect of LLVM's Hexagon back end), so none outlives the expression that makes it.
#pragma once

#include "hvx/integer.h"
#include "hvx/types.h"

namespace hexane::hvx {

#if HEX_F32_LANES

namespace detail {
typedef float f32_lanes __attribute__((vector_size(128)));
HEX_HVX f32_lanes as_lanes(f32x32 x) { return __builtin_bit_cast(f32_lanes, x.v); }
HEX_HVX f32x32 of_lanes(f32_lanes x) { return {__builtin_bit_cast(HVX_Vector, x)}; }
}  // namespace detail

HEX_HVX f32x32 add(f32x32 a, f32x32 b) { return detail::of_lanes(detail::as_lanes(a) + detail::as_lanes(b)); }
HEX_HVX f32x32 sub(f32x32 a, f32x32 b) { return detail::of_lanes(detail::as_lanes(a) - detail::as_lanes(b)); }
HEX_HVX f32x32 mul(f32x32 a, f32x32 b) { return detail::of_lanes(detail::as_lanes(a) * detail::as_lanes(b)); }
// Of two zeros either; with a NaN, b.
HEX_HVX f32x32 min(f32x32 a, f32x32 b) {
    const auto x = detail::as_lanes(a), y = detail::as_lanes(b);
    return detail::of_lanes(x < y ? x : y);
}
HEX_HVX f32x32 max(f32x32 a, f32x32 b) {
    const auto x = detail::as_lanes(a), y = detail::as_lanes(b);
    return detail::of_lanes(x > y ? x : y);
}
HEX_HVX mask greater(f32x32 a, f32x32 b) {
    return equal(i32x32{__builtin_bit_cast(HVX_Vector, detail::as_lanes(a) > detail::as_lanes(b))}, splat<i32x32>(-1));
}

#elif HEX_F32_QFLOAT

HEX_HVX f32x32 add(f32x32 a, f32x32 b) { return {Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_VsfVsf(a.v, b.v))}; }
HEX_HVX f32x32 sub(f32x32 a, f32x32 b) { return {Q6_Vsf_equals_Vqf32(Q6_Vqf32_vsub_VsfVsf(a.v, b.v))}; }
HEX_HVX f32x32 mul(f32x32 a, f32x32 b) { return {Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(a.v, b.v))}; }
HEX_HVX f32x32 min(f32x32 a, f32x32 b) { return {Q6_Vsf_vmin_VsfVsf(a.v, b.v)}; }
HEX_HVX f32x32 max(f32x32 a, f32x32 b) { return {Q6_Vsf_vmax_VsfVsf(a.v, b.v)}; }
HEX_HVX mask greater(f32x32 a, f32x32 b) { return {Q6_Q_vcmp_gt_VsfVsf(a.v, b.v)}; }

#else

HEX_HVX f32x32 add(f32x32 a, f32x32 b) { return {Q6_Vsf_vadd_VsfVsf(a.v, b.v)}; }
HEX_HVX f32x32 sub(f32x32 a, f32x32 b) { return {Q6_Vsf_vsub_VsfVsf(a.v, b.v)}; }
HEX_HVX f32x32 mul(f32x32 a, f32x32 b) { return {Q6_Vsf_vmpy_VsfVsf(a.v, b.v)}; }
HEX_HVX f32x32 min(f32x32 a, f32x32 b) { return {Q6_Vsf_vmin_VsfVsf(a.v, b.v)}; }
HEX_HVX f32x32 max(f32x32 a, f32x32 b) { return {Q6_Vsf_vmax_VsfVsf(a.v, b.v)}; }
HEX_HVX mask greater(f32x32 a, f32x32 b) { return {Q6_Q_vcmp_gt_VsfVsf(a.v, b.v)}; }

#endif

// a * b + c. One rounding where the target has a fused operation, two elsewhere.
HEX_HVX f32x32 mul_add(f32x32 a, f32x32 b, f32x32 c) {
#if HEX_F32_LANES && !HEX_HVX_DEVICE && defined(__FMA__)
    return detail::of_lanes(__builtin_elementwise_fma(detail::as_lanes(a), detail::as_lanes(b), detail::as_lanes(c)));
#else
    return add(mul(a, b), c);
#endif
}

HEX_HVX f32x32 abs(f32x32 x) { return bits_as<f32x32>(bit_and(bits_as<u32x32>(x), splat<u32x32>(0x7fffffffu))); }
HEX_HVX f32x32 negate(f32x32 x) { return bits_as<f32x32>(bit_xor(bits_as<u32x32>(x), splat<u32x32>(0x80000000u))); }
// Lanes that are NaN.
HEX_HVX mask is_nan(f32x32 x) { return greater(bits_as<i32x32>(abs(x)), splat<i32x32>(0x7f800000)); }

namespace detail {

// 1 / m for m in [1, 2), within one unit in the last place. Newton's iteration x <- x (2 - m x) from the linear minimax start
// 24/17 - 8/17 m, whose error of 1/17 falls to 1/17^16 in four steps.
HEX_HVX f32x32 reciprocal_of_mantissa(f32x32 m) {
    const auto two = splat<f32x32>(2.0f);
    f32x32 x = sub(splat<f32x32>(24.0f / 17.0f), mul(splat<f32x32>(8.0f / 17.0f), m));
    for (int step = 0; step < 4; ++step) x = mul(x, sub(two, mul(m, x)));
    return x;
}

// 2^n for n in -126 .. 127.
HEX_HVX f32x32 power_of_two(i32x32 n) { return bits_as<f32x32>(shift_left(add(n, splat<i32x32>(127)), 23)); }

// a / b where the target has no division: by the reciprocal of b's mantissa, then b's exponent in two steps so that neither leaves
// the range. Subnormal divisors count as zero.
HEX_HVX f32x32 divide_by_newton(f32x32 a, f32x32 b) {
    const auto bits = bits_as<u32x32>(b);
    const auto magnitude = bit_and(bits, splat<u32x32>(0x7fffffffu));
    const auto mantissa = bits_as<f32x32>(bit_or(bit_and(bits, splat<u32x32>(0x007fffffu)), splat<u32x32>(0x3f800000u)));
    const auto exponent = sub(bits_as<i32x32>(shift_right(magnitude, 23)), splat<i32x32>(127));
    const auto half = shift_right(exponent, 1);
    const auto minus_half = sub(splat<i32x32>(0), half);
    const auto minus_rest = sub(half, exponent);
    f32x32 q = mul(a, reciprocal_of_mantissa(mantissa));
    q = mul(mul(q, power_of_two(minus_half)), power_of_two(minus_rest));
    const auto sign = bit_and(bits, splat<u32x32>(0x80000000u));
    q = bits_as<f32x32>(bit_xor(bits_as<u32x32>(q), sign));
    const auto infinity = bits_as<f32x32>(bit_or(sign, splat<u32x32>(0x7f800000u)));
    const auto zero_of_sign = bits_as<f32x32>(sign);
    q = select(greater(splat<i32x32>(0x00800000), bits_as<i32x32>(magnitude)), mul(a, infinity), q);
    q = select(equal(bits_as<i32x32>(magnitude), splat<i32x32>(0x7f800000)), mul(a, zero_of_sign), q);
    return select(is_nan(b), b, q);
}

// 1 / sqrt(x) for normal x > 0: the well-known integer start (error 3.4 %), four Newton steps.
HEX_HVX f32x32 inverse_sqrt_by_newton(f32x32 x) {
    const auto half = mul(x, splat<f32x32>(0.5f));
    auto y = bits_as<f32x32>(sub(splat<i32x32>(0x5f3759df), shift_right(bits_as<i32x32>(x), 1)));
    for (int step = 0; step < 4; ++step) y = mul(y, sub(splat<f32x32>(1.5f), mul(mul(half, y), y)));
    return y;
}

}  // namespace detail

// As IEEE: x / 0 is an infinity, 0 / 0 is NaN. On the device within 2 units in the last place.
HEX_HVX f32x32 div(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return detail::of_lanes(detail::as_lanes(a) / detail::as_lanes(b));
#else
    return detail::divide_by_newton(a, b);
#endif
}

// 1 / sqrt(x). REQUIRES: x > 0, not subnormal.
HEX_HVX f32x32 inverse_sqrt(f32x32 x) {
#if HEX_F32_LANES && !HEX_HVX_DEVICE
    return detail::of_lanes(1.0f / __builtin_elementwise_sqrt(detail::as_lanes(x)));
#else
    return detail::inverse_sqrt_by_newton(x);
#endif
}

}  // namespace hexane::hvx
