// hvx/qfloat.h -- qf32, in which v73 and v75 calculate. Exists on these only, and is used inside hvx/ only.
//
// A qf32 keeps more bits than its register has: it is corrupted when it is written to memory, by a spill too (a known
// defect of LLVM). So the type is not storable; hvx/chain.h is the way to keep one over several steps.
#pragma once

#include "hvx/types.h"

#if HEX_F32_QFLOAT

namespace hexane::hvx {

struct qf32x32 {
    HVX_Vector v;
};

HEX_HVX qf32x32 add_qf(f32x32 a, f32x32 b) { return {Q6_Vqf32_vadd_VsfVsf(a.v, b.v)}; }
HEX_HVX qf32x32 add_qf(qf32x32 a, f32x32 b) { return {Q6_Vqf32_vadd_Vqf32Vsf(a.v, b.v)}; }
HEX_HVX qf32x32 add_qf(qf32x32 a, qf32x32 b) { return {Q6_Vqf32_vadd_Vqf32Vqf32(a.v, b.v)}; }
HEX_HVX qf32x32 sub_qf(f32x32 a, f32x32 b) { return {Q6_Vqf32_vsub_VsfVsf(a.v, b.v)}; }
HEX_HVX qf32x32 sub_qf(qf32x32 a, qf32x32 b) { return {Q6_Vqf32_vsub_Vqf32Vqf32(a.v, b.v)}; }
HEX_HVX qf32x32 mul_qf(f32x32 a, f32x32 b) { return {Q6_Vqf32_vmpy_VsfVsf(a.v, b.v)}; }
HEX_HVX qf32x32 mul_qf(qf32x32 a, qf32x32 b) { return {Q6_Vqf32_vmpy_Vqf32Vqf32(a.v, b.v)}; }
// Products of even lanes in lo, of odd lanes in hi.
HEX_HVX pair<qf32x32> mul_qf(f16x64 a, f16x64 b) {
    const HVX_VectorPair w = Q6_Wqf32_vmpy_VhfVhf(a.v, b.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
HEX_HVX f32x32 to_f32(qf32x32 a) { return {Q6_Vsf_equals_Vqf32(a.v)}; }

}  // namespace hexane::hvx

#endif
