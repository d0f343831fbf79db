// hvx/divide.h -- quotient, reciprocal, square root and its reciprocal, for all numbers as IEEE defines them.
//
// HVX has no instruction for any of them: on Hexagon they are Newton iterations on a linear guess from the bits, with
// the exponent taken apart so that nothing overflows on the way (within 3 units in the last place). The PC divides.
#pragma once

#include "hvx/chain.h"

namespace hexane::hvx {

namespace by_newton {

// -1 / m for m in [1, 2^126], roughly: the guess is off by 5%, two steps i' = i * (2 + m * i) leave 6.5e-6.
HEX_HVX chain near_minus_reciprocal(chain m) {
    // 0x7ef311c3 makes the largest relative error of the straight line 2^-e * (const - mantissa) least; the sign with it.
    const i32x32 guess = sub(splat<i32x32>(static_cast<int32_t>(0xfef311c3u)), bits_as<i32x32>(to_f32(m)));
    chain i = chain_of(bits_as<f32x32>(guess));
    for (int step = 0; step < 2; ++step) i = chain_mul(i, chain_mul_add(splat<f32x32>(2.0f), m, i));
    return i;
}

// The third step as i + i * (1 + m * i), which gives -1 for 1.
HEX_HVX chain minus_reciprocal(chain m) {
    const chain near = near_minus_reciprocal(m);
    const f32x32 i = to_f32(near), rest = to_f32(chain_mul_add(splat<f32x32>(1.0f), m, near));
    return chain_mul_add(i, i, rest);
}
HEX_HVX f32x32 reciprocal_of_normal(f32x32 m) { return neg(to_f32(minus_reciprocal(chain_of(m)))); }

// A number as m * 2^(e - 127) with m in [1, 2); of zero, infinity and NaN the parts mean nothing.
struct apart {
    f32x32 mantissa;
    i32x32 biased_exponent;
};
HEX_HVX apart take_apart(f32x32 x) {
    const i32x32 bits = bits_as<i32x32>(abs(x));
    // The bits of a subnormal number, read as an integer, are the number times 2^149.
    const mask is_tiny = greater(splat<i32x32>(0x00800000), bits);
    const i32x32 normal = select(is_tiny, bits_as<i32x32>(to_f32(bits)), bits);
    const i32x32 biased = sub_where(is_tiny, shift_right(normal, 23), splat<i32x32>(149));
    const i32x32 mantissa = bit_or(bit_and(normal, splat<i32x32>(0x007fffff)), splat<i32x32>(0x3f800000));
    return {bits_as<f32x32>(mantissa), biased};
}

HEX_HVX f32x32 nan() { return bits_as<f32x32>(splat<i32x32>(0x7fc00000)); }
HEX_HVX f32x32 infinity() { return bits_as<f32x32>(splat<i32x32>(0x7f800000)); }

// q * 2^n, rounded once, for q in (1/2, 2] and any n. The first half of the exponent is added to the bits.
HEX_HVX f32x32 times_power(f32x32 q, i32x32 n) {
    const i32x32 inside = max(min(n, splat<i32x32>(252)), splat<i32x32>(-250));
    const i32x32 second = shift_right(inside, 1);
    const i32x32 first = add(bits_as<i32x32>(q), shift_left(sub(inside, second), 23));
    return mul(bits_as<f32x32>(first), power_of_two(second));
}

// Where |a| / |b|, given by their bits, has no value: NaN in one of them, 0 / 0, infinity / infinity.
HEX_HVX mask is_undefined(i32x32 a, i32x32 b) {
    mask m = greater(max(a, b), splat<i32x32>(0x7f800000));
    m = or_equal(m, min(a, b), splat<i32x32>(0x7f800000));
    return or_equal(m, bit_or(a, b), splat<i32x32>(0));
}

// The quotient of mantissas in (1/2, 2) from the rough reciprocal and one step of their own.
HEX_HVX f32x32 quotient_of_mantissas(f32x32 x, f32x32 y) {
    const f32x32 minus_inverse = to_f32(near_minus_reciprocal(chain_of(y)));
    const f32x32 minus_quotient = mul(x, minus_inverse);
    const f32x32 rest = mul_add(x, minus_quotient, y);
    return neg(mul_add(minus_quotient, minus_inverse, rest));
}

// |a / b| for finite numbers other than zero.
HEX_HVX f32x32 finite_quotient(f32x32 a, f32x32 b) {
    const apart x = take_apart(a), y = take_apart(b);
    return times_power(quotient_of_mantissas(x.mantissa, y.mantissa), sub(x.biased_exponent, y.biased_exponent));
}

// a / b, given finite_quotient(a, b).
HEX_HVX f32x32 with_special_quotients(f32x32 finite, f32x32 a, f32x32 b) {
    const i32x32 numerator = bits_as<i32x32>(abs(a)), denominator = bits_as<i32x32>(abs(b));
    const i32x32 zero_bits = splat<i32x32>(0), infinity_bits = splat<i32x32>(0x7f800000);
    const mask to_zero = or_equal(equal(numerator, zero_bits), denominator, infinity_bits);
    f32x32 result = select(to_zero, zero<f32x32>(), finite);
    const mask to_infinity = or_equal(equal(denominator, zero_bits), numerator, infinity_bits);
    result = select(to_infinity, infinity(), result);
    result = bit_or(result, sign_of(bit_xor(a, b)));
    return select(is_undefined(numerator, denominator), bits_as<f32x32>(splat<i32x32>(0x7fffffff)), result);  // a NaN
}

HEX_HVX f32x32 div(f32x32 a, f32x32 b) { return with_special_quotients(finite_quotient(a, b), a, b); }

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
    const i32x32 exponent = sub(p.biased_exponent, splat<i32x32>(127));
    const i32x32 odd = bit_and(exponent, splat<i32x32>(1));
    const f32x32 m = bits_as<f32x32>(add(bits_as<i32x32>(p.mantissa), shift_left(odd, 23)));
    const i32x32 half_exponent = shift_right(sub(exponent, odd), 1);
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
    return by_newton::reciprocal_of_normal(min_of_numbers(splat<f32x32>(0x1p126f), x));
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
