// virtual/hvx/dot.h -- vrmpy: dot products of four bytes per word, the instruction that quantised matrix products are
// made of.
//
// Exact for all inputs on every level: VNNI's vpdpbusd is the same operation; without it bytes are widened to 16 bits
// before they are multiplied, because vpmaddubsw saturates (255 * 127 + 255 * 127 does not fit 16 bits).
#pragma once

#include "virtual/hvx/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace hexane::virtual_hvx {

// One register of the PC: the largest that has what the dot product needs. A vector is `parts` of them.
#if defined(__AVX512VNNI__) || defined(__AVX512BW__)
using dot_part = __m512i;
#elif defined(__AVX2__)
using dot_part = __m256i;
#elif defined(__x86_64__)
using dot_part = __m128i;
#elif defined(__ARM_NEON)
using dot_part = int32x4_t;
#else
using dot_part = HVX_Vector;
#endif
union dot_parts {
    HVX_Vector whole;
    dot_part part[sizeof(HVX_Vector) / sizeof(dot_part)];
};

#if defined(__AVX512VNNI__)
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) { return _mm512_dpbusd_epi32(acc, u, s); }
#elif defined(__AVX512BW__)
// Even bytes in one product, odd bytes in the other: vpmaddwd adds two of them exactly.
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    const dot_part even =
        _mm512_madd_epi16(_mm512_and_si512(u, _mm512_set1_epi16(0xff)), _mm512_srai_epi16(_mm512_slli_epi16(s, 8), 8));
    const dot_part odd = _mm512_madd_epi16(_mm512_srli_epi16(u, 8), _mm512_srai_epi16(s, 8));
    return _mm512_add_epi32(acc, _mm512_add_epi32(even, odd));
}
#elif defined(__AVX2__) && defined(__AVXVNNI__)
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) { return _mm256_dpbusd_avx_epi32(acc, u, s); }
#elif defined(__AVX2__)
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    const dot_part even =
        _mm256_madd_epi16(_mm256_and_si256(u, _mm256_set1_epi16(0xff)), _mm256_srai_epi16(_mm256_slli_epi16(s, 8), 8));
    const dot_part odd = _mm256_madd_epi16(_mm256_srli_epi16(u, 8), _mm256_srai_epi16(s, 8));
    return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));
}
#elif defined(__x86_64__)
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    const dot_part even =
        _mm_madd_epi16(_mm_and_si128(u, _mm_set1_epi16(0xff)), _mm_srai_epi16(_mm_slli_epi16(s, 8), 8));
    const dot_part odd = _mm_madd_epi16(_mm_srli_epi16(u, 8), _mm_srai_epi16(s, 8));
    return _mm_add_epi32(acc, _mm_add_epi32(even, odd));
}
#elif defined(__ARM_FEATURE_MATMUL_INT8)
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    return vusdotq_s32(acc, vreinterpretq_u8_s32(u), vreinterpretq_s8_s32(s));
}
#elif defined(__ARM_FEATURE_DOTPROD)
// Signed by signed: u = (u ^ 128 as signed) + 128, and 128 * s is added as 2 * (64 * s), the same for every u.
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    const int8x16_t sb = vreinterpretq_s8_s32(s);
    const int32x4_t sum_64 = vdotq_s32(vdupq_n_s32(0), vdupq_n_s8(64), sb);
    const uint8x16_t flipped = veorq_u8(vreinterpretq_u8_s32(u), vdupq_n_u8(128));
    return vdotq_s32(vaddq_s32(acc, vaddq_s32(sum_64, sum_64)), vreinterpretq_s8_u8(flipped), sb);
}
#elif defined(__ARM_NEON)
// Products of 16 bits, added pairwise into 32: 255 * -128 fits.
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    const uint8x16_t ub = vreinterpretq_u8_s32(u);
    const int8x16_t sb = vreinterpretq_s8_s32(s);
    const int16x8_t low = vmulq_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(ub))), vmovl_s8(vget_low_s8(sb)));
    const int16x8_t high = vmulq_s16(vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(ub))), vmovl_s8(vget_high_s8(sb)));
    return vaddq_s32(acc, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
}
#else
HEX_Q6 dot_part dot_accumulate(dot_part acc, dot_part u, dot_part s) {
    uw_lanes sum = (uw_lanes)acc;
    for (int b = 0; b < 4; ++b) {
        const uw_lanes weight = ((uw_lanes)u >> (8 * b)) & 0xff;
        const w_lanes factor = ((w_lanes)s << (24 - 8 * b)) >> 24;
        sum += weight * (uw_lanes)factor;
    }
    return (HVX_Vector)sum;
}
#endif

// The same where every byte of u is at most 127, so that vpmaddubsw cannot saturate: 127 * -128 * 2 fits 16 bits.
#if defined(__AVX512BW__) && !defined(__AVX512VNNI__)
HEX_Q6 dot_part dot_accumulate_u7(dot_part acc, dot_part u, dot_part s) {
    return _mm512_add_epi32(acc, _mm512_madd_epi16(_mm512_maddubs_epi16(u, s), _mm512_set1_epi16(1)));
}
#elif defined(__AVX2__) && !defined(__AVX512BW__) && !defined(__AVXVNNI__)
HEX_Q6 dot_part dot_accumulate_u7(dot_part acc, dot_part u, dot_part s) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(u, s), _mm256_set1_epi16(1)));
}
#elif defined(__SSSE3__) && !defined(__AVX2__)
HEX_Q6 dot_part dot_accumulate_u7(dot_part acc, dot_part u, dot_part s) {
    return _mm_add_epi32(acc, _mm_madd_epi16(_mm_maddubs_epi16(u, s), _mm_set1_epi16(1)));
}
#elif defined(__ARM_FEATURE_DOTPROD)
HEX_Q6 dot_part dot_accumulate_u7(dot_part acc, dot_part u, dot_part s) {
    return vdotq_s32(acc, vreinterpretq_s8_s32(u), vreinterpretq_s8_s32(s));
}
#else
HEX_Q6 dot_part dot_accumulate_u7(dot_part acc, dot_part u, dot_part s) { return dot_accumulate(acc, u, s); }
#endif

HEX_Q6 HVX_Vector dot4_u7(HVX_Vector x, HVX_Vector u, HVX_Vector v) {
    dot_parts acc = {x};
    const dot_parts a = {u}, b = {v};
    for (unsigned i = 0; i < sizeof(HVX_Vector) / sizeof(dot_part); ++i)
        acc.part[i] = dot_accumulate_u7(acc.part[i], a.part[i], b.part[i]);
    return acc.whole;
}

}  // namespace hexane::virtual_hvx

// x.w[i] + sum over b of u.ub[4i + b] * v.b[4i + b], wrapping.
HEX_Q6 HVX_Vector Q6_Vw_vrmpyacc_VwVubVb(HVX_Vector x, HVX_Vector u, HVX_Vector v) {
    using namespace hexane::virtual_hvx;
    dot_parts acc = {x};
    const dot_parts a = {u}, b = {v};
    for (unsigned i = 0; i < sizeof(HVX_Vector) / sizeof(dot_part); ++i)
        acc.part[i] = dot_accumulate(acc.part[i], a.part[i], b.part[i]);
    return acc.whole;
}
// The same with one word of four signed bytes for all lanes.
HEX_Q6 HVX_Vector Q6_Vw_vrmpyacc_VwVubRb(HVX_Vector x, HVX_Vector u, Word32 r) {
    return Q6_Vw_vrmpyacc_VwVubVb(x, u, HVX_Vector{} + r);
}
HEX_Q6 HVX_Vector Q6_Vw_vrmpy_VubVb(HVX_Vector u, HVX_Vector v) { return Q6_Vw_vrmpyacc_VwVubVb(HVX_Vector{}, u, v); }
HEX_Q6 HVX_Vector Q6_Vw_vrmpy_VubRb(HVX_Vector u, Word32 r) {
    return Q6_Vw_vrmpyacc_VwVubVb(HVX_Vector{}, u, HVX_Vector{} + r);
}
