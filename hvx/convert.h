// hvx/convert.h -- between element types, in natural lane order. Rounding is to nearest, ties to even.
#pragma once

#include "hvx/float.h"
#include "hvx/permute.h"
#include "hvx/scalar_convert.h"

namespace hexane::hvx {

namespace detail {

// f16 -> f32 with integer operations and one exact f32 subtraction (F. Giesen, "half to float done quick"), on words that hold
// a halfword each. NaN becomes quiet.
HEX_HVX f32x32 widen_f16_words(u32x32 h) {
    const auto magnitude = shift_left(bit_and(h, splat<u32x32>(0x7fffu)), 13);
    const auto exponent = bit_and(magnitude, splat<u32x32>(0x7c00u << 13));
    const auto sign = shift_left(bit_and(h, splat<u32x32>(0x8000u)), 16);
    const auto normal = add(magnitude, splat<u32x32>(112u << 23));
    const auto special = add(normal, splat<u32x32>(112u << 23));
    const auto subnormal = sub(bits_as<f32x32>(add(normal, splat<u32x32>(1u << 23))), splat<f32x32>(0x1p-14f));
    auto r = select(equal(exponent, splat<u32x32>(0x7c00u << 13)), special, normal);
    r = select(equal(exponent, splat<u32x32>(0)), bits_as<u32x32>(subnormal), r);
    const auto nan = greater(magnitude, splat<u32x32>(0x7c00u << 13));
    r = select(nan, bit_or(r, splat<u32x32>(0x00400000u)), r);
    return bits_as<f32x32>(bit_or(r, sign));
}

// f32 -> f16 in the low half of each word, as f32_to_f16 in hvx/scalar_convert.h.
HEX_HVX u32x32 narrow_to_f16_words(f32x32 x) {
    const auto bits = bits_as<u32x32>(x);
    const auto sign = bit_and(shift_right(bits, 16), splat<u32x32>(0x8000u));
    const auto magnitude = bit_and(bits, splat<u32x32>(0x7fffffffu));
    const auto odd = bit_and(shift_right(magnitude, 13), splat<u32x32>(1));
    const auto normal = shift_right(add(add(sub(magnitude, splat<u32x32>(112u << 23)), splat<u32x32>(0xfff)), odd), 13);
    // The sum's unit in the last place is 2^-24, that of a subnormal f16: the addition rounds.
    const auto shifted = add(bits_as<f32x32>(magnitude), splat<f32x32>(0.5f));
    const auto subnormal = sub(bits_as<u32x32>(shifted), splat<u32x32>(0x3f000000u));
    auto r = select(greater(splat<u32x32>(0x38800000u), magnitude), subnormal, normal);
    r = select(greater(magnitude, splat<u32x32>(0x477fffffu)), splat<u32x32>(0x7c00u), r);
    const auto nan_bits = bit_or(splat<u32x32>(0x7e00u), bit_and(shift_right(magnitude, 13), splat<u32x32>(0x3ffu)));
    r = select(greater(magnitude, splat<u32x32>(0x7f800000u)), nan_bits, r);
    return bit_or(r, sign);
}

}  // namespace detail

HEX_HVX f32x32x2 to_f32(f16x64 x) {
#if HEX_PC_AVX512
    union {
        HVX_Vector v;
        __m256i quarter[4];
    } in = {x.v};
    union {
        __m512 half[4];
        HVX_Vector v[2];
    } out;
    for (int i = 0; i < 4; ++i) out.half[i] = _mm512_cvtph_ps(in.quarter[i]);
    return {{out.v[0]}, {out.v[1]}};
#elif HEX_PC_F16C
    union {
        HVX_Vector v;
        __m128i eighth[8];
    } in = {x.v};
    union {
        __m256 quarter[8];
        HVX_Vector v[2];
    } out;
    for (int i = 0; i < 8; ++i) out.quarter[i] = _mm256_cvtph_ps(in.eighth[i]);
    return {{out.v[0]}, {out.v[1]}};
#elif HEX_F32_QFLOAT
    // The product with 1.0 puts even halfwords into the first vector and odd ones into the second; vshuff makes those the halves.
    const HVX_VectorPair w = Q6_Wqf32_vmpy_VhfVhf(Q6_Vh_vshuff_Vh(x.v), Q6_Vh_vsplat_R(0x3c00));
    return {{Q6_Vsf_equals_Vqf32(Q6_V_lo_W(w))}, {Q6_Vsf_equals_Vqf32(Q6_V_hi_W(w))}};
#elif HEX_F32_IEEE
    const HVX_VectorPair w = Q6_Wsf_vcvt_Vhf(Q6_Vh_vshuff_Vh(x.v));
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
#else
    const auto w = widen_unsigned(x);
    return {detail::widen_f16_words(w.lo), detail::widen_f16_words(w.hi)};
#endif
}

HEX_HVX f16x64 to_f16(f32x32 lo, f32x32 hi) {
#if HEX_PC_AVX512
    union {
        HVX_Vector v[2];
        __m512 half[4];
    } in = {{lo.v, hi.v}};
    union {
        __m256i quarter[4];
        HVX_Vector v;
    } out;
    for (int i = 0; i < 4; ++i) out.quarter[i] = _mm512_cvtps_ph(in.half[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return {out.v};
#elif HEX_PC_F16C
    union {
        HVX_Vector v[2];
        __m256 quarter[8];
    } in = {{lo.v, hi.v}};
    union {
        __m128i eighth[8];
        HVX_Vector v;
    } out;
    for (int i = 0; i < 8; ++i) out.eighth[i] = _mm256_cvtps_ph(in.quarter[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return {out.v};
#else
    return pack_low_halves<f16x64>(detail::narrow_to_f16_words(lo), detail::narrow_to_f16_words(hi));
#endif
}

HEX_HVX f32x32x2 to_f32(bf16x64 x) {
    const auto w = widen_unsigned(x);
    return {bits_as<f32x32>(shift_left(w.lo, 16)), bits_as<f32x32>(shift_left(w.hi, 16))};
}

// As ggml rounds; NaN stays NaN (quiet).
HEX_HVX bf16x64 to_bf16(f32x32 lo, f32x32 hi) {
    auto rounded = [](f32x32 x) {
        const auto bits = bits_as<u32x32>(x);
        const auto odd = bit_and(shift_right(bits, 16), splat<u32x32>(1));
        const auto up = add(add(bits, splat<u32x32>(0x7fff)), odd);
        return select(is_nan(x), bit_or(bits, splat<u32x32>(0x00400000u)), up);
    };
    return pack_high_halves<bf16x64>(rounded(lo), rounded(hi));
}

// Exact below 2^24, else to nearest.
HEX_HVX f32x32 to_f32(i32x32 x) {
#if HEX_F32_LANES
    typedef int32_t i32_lanes __attribute__((vector_size(128)));
    return detail::of_lanes(__builtin_convertvector(__builtin_bit_cast(i32_lanes, x.v), detail::f32_lanes));
#else
    return {Q6_Vsf_equals_Vw(x.v)};
#endif
}

// To nearest, ties to even. REQUIRES: |x| < 2^22. Adding 1.5 * 2^23 leaves the integer in the low bits.
HEX_HVX i32x32 to_i32_rounded(f32x32 x) {
    return sub(bits_as<i32x32>(add(x, splat<f32x32>(12582912.0f))), splat<i32x32>(0x4b400000));
}

// Towards zero. Out of range, infinities and NaN: the smallest integer, as x86 has it.
HEX_HVX i32x32 to_i32_truncated(f32x32 x) {
    const auto magnitude = bit_and(bits_as<i32x32>(x), splat<i32x32>(0x7fffffff));
    const auto exponent = sub(shift_right(magnitude, 23), splat<i32x32>(127));
    const auto mantissa = bit_or(bit_and(magnitude, splat<i32x32>(0x007fffff)), splat<i32x32>(0x00800000));
    const auto zero_count = splat<i32x32>(0), most = splat<i32x32>(31);
    const auto right = min(max(sub(splat<i32x32>(23), exponent), zero_count), most);
    const auto left = min(max(sub(exponent, splat<i32x32>(23)), zero_count), most);
    const auto whole = shift_left(shift_right(mantissa, right), left);
    const auto negative = greater(zero_count, bits_as<i32x32>(x));
    const auto r = select(negative, sub(zero_count, whole), whole);
    return select(greater(exponent, splat<i32x32>(30)), splat<i32x32>(INT32_MIN), r);
}

}  // namespace hexane::hvx
