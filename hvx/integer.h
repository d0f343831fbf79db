// hvx/integer.h -- splat, logic, integer arithmetic, compares, selection, and the dot product of quantised weights.
#pragma once

#include "hvx/types.h"

namespace hexane::hvx {

#if !HEX_HVX_DEVICE
namespace detail {
typedef uint16_t u16_lanes __attribute__((vector_size(128)));
typedef int16_t i16_lanes __attribute__((vector_size(128)));
}  // namespace detail
#endif

// All lanes the same: Q6_V_vsplat_R, Q6_Vh_vsplat_R, Q6_Vb_vsplat_R. f16 and bf16 lanes are given by their bits.
template <storable V> HEX_HVX V splat(typename V::lane x) {
    if constexpr (sizeof(x) == 4) {
        return {Q6_V_vsplat_R(__builtin_bit_cast(int32_t, x))};
    } else if constexpr (sizeof(x) == 2) {
        return {Q6_Vh_vsplat_R(x)};
    } else {
        return {Q6_Vb_vsplat_R(x)};
    }
}
// x, of which a loop that contains this calculates nothing in advance.
template <storable V> HEX_HVX V as_if_new(V x) {
#if HEX_HVX_DEVICE
    asm volatile("" : "+v"(x.v));
#endif
    return x;
}
template <storable V> HEX_HVX V zero() { return {Q6_V_vzero()}; }

// Bits: Q6_V_vand_VV, Q6_V_vor_VV, Q6_V_vxor_VV, Q6_V_vnot_V.
template <storable V> HEX_HVX V bit_and(V a, V b) { return {Q6_V_vand_VV(a.v, b.v)}; }
template <storable V> HEX_HVX V bit_or(V a, V b) { return {Q6_V_vor_VV(a.v, b.v)}; }
template <storable V> HEX_HVX V bit_xor(V a, V b) { return {Q6_V_vxor_VV(a.v, b.v)}; }
template <storable V> HEX_HVX V bit_not(V a) { return {Q6_V_vnot_V(a.v)}; }

// Wrapping: Q6_Vw_vadd_VwVw, Q6_Vh_vadd_VhVh, Q6_Vb_vadd_VbVb and the same of vsub.
HEX_HVX i32x32 add(i32x32 a, i32x32 b) { return {Q6_Vw_vadd_VwVw(a.v, b.v)}; }
HEX_HVX u32x32 add(u32x32 a, u32x32 b) { return {Q6_Vw_vadd_VwVw(a.v, b.v)}; }
HEX_HVX i16x64 add(i16x64 a, i16x64 b) { return {Q6_Vh_vadd_VhVh(a.v, b.v)}; }
HEX_HVX i8x128 add(i8x128 a, i8x128 b) { return {Q6_Vb_vadd_VbVb(a.v, b.v)}; }
HEX_HVX i32x32 sub(i32x32 a, i32x32 b) { return {Q6_Vw_vsub_VwVw(a.v, b.v)}; }
HEX_HVX u32x32 sub(u32x32 a, u32x32 b) { return {Q6_Vw_vsub_VwVw(a.v, b.v)}; }
HEX_HVX i16x64 sub(i16x64 a, i16x64 b) { return {Q6_Vh_vsub_VhVh(a.v, b.v)}; }
HEX_HVX i8x128 sub(i8x128 a, i8x128 b) { return {Q6_Vb_vsub_VbVb(a.v, b.v)}; }

// Q6_Vw_vmin_VwVw and so on.
HEX_HVX i32x32 min(i32x32 a, i32x32 b) { return {Q6_Vw_vmin_VwVw(a.v, b.v)}; }
HEX_HVX i16x64 min(i16x64 a, i16x64 b) { return {Q6_Vh_vmin_VhVh(a.v, b.v)}; }
HEX_HVX i8x128 min(i8x128 a, i8x128 b) { return {Q6_Vb_vmin_VbVb(a.v, b.v)}; }
HEX_HVX u8x128 min(u8x128 a, u8x128 b) { return {Q6_Vub_vmin_VubVub(a.v, b.v)}; }
HEX_HVX i32x32 max(i32x32 a, i32x32 b) { return {Q6_Vw_vmax_VwVw(a.v, b.v)}; }
HEX_HVX i16x64 max(i16x64 a, i16x64 b) { return {Q6_Vh_vmax_VhVh(a.v, b.v)}; }
HEX_HVX i8x128 max(i8x128 a, i8x128 b) { return {Q6_Vb_vmax_VbVb(a.v, b.v)}; }
HEX_HVX u8x128 max(u8x128 a, u8x128 b) { return {Q6_Vub_vmax_VubVub(a.v, b.v)}; }

// Q6_Vw_vabs_Vw: wraps for the smallest value.
HEX_HVX i32x32 abs(i32x32 a) { return {Q6_Vw_vabs_Vw(a.v)}; }

// One count for all lanes, below the lane width: Q6_Vw_vasl_VwR, Q6_Vw_vasr_VwR, Q6_Vuw_vlsr_VuwR and the halfword
// forms. A right shift keeps the sign of signed lanes and fills unsigned ones with zeros.
HEX_HVX i32x32 shift_left(i32x32 a, int count) { return {Q6_Vw_vasl_VwR(a.v, count)}; }
HEX_HVX u32x32 shift_left(u32x32 a, int count) { return {Q6_Vw_vasl_VwR(a.v, count)}; }
HEX_HVX i16x64 shift_left(i16x64 a, int count) { return {Q6_Vh_vasl_VhR(a.v, count)}; }
HEX_HVX i32x32 shift_right(i32x32 a, int count) { return {Q6_Vw_vasr_VwR(a.v, count)}; }
HEX_HVX u32x32 shift_right(u32x32 a, int count) { return {Q6_Vuw_vlsr_VuwR(a.v, count)}; }
HEX_HVX i16x64 shift_right(i16x64 a, int count) { return {Q6_Vh_vasr_VhR(a.v, count)}; }
HEX_HVX u8x128 shift_right(u8x128 a, int count) { return {Q6_Vub_vlsr_VubR(a.v, count)}; }

// A count per lane. REQUIRES: counts in 0..31. Q6_Vw_vasl_VwVw, Q6_Vw_vasr_VwVw, Q6_Vw_vlsr_VwVw.
HEX_HVX i32x32 shift_left(i32x32 a, i32x32 counts) { return {Q6_Vw_vasl_VwVw(a.v, counts.v)}; }
HEX_HVX u32x32 shift_left(u32x32 a, i32x32 counts) { return {Q6_Vw_vasl_VwVw(a.v, counts.v)}; }
HEX_HVX i32x32 shift_right(i32x32 a, i32x32 counts) { return {Q6_Vw_vasr_VwVw(a.v, counts.v)}; }
HEX_HVX u32x32 shift_right(u32x32 a, i32x32 counts) { return {Q6_Vw_vlsr_VwVw(a.v, counts.v)}; }

// Q6_Vuw_vcl0_Vuw: leading zero bits, 32 for zero.
HEX_HVX i32x32 leading_zeros(u32x32 a) { return {Q6_Vuw_vcl0_Vuw(a.v)}; }

// Halfwords as unsigned numbers. Q6_Vuh_vcl0_Vuh (16 for zero), Q6_Q_vcmp_gt_VuhVuh.
HEX_HVX i16x64 leading_zeros(i16x64 a) {
#if HEX_HVX_DEVICE
    return {Q6_Vuh_vcl0_Vuh(a.v)};
#else
    const auto lanes = (detail::u16_lanes)a.v;
    return {(HVX_Vector)__builtin_elementwise_clzg(lanes, detail::u16_lanes{} + 16)};
#endif
}
HEX_HVX mask greater_unsigned(i16x64 a, i16x64 b) { return {Q6_Q_vcmp_gt_VuhVuh(a.v, b.v)}; }

// A count per halfword, in 0..15: Q6_Vh_vasl_VhVh.
HEX_HVX i16x64 shift_left(i16x64 a, i16x64 counts) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vasl_VhVh(a.v, counts.v)};
#else
    return {(HVX_Vector)((detail::u16_lanes)a.v << (detail::u16_lanes)counts.v)};
#endif
}

// a + b where m, else a. Q6_Vh_condacc_QVhVh.
HEX_HVX i16x64 add_where(mask m, i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_condacc_QVhVh(m.q, a.v, b.v)};
#else
    return add(a, i16x64{Q6_V_vand_QV(m.q, b.v)});
#endif
}

// Q6_Q_vcmp_eq_* and Q6_Q_vcmp_gt_* of the lane's width and sign.
HEX_HVX mask equal(i32x32 a, i32x32 b) { return {Q6_Q_vcmp_eq_VwVw(a.v, b.v)}; }
HEX_HVX mask equal(u32x32 a, u32x32 b) { return {Q6_Q_vcmp_eq_VwVw(a.v, b.v)}; }
HEX_HVX mask equal(i16x64 a, i16x64 b) { return {Q6_Q_vcmp_eq_VhVh(a.v, b.v)}; }
HEX_HVX mask equal(i8x128 a, i8x128 b) { return {Q6_Q_vcmp_eq_VbVb(a.v, b.v)}; }
HEX_HVX mask equal(u8x128 a, u8x128 b) { return {Q6_Q_vcmp_eq_VbVb(a.v, b.v)}; }
HEX_HVX mask greater(i32x32 a, i32x32 b) { return {Q6_Q_vcmp_gt_VwVw(a.v, b.v)}; }
HEX_HVX mask greater(u32x32 a, u32x32 b) { return {Q6_Q_vcmp_gt_VuwVuw(a.v, b.v)}; }
HEX_HVX mask greater(i16x64 a, i16x64 b) { return {Q6_Q_vcmp_gt_VhVh(a.v, b.v)}; }
HEX_HVX mask greater(i8x128 a, i8x128 b) { return {Q6_Q_vcmp_gt_VbVb(a.v, b.v)}; }
HEX_HVX mask greater(u8x128 a, u8x128 b) { return {Q6_Q_vcmp_gt_VubVub(a.v, b.v)}; }

// Q6_Q_and_QQ, Q6_Q_and_QQn, Q6_Q_or_QQ, Q6_Q_not_Q.
HEX_HVX mask both(mask a, mask b) { return {Q6_Q_and_QQ(a.q, b.q)}; }
HEX_HVX mask but_not(mask a, mask b) { return {Q6_Q_and_QQn(a.q, b.q)}; }
HEX_HVX mask either(mask a, mask b) { return {Q6_Q_or_QQ(a.q, b.q)}; }
HEX_HVX mask opposite(mask a) { return {Q6_Q_not_Q(a.q)}; }

// m or the comparison, in one instruction on the device: there are only four registers for masks.
HEX_HVX mask or_equal(mask m, i32x32 a, i32x32 b) {
#if HEX_HVX_DEVICE
    return {Q6_Q_vcmp_eqor_QVwVw(m.q, a.v, b.v)};
#else
    return either(m, equal(a, b));
#endif
}

// a - b where m, else a. Q6_Vw_condnac_QVwVw.
HEX_HVX i32x32 sub_where(mask m, i32x32 a, i32x32 b) {
#if HEX_HVX_DEVICE
    return {Q6_Vw_condnac_QVwVw(m.q, a.v, b.v)};
#else
    return sub(a, {Q6_V_vand_QV(m.q, b.v)});
#endif
}

// The first n bytes, or lanes of V. n in 0..128 (0..lanes<V>). Q6_Q_vsetq2_R, which reads 0 as all.
HEX_HVX mask first_bytes(uint32_t n) {
    const auto count = static_cast<int32_t>(n);
    return {n == 0 ? Q6_Q_vsetq_R(count) : Q6_Q_vsetq2_R(count)};
}
template <storable V> HEX_HVX mask first_lanes(uint32_t n) { return first_bytes(n * sizeof(typename V::lane)); }

// Lane by lane `yes` where m, else `no`: Q6_V_vmux_QVV.
template <storable V> HEX_HVX V select(mask m, V yes, V no) { return {Q6_V_vmux_QVV(m.q, yes.v, no.v)}; }

// Zeros where not m: Q6_V_vand_QV.
template <storable V> HEX_HVX V keep(mask m, V x) { return {Q6_V_vand_QV(m.q, x.v)}; }

// The nibbles of each byte, as bytes of 0..15.
HEX_HVX u8x128 low_nibbles(u8x128 x) { return bit_and(x, splat<u8x128>(0x0f)); }
HEX_HVX u8x128 high_nibbles(u8x128 x) { return shift_right(x, 4); }

// acc[i] + weights[4i..4i+3] . bytes of word (signed, least significant first). Q6_Vw_vrmpyacc_VwVubRb.
HEX_HVX i32x32 dot4_acc(i32x32 acc, u8x128 weights, int32_t word) {
    return {Q6_Vw_vrmpyacc_VwVubRb(acc.v, weights.v, word)};
}
// The same with four signed bytes per lane. Q6_Vw_vrmpyacc_VwVubVb.
HEX_HVX i32x32 dot4_acc(i32x32 acc, u8x128 weights, i8x128 x) {
    return {Q6_Vw_vrmpyacc_VwVubVb(acc.v, weights.v, x.v)};
}
// dot4_acc for weights of at most 127, such as nibbles: the same instruction on Hexagon, half the instructions on a PC
// that has no VNNI. REQUIRES: every byte of weights <= 127.
HEX_HVX i32x32 dot4_acc_u7(i32x32 acc, u8x128 weights, int32_t word) {
#if HEX_HVX_DEVICE
    return dot4_acc(acc, weights, word);
#else
    return {hexane::virtual_hvx::dot4_u7(acc.v, weights.v, Q6_V_vsplat_R(word))};
#endif
}

// Vectors of weights that a dot product takes at a time: Hexagon loads the words that two of them meet with one
// instruction, and a PC has registers for one.
inline constexpr uint32_t dot_step = HEX_HVX_DEVICE ? 2 : 1;

// A step of dot products for C sums: of sum c, weights[n] meets words[c * pitch + n]. REQUIRES: words 8-byte aligned and
// pitch even.
template <uint32_t C>
HEX_HVX void dot4_acc(i32x32 (&acc)[C], const u8x128 (&weights)[dot_step], const int32_t *words, size_t pitch) {
#if HEX_HVX_DEVICE
    for (uint32_t c = 0; c < C; ++c) {
        uint64_t both;
        __builtin_memcpy(&both, __builtin_assume_aligned(words + c * pitch, 8), sizeof both);
        acc[c] = dot4_acc(acc[c], weights[0], static_cast<int32_t>(both));
        acc[c] = dot4_acc(acc[c], weights[1], static_cast<int32_t>(both >> 32));
    }
#else
    for (uint32_t c = 0; c < C; ++c) acc[c] = dot4_acc(acc[c], weights[0], words[c * pitch]);
#endif
}
// The same with dot4_acc_u7.
template <uint32_t C>
HEX_HVX void dot4_acc_u7(i32x32 (&acc)[C], const u8x128 (&weights)[dot_step], const int32_t *words, size_t pitch) {
#if HEX_HVX_DEVICE
    dot4_acc(acc, weights, words, pitch);
#else
    for (uint32_t c = 0; c < C; ++c) acc[c] = dot4_acc_u7(acc[c], weights[0], words[c * pitch]);
#endif
}

// An f32 to the nearest integer, ties to even, by its bits. REQUIRES: |a| < 2^22.
HEX_HVX i32x32 nearest_by_bits(f32x32 a) {
    const i32x32 bits = bits_as<i32x32>(a), one = splat<i32x32>(1);
    const i32x32 exponent = shift_right(bit_and(bits, splat<i32x32>(0x7f800000)), 23);
    const i32x32 mantissa = bit_or(bit_and(bits, splat<i32x32>(0x007fffff)), splat<i32x32>(0x00800000));
    // The bits of the fraction go: all 24 of the mantissa and more below 1/2. 31 would do for any smaller number.
    const i32x32 drop = min(sub(splat<i32x32>(150), exponent), splat<i32x32>(31));
    const i32x32 odd = bit_and(shift_right(mantissa, drop), one);
    const i32x32 half = shift_left(one, sub(drop, one));
    const i32x32 magnitude = shift_right(add(add(mantissa, sub(half, one)), odd), drop);
    return select(greater(zero<i32x32>(), bits), sub(zero<i32x32>(), magnitude), magnitude);
}

}  // namespace hexane::hvx
