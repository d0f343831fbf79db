// virtual/hvx/predicate.h -- compares, predicate logic and selection.
#pragma once

#include "virtual/hvx/lanes.h"

#define HEX_Q6_COMPARE(name, lanes, operation)                                                        \
    HEX_Q6 HVX_VectorPred name(HVX_Vector u, HVX_Vector v) {                                          \
        return {(HVX_Vector)((hexane::virtual_hvx::lanes)u operation(hexane::virtual_hvx::lanes) v)}; \
    }
HEX_Q6_COMPARE(Q6_Q_vcmp_eq_VwVw, w_lanes, ==)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VwVw, w_lanes, >)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VuwVuw, uw_lanes, >)
HEX_Q6_COMPARE(Q6_Q_vcmp_eq_VhVh, h_lanes, ==)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VhVh, h_lanes, >)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VuhVuh, uh_lanes, >)
HEX_Q6_COMPARE(Q6_Q_vcmp_eq_VbVb, b_lanes, ==)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VbVb, b_lanes, >)
HEX_Q6_COMPARE(Q6_Q_vcmp_gt_VubVub, ub_lanes, >)
#undef HEX_Q6_COMPARE

HEX_Q6 HVX_VectorPred Q6_Q_and_QQ(HVX_VectorPred s, HVX_VectorPred t) { return {s.bytes & t.bytes}; }
HEX_Q6 HVX_VectorPred Q6_Q_and_QQn(HVX_VectorPred s, HVX_VectorPred t) { return {s.bytes & ~t.bytes}; }
HEX_Q6 HVX_VectorPred Q6_Q_or_QQ(HVX_VectorPred s, HVX_VectorPred t) { return {s.bytes | t.bytes}; }
HEX_Q6 HVX_VectorPred Q6_Q_or_QQn(HVX_VectorPred s, HVX_VectorPred t) { return {s.bytes | ~t.bytes}; }
HEX_Q6 HVX_VectorPred Q6_Q_xor_QQ(HVX_VectorPred s, HVX_VectorPred t) { return {s.bytes ^ t.bytes}; }
HEX_Q6 HVX_VectorPred Q6_Q_not_Q(HVX_VectorPred s) { return {~s.bytes}; }

namespace hexane::virtual_hvx {
template <int... I> HEX_Q6 ub_lanes counting(indices<I...>) { return ub_lanes{uint8_t{I}...}; }
HEX_Q6 HVX_VectorPred bytes_below(int n) {  // n in 0..128
    const ub_lanes index = counting(first_indices<128>());
    return {(HVX_Vector)(index < static_cast<uint8_t>(n))};
}
}  // namespace hexane::virtual_hvx

// The first r modulo 128 bytes: none for 128.
HEX_Q6 HVX_VectorPred Q6_Q_vsetq_R(Word32 r) { return hexane::virtual_hvx::bytes_below(r & 127); }
// The first r modulo 128 bytes, where 0 (and 128) mean all.
HEX_Q6 HVX_VectorPred Q6_Q_vsetq2_R(Word32 r) { return hexane::virtual_hvx::bytes_below(((r - 1) & 127) + 1); }

HEX_Q6 HVX_Vector Q6_V_vmux_QVV(HVX_VectorPred t, HVX_Vector u, HVX_Vector v) { return (t.bytes & u) | (~t.bytes & v); }
HEX_Q6 HVX_Vector Q6_V_vand_QV(HVX_VectorPred v, HVX_Vector u) { return v.bytes & u; }
