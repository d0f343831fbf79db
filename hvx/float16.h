// hvx/float16.h -- products of f16 numbers, and sums of products that stay in registers.
#pragma once

#include "hvx/convert.h"

namespace hexane::hvx {

// Whether products of f16 are instructions, so that f16 is worth more than f32. A build may say so of a PC, to test
// there what Hexagon runs.
#ifndef HEX_F16_PRODUCTS
#define HEX_F16_PRODUCTS HEX_HVX_DEVICE
#endif
inline constexpr bool has_f16_products = HEX_F16_PRODUCTS;

// acc + a * b in f32. Which of the 64 products goes to which of the 64 sums differs between PC (natural order) and
// Hexagon (even lanes in lo, odd lanes in hi), but is always the same there: add up all sums in the end, and the result
// is the dot product. Q6_Wsf_vmpyacc_WsfVhfVhf (v79), Q6_Wqf32_vmpy_VhfVhf and Q6_Vqf32_vadd_Vqf32Vsf (v73).
HEX_HVX f32x32x2 mul_acc(f32x32x2 acc, f16x64 a, f16x64 b) {
#if HEX_F32_IEEE
    const HVX_VectorPair w = Q6_Wsf_vmpyacc_WsfVhfVhf(Q6_W_vcombine_VV(acc.hi.v, acc.lo.v), a.v, b.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
#elif HEX_F32_QFLOAT
    const pair<qf32x32> products = mul_qf(a, b);
    return {to_f32(add_qf(products.lo, acc.lo)), to_f32(add_qf(products.hi, acc.hi))};
#else
    const f32x32x2 x = to_f32(a), y = to_f32(b);
    return {mul_add(acc.lo, x.lo, y.lo), mul_add(acc.hi, x.hi, y.hi)};
#endif
}

// Thirty-two sums that only grow, in registers, while a loop runs: qf32 on v73 and v75, where converting after every
// addition would double the work, and f32 elsewhere. Not storable; on v73 a function that has one must not spill.
struct running_sum {
    HVX_Vector v;
};

HEX_HVX running_sum empty_sum() { return {Q6_V_vzero()}; }  // all bits 0 are 0 in qf32 too

// Q6_Vqf32_vadd_VsfVsf on v73.
HEX_HVX running_sum sum_from(f32x32 x) {
#if HEX_F32_QFLOAT
    return {add_qf(x, f32x32{Q6_V_vzero()}).v};
#else
    return {x.v};
#endif
}
HEX_HVX f32x32 to_f32(running_sum s) {
#if HEX_F32_QFLOAT
    return to_f32(qf32x32{s.v});
#else
    return {s.v};
#endif
}

// s + a * b, rounded as often as mul_add. Q6_Vqf32_vmpy_VsfVsf and Q6_Vqf32_vadd_Vqf32Vqf32 on v73.
HEX_HVX running_sum add_product(running_sum s, f32x32 a, f32x32 b) {
#if HEX_F32_QFLOAT
    return {add_qf(qf32x32{s.v}, mul_qf(a, b)).v};
#else
    return {mul_add(f32x32{s.v}, a, b).v};
#endif
}

// Whether add_products needs no registers beside its operands: it is one instruction. On v73 the products take two.
inline constexpr bool add_products_is_one = HEX_F32_IEEE;

// Adds 64 products of f16 to 32 sums, two to each: neighbours on Hexagon, 32 lanes apart on a PC. Summed over all lanes
// it is the dot product. Q6_Vsf_vdmpyacc_VsfVhfVhf (v79), Q6_Wqf32_vmpy_VhfVhf (v73).
HEX_HVX running_sum add_products(running_sum s, f16x64 a, f16x64 b) {
#if HEX_F32_IEEE
    return {Q6_Vsf_vdmpyacc_VsfVhfVhf(s.v, a.v, b.v)};
#elif HEX_F32_QFLOAT
    const pair<qf32x32> products = mul_qf(a, b);
    return {add_qf(qf32x32{s.v}, add_qf(products.lo, products.hi)).v};
#else
    const f32x32x2 x = to_f32(a), y = to_f32(b);
    return {mul_add(mul_add(f32x32{s.v}, x.lo, y.lo), x.hi, y.hi).v};
#endif
}

// to_f32 for finite numbers; infinities and NaN become anything. On v73 a product with 1 in qf32, which keeps a
// subnormal, instead of fifty integer operations.
HEX_HVX f32x32x2 finite_to_f32(f16x64 x) {
#if HEX_F32_QFLOAT
    const pair<qf32x32> wide = mul_qf(f16x64{Q6_Vh_vshuff_Vh(x.v)}, splat<f16x64>(0x3c00));
    return {to_f32(wide.lo), to_f32(wide.hi)};
#elif HEX_F32_IEEE
    const HVX_VectorPair wide = Q6_Wsf_vcvt_Vhf(Q6_Vh_vshuff_Vh(x.v));
    return {{Q6_V_lo_W(wide)}, {Q6_V_hi_W(wide)}};
#else
    return to_f32(x);
#endif
}

// To the nearest integer, ties to even, as to_i32_nearest. REQUIRES: |a| < 2^22. On v73, where qf32 does not promise the
// rounding of a sum, in half the instructions.
HEX_HVX i32x32 small_to_i32_nearest(f32x32 a) {
#if HEX_F32_QFLOAT
    return nearest_by_bits(a);
#else
    return to_i32_nearest(a);
#endif
}

}  // namespace hexane::hvx
