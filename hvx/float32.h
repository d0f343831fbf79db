// hvx/float32.h -- f32 arithmetic, compares and conversions to integers.
//
// On the PC and on v79 and later every operation is IEEE, rounded to nearest even. On v73 and v75 it is calculated in
// qf32 and rounded to f32; infinities and NaN are then what the hardware makes of them, and the functions of hvx/math.h
// take care themselves.
#pragma once

#include "hvx/integer.h"
#include "hvx/lane_calls.h"
#include "hvx/qfloat.h"
#include "hvx/types.h"

namespace hexane::hvx {

#if HEX_F32_LANES && !HEX_HVX_DEVICE
typedef float f32_lanes __attribute__((vector_size(128)));
typedef int32_t i32_lanes __attribute__((vector_size(128)));
HEX_HVX f32_lanes smaller(f32_lanes a, f32_lanes b) { return a < b ? a : b; }
HEX_HVX f32_lanes larger(f32_lanes a, f32_lanes b) { return a > b ? a : b; }
HEX_HVX f32_lanes lanes_of_integers(HVX_Vector a) { return __builtin_convertvector((i32_lanes)a, f32_lanes); }
#endif
#if HEX_F32_LANES
HEX_HVX f32_lanes as_lanes(f32x32 x) { return (f32_lanes)x.v; }
HEX_HVX f32x32 from_lanes(f32_lanes x) { return {(HVX_Vector)x}; }
#endif

#if HEX_PC_X86
// The largest register of the level, with the conversion that has a meaning for every input (the vector extension's has
// not).
#if defined(__AVX512F__)
using x86_f32 = __m512;
using x86_i32 = __m512i;
HEX_HVX x86_i32 x86_truncate(x86_f32 x) { return _mm512_cvttps_epi32(x); }
#elif defined(__AVX__)
using x86_f32 = __m256;
using x86_i32 = __m256i;
HEX_HVX x86_i32 x86_truncate(x86_f32 x) { return _mm256_cvttps_epi32(x); }
#else
using x86_f32 = __m128;
using x86_i32 = __m128i;
HEX_HVX x86_i32 x86_truncate(x86_f32 x) { return _mm_cvttps_epi32(x); }
#endif
#endif

// Q6_Vsf_vadd_VsfVsf, Q6_Vsf_vsub_VsfVsf, Q6_Vsf_vmpy_VsfVsf (v79); Q6_Vqf32_* and Q6_Vsf_equals_Vqf32 (v73).
HEX_HVX f32x32 add(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(as_lanes(a) + as_lanes(b));
#elif HEX_F32_QFLOAT
    return to_f32(add_qf(a, b));
#else
    return {Q6_Vsf_vadd_VsfVsf(a.v, b.v)};
#endif
}
HEX_HVX f32x32 sub(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(as_lanes(a) - as_lanes(b));
#elif HEX_F32_QFLOAT
    return to_f32(sub_qf(a, b));
#else
    return {Q6_Vsf_vsub_VsfVsf(a.v, b.v)};
#endif
}
HEX_HVX f32x32 mul(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(as_lanes(a) * as_lanes(b));
#elif HEX_F32_QFLOAT
    return to_f32(mul_qf(a, b));
#else
    return {Q6_Vsf_vmpy_VsfVsf(a.v, b.v)};
#endif
}

// acc + a * b. How often it rounds differs: once where the PC has FMA and on v73 (the product stays qf32), twice
// elsewhere.
HEX_HVX f32x32 mul_add(f32x32 acc, f32x32 a, f32x32 b) {
#if HEX_F32_LANES && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
    return from_lanes(__builtin_elementwise_fma(as_lanes(a), as_lanes(b), as_lanes(acc)));
#elif HEX_F32_QFLOAT
    return to_f32(add_qf(mul_qf(a, b), acc));
#else
    return add(acc, mul(a, b));
#endif
}

// The sign bit turned, cleared, or taken from another number. NaN included. Q6_V_vxor_VV, Q6_V_vand_VV.
HEX_HVX f32x32 sign_of(f32x32 a) { return bit_and(a, splat<f32x32>(-0.0f)); }
HEX_HVX f32x32 neg(f32x32 a) { return bit_xor(a, splat<f32x32>(-0.0f)); }
HEX_HVX f32x32 abs(f32x32 a) { return bits_as<f32x32>(bit_and(bits_as<i32x32>(a), splat<i32x32>(0x7fffffff))); }
HEX_HVX f32x32 copy_sign(f32x32 magnitude, f32x32 sign) { return bit_or(abs(magnitude), sign_of(sign)); }

// a < b ? a : b and a > b ? a : b: with a NaN on either side the PC returns b, a device one of them. What a NaN must come through:
// at_most, at_least, clamp (hvx/math.h).
// Q6_Vsf_vmin_VsfVsf, Q6_Vsf_vmax_VsfVsf.
HEX_HVX f32x32 min_of_numbers(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(smaller(as_lanes(a), as_lanes(b)));
#else
    return {Q6_Vsf_vmin_VsfVsf(a.v, b.v)};
#endif
}
HEX_HVX f32x32 max_of_numbers(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return from_lanes(larger(as_lanes(a), as_lanes(b)));
#else
    return {Q6_Vsf_vmax_VsfVsf(a.v, b.v)};
#endif
}

// Q6_Q_vcmp_gt_VsfVsf. No NaN is greater or less.
HEX_HVX mask greater(f32x32 a, f32x32 b) {
#if HEX_F32_LANES
    return greater(i32x32{}, i32x32{(HVX_Vector)(as_lanes(a) > as_lanes(b))});  // all ones is -1
#else
    return {Q6_Q_vcmp_gt_VsfVsf(a.v, b.v)};
#endif
}
HEX_HVX mask less(f32x32 a, f32x32 b) { return greater(b, a); }

// By the bits, so that it holds on every device.
HEX_HVX mask is_nan(f32x32 a) { return greater(bits_as<i32x32>(abs(a)), splat<i32x32>(0x7f800000)); }
HEX_HVX mask is_infinite(f32x32 a) { return equal(bits_as<i32x32>(abs(a)), splat<i32x32>(0x7f800000)); }
HEX_HVX mask is_zero(f32x32 a) { return equal(bits_as<i32x32>(abs(a)), splat<i32x32>(0)); }

// Rounded to nearest even where |a| > 2^24. Q6_Vsf_equals_Vw.
HEX_HVX f32x32 to_f32(i32x32 a) {
#if HEX_F32_LANES
    return from_lanes(lanes_of_integers(a.v));
#else
    return {Q6_Vsf_equals_Vw(a.v)};
#endif
}

namespace by_bits {
// Towards zero, as to_i32_truncated, with integer operations.
HEX_HVX i32x32 to_i32_truncated(f32x32 a) {
    const i32x32 bits = bits_as<i32x32>(abs(a));
    const i32x32 mantissa = bit_or(bit_and(bits, splat<i32x32>(0x007fffff)), splat<i32x32>(0x00800000));
    const i32x32 exponent = sub(shift_right(bits, 23), splat<i32x32>(127));
    const i32x32 unlimited = sub(splat<i32x32>(30), exponent);
    const i32x32 drop = max(min(unlimited, splat<i32x32>(31)), splat<i32x32>(0));  // 31 drops everything: |a| < 1
    const i32x32 magnitude = shift_right(shift_left(mantissa, 7), drop);
    const i32x32 sign = shift_right(bits_as<i32x32>(a), 31);
    const i32x32 in_range = sub(bit_xor(magnitude, sign), sign);
    return select(greater(splat<i32x32>(0), unlimited), splat<i32x32>(INT32_MIN), in_range);
}
}  // namespace by_bits

// Towards zero. Out of range, infinite or NaN: the smallest integer, as x86 has it. vcvttps2dq on x86. Hexagon goes by
// the bits: how Q6_Vw_equals_Vsf rounds is documented nowhere in the open, and clang does not use it for this
// conversion either.
HEX_HVX i32x32 to_i32_truncated(f32x32 a) {
#if HEX_PC_X86
    union parts {
        HVX_Vector whole;
        x86_f32 f[vector_bytes / sizeof(x86_f32)];
        x86_i32 i[vector_bytes / sizeof(x86_f32)];
    } x = {a.v};
    for (unsigned k = 0; k < vector_bytes / sizeof(x86_f32); ++k) x.i[k] = x86_truncate(x.f[k]);
    return {x.whole};
#else
    return by_bits::to_i32_truncated(a);
#endif
}

// A whole number as both types.
struct whole {
    i32x32 i;
    f32x32 f;
};

// To nearest, ties to even. REQUIRES: |a| <= 2^22, else any value (but no trap: NaN is allowed where the result is not
// used). IEEE dialects: adding 1.5 * 2^23 leaves no fraction bits, and the integer stands in the low bits of the sum.
HEX_HVX whole round_whole(f32x32 a) {
#if HEX_F32_QFLOAT
    // qf32 does not promise the rounding of that sum: truncate, then look at the fraction, which is exact.
    const i32x32 truncated = to_i32_truncated(a);
    const i32x32 fraction = bits_as<i32x32>(abs(sub(a, to_f32(truncated))));
    const i32x32 half = splat<i32x32>(0x3f000000);
    const mask odd = equal(bit_and(truncated, splat<i32x32>(1)), splat<i32x32>(1));
    const mask away = either(greater(fraction, half), both(equal(fraction, half), odd));
    const i32x32 one = bit_or(shift_right(bits_as<i32x32>(a), 31), splat<i32x32>(1));  // with the sign of a
    const i32x32 rounded = add(truncated, keep(away, one));
    return {rounded, to_f32(rounded)};
#else
    const f32x32 magic = splat<f32x32>(12582912.0f);
    const f32x32 sum = add(a, magic);
    return {sub(bits_as<i32x32>(sum), bits_as<i32x32>(magic)), sub(sum, magic)};
#endif
}
HEX_HVX i32x32 to_i32_nearest(f32x32 a) { return round_whole(a).i; }

// 2^n as a number. REQUIRES: n in -126..127.
HEX_HVX f32x32 power_of_two(i32x32 n) { return bits_as<f32x32>(shift_left(add(n, splat<i32x32>(127)), 23)); }

// x * 2^n with the right rounding into subnormals, zero and infinity. REQUIRES: n.i in -252..254. Two steps, because
// 2^n alone may not be a number.
HEX_HVX f32x32 scale_by_power(f32x32 x, whole n) {
#if HEX_PC_AVX512
    union parts {
        HVX_Vector whole_vector;
        __m512 half[2];
    };
    parts value = {x.v};
    const parts exponent = {n.f.v};
    for (int i = 0; i < 2; ++i) value.half[i] = _mm512_scalef_ps(value.half[i], exponent.half[i]);
    return {value.whole_vector};
#else
    const i32x32 first = shift_right(n.i, 1);
    return mul(mul(x, power_of_two(first)), power_of_two(sub(n.i, first)));
#endif
}

// Lane 0. Q6_R_vextract_VR.
HEX_HVX float first_lane(f32x32 x) {
#if HEX_HVX_DEVICE
    return __builtin_bit_cast(float, Q6_R_vextract_VR(x.v, 0));
#else
    return as_lanes(x)[0];
#endif
}
HEX_HVX int32_t first_lane(i32x32 x) {
#if HEX_HVX_DEVICE
    return Q6_R_vextract_VR(x.v, 0);
#else
    return x.v[0];
#endif
}

}  // namespace hexane::hvx
