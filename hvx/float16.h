// hvx/float16.h -- products of f16 numbers, accumulated in f32.
#pragma once

#include "hvx/convert.h"

namespace hexane::hvx {

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

}  // namespace hexane::hvx
