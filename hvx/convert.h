// hvx/convert.h -- f16 and bf16 to f32 and back, in natural lane order: lanes 0..31 in lo, 32..63 in hi.
#pragma once

#include "hvx/convert_by_halves.h"
#include "hvx/float32.h"
#include "hvx/permute.h"

namespace hexane::hvx {

// By integer operations, exact for every value; for dialects without an IEEE instruction, and a model for those that
// have one.
namespace by_bits {

// One vector of f16 bits, zero-extended to words, as f32. A signalling NaN becomes quiet.
HEX_HVX f32x32 f16_to_f32(u32x32 half) {
    const i32x32 magnitude = bits_as<i32x32>(bit_and(half, splat<u32x32>(0x7fff)));
    const i32x32 sign = bits_as<i32x32>(shift_left(bit_and(half, splat<u32x32>(0x8000)), 16));
    const i32x32 shifted = shift_left(magnitude, 13);
    const i32x32 normal = add(shifted, splat<i32x32>(112 << 23));  // the exponent's bias grows from 15 to 127
    // Subnormal: the leading one goes to bit 23. Zero has none.
    const i32x32 up = sub(leading_zeros(bits_as<u32x32>(magnitude)), splat<i32x32>(8));
    const i32x32 tiny = add(shift_left(magnitude, up), shift_left(sub(splat<i32x32>(125), up), 23));
    const mask is_tiny = greater(splat<i32x32>(0x0400), magnitude);
    const mask is_nothing = equal(magnitude, splat<i32x32>(0));
    const mask is_special = greater(magnitude, splat<i32x32>(0x7bff));
    const mask is_nan = greater(magnitude, splat<i32x32>(0x7c00));
    const i32x32 special = bit_or(bit_or(shifted, splat<i32x32>(0x7f800000)), keep(is_nan, splat<i32x32>(0x00400000)));
    const i32x32 finite = select(is_tiny, select(is_nothing, magnitude, tiny), normal);
    return bits_as<f32x32>(bit_or(select(is_special, special, finite), sign));
}

// The f16 bits in the low half of each word. To nearest, ties to even; too large becomes infinity, NaN stays NaN
// (quiet).
HEX_HVX u32x32 f32_to_f16(f32x32 value) {
    const i32x32 bits = bits_as<i32x32>(value);
    const i32x32 magnitude = bit_and(bits, splat<i32x32>(0x7fffffff));
    const u32x32 sign = bit_and(shift_right(bits_as<u32x32>(bits), 16), splat<u32x32>(0x8000));
    // A normal result drops 13 bits; a subnormal one more, so that the last bit kept is worth 2^-24. 31 drops
    // everything.
    const mask is_tiny = greater(splat<i32x32>(0x38800000), magnitude);
    const i32x32 mantissa = bit_or(bit_and(magnitude, splat<i32x32>(0x007fffff)), splat<i32x32>(0x00800000));
    const i32x32 kept = select(is_tiny, mantissa, sub(magnitude, splat<i32x32>(112 << 23)));
    const i32x32 more = min(sub(splat<i32x32>(126), shift_right(magnitude, 23)), splat<i32x32>(31));
    const i32x32 drop = select(is_tiny, more, splat<i32x32>(13));
    const i32x32 odd = bit_and(shift_right(kept, drop), splat<i32x32>(1));
    const i32x32 half = shift_left(splat<i32x32>(1), sub(drop, splat<i32x32>(1)));
    const i32x32 finite = shift_right(add(add(kept, half), sub(odd, splat<i32x32>(1))), drop);
    const i32x32 payload = bit_and(shift_right(magnitude, 13), splat<i32x32>(0x3ff));
    const i32x32 nan = bit_or(payload, splat<i32x32>(0x7e00));
    const mask is_large = greater(magnitude, splat<i32x32>(0x477fffff));
    const mask is_nan = greater(magnitude, splat<i32x32>(0x7f800000));
    const i32x32 result = select(is_nan, nan, select(is_large, splat<i32x32>(0x7c00), finite));
    return bit_or(bits_as<u32x32>(result), sign);
}

HEX_HVX f32x32x2 to_f32(f16x64 x) {
    const pair<u32x32> halves = widen_unsigned(x);
    return {f16_to_f32(halves.lo), f16_to_f32(halves.hi)};
}
HEX_HVX f16x64 to_f16(f32x32 lo, f32x32 hi) { return pack_low_halves<f16x64>(f32_to_f16(lo), f32_to_f16(hi)); }

}  // namespace by_bits

#if HEX_PC_F16C
namespace detail {
// The parts of a vector that one conversion instruction reads or writes.
#if HEX_PC_AVX512
using f32_part = __m512;
using f16_part = __m256i;
HEX_HVX f32_part widen(f16_part x) { return _mm512_cvtph_ps(x); }
HEX_HVX f16_part narrow(f32_part x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#else
using f32_part = __m256;
using f16_part = __m128i;
HEX_HVX f32_part widen(f16_part x) { return _mm256_cvtph_ps(x); }
HEX_HVX f16_part narrow(f32_part x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#endif
constexpr int parts = vector_bytes / sizeof(f32_part);
union f32_parts {
    HVX_Vector whole;
    f32_part part[parts];
};
union f16_parts {
    HVX_Vector whole;
    f16_part part[2 * parts];
};
}  // namespace detail
#endif

#if !HEX_HVX_DEVICE && defined(__aarch64__)
namespace detail {
// Every 64-bit ARM converts half floats; the vector extension knows how.
typedef _Float16 f16_lanes __attribute__((vector_size(128)));
typedef float f32_pair_lanes __attribute__((vector_size(256)));
union f32_pair_parts {
    HVX_Vector whole[2];
    f32_pair_lanes lanes;
};
}  // namespace detail
#endif

// Whether Hexagon has no instruction for it: then loops may take conversions in parts.
inline constexpr bool converts_by_halves = HEX_HVX_DEVICE && !HEX_F32_IEEE;

// Exact. vcvtph2ps or fcvtl on the PC; Q6_Wsf_vcvt_Vhf and a shuffle on v79; by halves on v73, by bits elsewhere.
HEX_HVX f32x32x2 to_f32(f16x64 x) {
#if HEX_PC_F16C
    const detail::f16_parts halves = {x.v};
    detail::f32_parts lo, hi;
    for (int i = 0; i < detail::parts; ++i) {
        lo.part[i] = detail::widen(halves.part[i]);
        hi.part[i] = detail::widen(halves.part[detail::parts + i]);
    }
    return {{lo.whole}, {hi.whole}};
#elif !HEX_HVX_DEVICE && defined(__aarch64__)
    detail::f32_pair_parts wide;
    wide.lanes = __builtin_convertvector((detail::f16_lanes)x.v, detail::f32_pair_lanes);
    return {{wide.whole[0]}, {wide.whole[1]}};
#elif HEX_F32_IEEE
    const HVX_VectorPair even_odd = Q6_Wsf_vcvt_Vhf(x.v);
    return interleave_words(f32x32{Q6_V_lo_W(even_odd)}, f32x32{Q6_V_hi_W(even_odd)});
#elif HEX_HVX_DEVICE
    return by_halves::to_f32(x);
#else
    return by_bits::to_f32(x);
#endif
}

// To nearest even, overflow to infinity, NaN stays NaN. vcvtps2ph or fcvtn on the PC; Q6_Vhf_vcvt_VsfVsf and
// Q6_Vh_vdeal_Vh on v79.
HEX_HVX f16x64 to_f16(f32x32 lo, f32x32 hi) {
#if HEX_PC_F16C
    const detail::f32_parts first = {lo.v}, second = {hi.v};
    detail::f16_parts halves;
    for (int i = 0; i < detail::parts; ++i) {
        halves.part[i] = detail::narrow(first.part[i]);
        halves.part[detail::parts + i] = detail::narrow(second.part[i]);
    }
    return {halves.whole};
#elif !HEX_HVX_DEVICE && defined(__aarch64__)
    const detail::f32_pair_parts wide = {{lo.v, hi.v}};
    return {(HVX_Vector) __builtin_convertvector(wide.lanes, detail::f16_lanes)};
#elif HEX_F32_IEEE
    return {Q6_Vh_vdeal_Vh(Q6_Vhf_vcvt_VsfVsf(hi.v, lo.v))};
#elif HEX_HVX_DEVICE
    return by_halves::to_f16(lo, hi);
#else
    return by_bits::to_f16(lo, hi);
#endif
}
HEX_HVX f16x64 to_f16(f32x32x2 x) { return to_f16(x.lo, x.hi); }

// Exact: the halfword becomes the upper half. Q6_Wuw_vunpack_Vuh, Q6_Vw_vasl_VwR.
HEX_HVX f32x32x2 to_f32(bf16x64 x) {
    const pair<u32x32> halves = widen_unsigned(x);
    return {bits_as<f32x32>(shift_left(halves.lo, 16)), bits_as<f32x32>(shift_left(halves.hi, 16))};
}

namespace detail {
// The bf16 number in the upper half, below it anything.
HEX_HVX u32x32 round_to_bf16(f32x32 x) {
    const u32x32 bits = bits_as<u32x32>(x);
    const u32x32 odd = bit_and(shift_right(bits, 16), splat<u32x32>(1));
    const u32x32 quiet = bit_or(bits, splat<u32x32>(0x00400000));
    return select(is_nan(x), quiet, add(bits, add(odd, splat<u32x32>(0x7fff))));
}
}  // namespace detail

// To nearest even, NaN made quiet: the result of ggml_compute_fp32_to_bf16. Q6_Vh_vpacko_VwVw.
HEX_HVX bf16x64 to_bf16(f32x32 lo, f32x32 hi) {
    return pack_high_halves<bf16x64>(detail::round_to_bf16(lo), detail::round_to_bf16(hi));
}
HEX_HVX bf16x64 to_bf16(f32x32x2 x) { return to_bf16(x.lo, x.hi); }

}  // namespace hexane::hvx
