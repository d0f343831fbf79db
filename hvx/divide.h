// hvx/divide.h -- quotient, reciprocal, square root and its reciprocal, for all numbers as IEEE defines them.
//
// HVX has no instruction for any of them: on Hexagon they are Newton iterations on a linear guess from the bits, with
// the exponent taken apart so that nothing overflows on the way (within 3 units in the last place). The PC divides.
#pragma once

#include "hvx/float32.h"

namespace hexane::hvx {

namespace by_newton {

// 1 / m for m in [1, 2^126]. The guess is off by 12%, three steps bring it to rounding: i' = i + i * (1 - m * i).
HEX_HVX f32x32 reciprocal_of_normal(f32x32 m) {
    const f32x32 one = splat<f32x32>(1.0f);
    // 0x7ef311c3 makes the largest relative error of the straight line 2^-e * (const - mantissa) least.
    f32x32 i = bits_as<f32x32>(sub(splat<i32x32>(0x7ef311c3), bits_as<i32x32>(m)));
    for (int step = 0; step < 3; ++step) i = mul_add(i, i, sub(one, mul(m, i)));
    return i;
}

// A number as m * 2^e with m in [1, 2); of zero, infinity and NaN the parts mean nothing.
struct apart {
    f32x32 mantissa;
    i32x32 exponent;
};
HEX_HVX apart take_apart(f32x32 x) {
    const i32x32 bits = bits_as<i32x32>(abs(x));
    // Subnormal: shift the leading one to bit 23 and count.
    const mask is_tiny = greater(splat<i32x32>(0x00800000), bits);
    const i32x32 up = sub(leading_zeros(bits_as<u32x32>(bits)), splat<i32x32>(8));
    const i32x32 shifted = select(is_tiny, shift_left(bits, up), bits);
    const i32x32 exponent =
        select(is_tiny, sub(splat<i32x32>(-126), up), sub(shift_right(bits, 23), splat<i32x32>(127)));
    const i32x32 mantissa = bit_or(bit_and(shifted, splat<i32x32>(0x007fffff)), splat<i32x32>(0x3f800000));
    return {bits_as<f32x32>(mantissa), exponent};
}

HEX_HVX f32x32 nan() { return bits_as<f32x32>(splat<i32x32>(0x7fc00000)); }
HEX_HVX f32x32 infinity() { return bits_as<f32x32>(splat<i32x32>(0x7f800000)); }

HEX_HVX whole clamped_whole(i32x32 n, int32_t limit) {
    const i32x32 i = max(min(n, splat<i32x32>(limit)), splat<i32x32>(-limit));
    return {i, to_f32(i)};
}

HEX_HVX f32x32 div(f32x32 a, f32x32 b) {
    const apart x = take_apart(a), y = take_apart(b);
    const f32x32 inverse = reciprocal_of_normal(y.mantissa);
    f32x32 quotient = mul(x.mantissa, inverse);
    quotient = mul_add(quotient, inverse, sub(x.mantissa, mul(quotient, y.mantissa)));
    const f32x32 finite = scale_by_power(quotient, clamped_whole(sub(x.exponent, y.exponent), 252));
    const mask to_zero = either(is_zero(a), is_infinite(b));
    const mask to_infinity = either(is_infinite(a), is_zero(b));
    f32x32 result = select(to_infinity, infinity(), select(to_zero, zero<f32x32>(), finite));
    result = bit_or(result, sign_of(bit_xor(a, b)));
    const mask undefined = either(both(to_zero, to_infinity), either(is_nan(a), is_nan(b)));
    return select(undefined, nan(), result);
}

// 1 / sqrt(m) for m in [1, 4): y' = y + y * (1/2 - m/2 * y * y), from the guess that Lomont published ("Fast Inverse
// Square Root", 2003).
HEX_HVX f32x32 rsqrt_of_normal(f32x32 m) {
    const f32x32 half = splat<f32x32>(0.5f);
    const f32x32 half_m = mul(m, half);
    f32x32 y = bits_as<f32x32>(sub(splat<i32x32>(0x5f375a86), shift_right(bits_as<i32x32>(m), 1)));
    for (int step = 0; step < 3; ++step) y = mul_add(y, y, sub(half, mul(mul(half_m, y), y)));
    return y;
}

struct square_root {
    f32x32 root;
    f32x32 inverse;
};
HEX_HVX square_root sqrt_both(f32x32 x) {
    // x = m * 2^e with e even, m in [1, 4).
    const apart p = take_apart(x);
    const i32x32 odd = bit_and(p.exponent, splat<i32x32>(1));
    const f32x32 m = bits_as<f32x32>(add(bits_as<i32x32>(p.mantissa), shift_left(odd, 23)));
    const i32x32 half_exponent = shift_right(sub(p.exponent, odd), 1);
    const f32x32 y = rsqrt_of_normal(m);
    f32x32 root = mul(m, y);
    root = mul_add(root, mul(y, splat<f32x32>(0.5f)), sub(m, mul(root, root)));
    const f32x32 up = power_of_two(half_exponent);
    const f32x32 down = power_of_two(sub(splat<i32x32>(0), half_exponent));
    return {mul(root, up), mul(y, down)};
}
HEX_HVX mask is_negative(f32x32 x) {  // below zero, and not -0
    return greater(splat<i32x32>(0), bits_as<i32x32>(select(is_zero(x), zero<f32x32>(), x)));
}
HEX_HVX f32x32 sqrt(f32x32 x) {
    const f32x32 same = select(either(is_zero(x), is_infinite(x)), x, sqrt_both(x).root);
    return select(either(is_nan(x), is_negative(x)), nan(), same);
}
HEX_HVX f32x32 rsqrt(f32x32 x) {
    const f32x32 at_zero = bit_or(infinity(), sign_of(x));
    const f32x32 positive = select(is_infinite(x), zero<f32x32>(), sqrt_both(x).inverse);
    const f32x32 result = select(is_zero(x), at_zero, positive);
    return select(either(is_nan(x), is_negative(x)), nan(), result);
}

}  // namespace by_newton

// a / b. x / 0 is infinite, 0 / 0 is NaN.
HEX_HVX f32x32 div(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(as_lanes(a) / as_lanes(b));
#else
    return by_newton::div(a, b);
#endif
}
HEX_HVX f32x32 reciprocal(f32x32 x) { return div(splat<f32x32>(1.0f), x); }

// 1 / x for x >= 1, to 2^126 at least: the short form, without special cases but NaN. Above 2^126 the result is at most
// 2^-126.
HEX_HVX f32x32 reciprocal_above_one(f32x32 x) {
#if HEX_F32_LANES
    return reciprocal(x);
#else
    return by_newton::reciprocal_of_normal(min(splat<f32x32>(0x1p126f), x));
#endif
}

// NaN for negative numbers; sqrt(-0) is -0 and rsqrt(+-0) +-infinity.
HEX_HVX f32x32 sqrt(f32x32 x) {
#if HEX_HVX_DEVICE
    return by_newton::sqrt(x);
#else
    return from_lanes(__builtin_elementwise_sqrt(as_lanes(x)));
#endif
}
HEX_HVX f32x32 rsqrt(f32x32 x) {
#if HEX_HVX_DEVICE
    return by_newton::rsqrt(x);
#else
    return reciprocal(sqrt(x));
#endif
}

}  // namespace hexane::hvx
