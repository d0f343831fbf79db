// virtual/hvx/arithmetic.h -- lane-wise integer intrinsics: logic, add, subtract, shift, minimum, maximum. Semantics
// from the "Qualcomm Hexagon V67 HVX Programmer's Reference Manual"; scalar shift counts are taken modulo the lane
// width.
#pragma once

#include "virtual/hvx/lanes.h"

HEX_Q6 HVX_Vector Q6_V_vzero() { return HVX_Vector{}; }
HEX_Q6 HVX_Vector Q6_V_vsplat_R(Word32 r) { return HVX_Vector{} + r; }
HEX_Q6 HVX_Vector Q6_Vh_vsplat_R(Word32 r) {
    return (HVX_Vector)(hexane::virtual_hvx::h_lanes{} + static_cast<int16_t>(r));
}
HEX_Q6 HVX_Vector Q6_Vb_vsplat_R(Word32 r) {
    return (HVX_Vector)(hexane::virtual_hvx::b_lanes{} + static_cast<int8_t>(r));
}

HEX_Q6 HVX_Vector Q6_V_vand_VV(HVX_Vector u, HVX_Vector v) { return u & v; }
HEX_Q6 HVX_Vector Q6_V_vor_VV(HVX_Vector u, HVX_Vector v) { return u | v; }
HEX_Q6 HVX_Vector Q6_V_vxor_VV(HVX_Vector u, HVX_Vector v) { return u ^ v; }
HEX_Q6 HVX_Vector Q6_V_vnot_V(HVX_Vector u) { return ~u; }

// Unsigned lanes, so that wrapping is defined.
#define HEX_Q6_BINARY(name, lanes, expression)             \
    HEX_Q6 HVX_Vector name(HVX_Vector vu, HVX_Vector vv) { \
        const auto u = (hexane::virtual_hvx::lanes)vu;     \
        const auto v = (hexane::virtual_hvx::lanes)vv;     \
        return (HVX_Vector)(expression);                   \
    }
HEX_Q6_BINARY(Q6_Vw_vadd_VwVw, uw_lanes, u + v)
HEX_Q6_BINARY(Q6_Vw_vsub_VwVw, uw_lanes, u - v)
HEX_Q6_BINARY(Q6_Vh_vadd_VhVh, uh_lanes, u + v)
HEX_Q6_BINARY(Q6_Vh_vsub_VhVh, uh_lanes, u - v)
HEX_Q6_BINARY(Q6_Vb_vadd_VbVb, ub_lanes, u + v)
HEX_Q6_BINARY(Q6_Vb_vsub_VbVb, ub_lanes, u - v)
HEX_Q6_BINARY(Q6_Vh_vadd_VhVh_sat, h_lanes, __builtin_elementwise_add_sat(u, v))
HEX_Q6_BINARY(Q6_Vh_vsub_VhVh_sat, h_lanes, __builtin_elementwise_sub_sat(u, v))
HEX_Q6_BINARY(Q6_Vw_vmax_VwVw, w_lanes, __builtin_elementwise_max(u, v))
HEX_Q6_BINARY(Q6_Vw_vmin_VwVw, w_lanes, __builtin_elementwise_min(u, v))
HEX_Q6_BINARY(Q6_Vh_vmax_VhVh, h_lanes, __builtin_elementwise_max(u, v))
HEX_Q6_BINARY(Q6_Vh_vmin_VhVh, h_lanes, __builtin_elementwise_min(u, v))
HEX_Q6_BINARY(Q6_Vb_vmax_VbVb, b_lanes, __builtin_elementwise_max(u, v))
HEX_Q6_BINARY(Q6_Vb_vmin_VbVb, b_lanes, __builtin_elementwise_min(u, v))
HEX_Q6_BINARY(Q6_Vub_vmax_VubVub, ub_lanes, __builtin_elementwise_max(u, v))
HEX_Q6_BINARY(Q6_Vub_vmin_VubVub, ub_lanes, __builtin_elementwise_min(u, v))
#undef HEX_Q6_BINARY

#define HEX_Q6_SHIFT(name, lanes, bits, operation)                                      \
    HEX_Q6 HVX_Vector name(HVX_Vector u, Word32 r) {                                    \
        return (HVX_Vector)((hexane::virtual_hvx::lanes)u operation(r & ((bits) - 1))); \
    }
HEX_Q6_SHIFT(Q6_Vw_vasl_VwR, uw_lanes, 32, <<)
HEX_Q6_SHIFT(Q6_Vw_vasr_VwR, w_lanes, 32, >>)
HEX_Q6_SHIFT(Q6_Vuw_vlsr_VuwR, uw_lanes, 32, >>)
HEX_Q6_SHIFT(Q6_Vh_vasl_VhR, uh_lanes, 16, <<)
HEX_Q6_SHIFT(Q6_Vh_vasr_VhR, h_lanes, 16, >>)
HEX_Q6_SHIFT(Q6_Vuh_vlsr_VuhR, uh_lanes, 16, >>)
#undef HEX_Q6_SHIFT

// No PC has byte shifts: shift halfwords and drop the bits that came from the neighbour.
HEX_Q6 HVX_Vector Q6_Vub_vlsr_VubR(HVX_Vector u, Word32 r) {
    const int count = r & 7;
    return Q6_Vuh_vlsr_VuhR(u, count) & Q6_Vb_vsplat_R(0xff >> count);
}

// Counts per lane: the low 6 bits, signed; a negative count shifts the other way, by up to 32.
namespace hexane::virtual_hvx {
HEX_Q6 w_lanes signed_count(HVX_Vector v) { return ((w_lanes)v << 26) >> 26; }
template <class Lanes> HEX_Q6 Lanes shift_left_by(Lanes u, w_lanes count) {  // count in 0..31 where it matters
    return (Lanes)((uw_lanes)u << (uw_lanes)(count & 31));
}
template <class Lanes> HEX_Q6 Lanes shift_right_by(Lanes u, w_lanes count) {  // count in 0..32
    const w_lanes whole = (count & 32) >> 5;                                  // 32 = 31 + 1
    return (u >> (Lanes)((count - whole) & 31)) >> (Lanes)whole;
}
template <class Lanes> HEX_Q6 HVX_Vector shift_either(Lanes u, w_lanes left) {
    const w_lanes to_the_right = left < 0;
    const w_lanes shifted_left = (w_lanes)shift_left_by(u, left);
    const w_lanes shifted_right = (w_lanes)shift_right_by(u, -left);
    return (HVX_Vector)((to_the_right & shifted_right) | (~to_the_right & shifted_left));
}
}  // namespace hexane::virtual_hvx

HEX_Q6 HVX_Vector Q6_Vw_vasl_VwVw(HVX_Vector u, HVX_Vector v) {
    using namespace hexane::virtual_hvx;
    return shift_either((w_lanes)u, signed_count(v));
}
// Right by a count: the same with the sign turned; a count of -32 shifts every bit out to the left.
HEX_Q6 HVX_Vector Q6_Vw_vasr_VwVw(HVX_Vector u, HVX_Vector v) {
    using namespace hexane::virtual_hvx;
    const w_lanes count = signed_count(v);
    return shift_either((w_lanes)u, -count) & ~(HVX_Vector)(count == -32);
}
HEX_Q6 HVX_Vector Q6_Vw_vlsr_VwVw(HVX_Vector u, HVX_Vector v) {
    using namespace hexane::virtual_hvx;
    const w_lanes count = signed_count(v);
    return shift_either((uw_lanes)u, -count) & ~(HVX_Vector)(count == -32);
}

HEX_Q6 HVX_Vector Q6_Vw_vabs_Vw(HVX_Vector u) {
    const HVX_Vector sign = u >> 31;
    return (HVX_Vector)((hexane::virtual_hvx::uw_lanes)(u ^ sign) - (hexane::virtual_hvx::uw_lanes)sign);
}

// Leading zero bits; 32 for zero.
HEX_Q6 HVX_Vector Q6_Vuw_vcl0_Vuw(HVX_Vector u) {
    using namespace hexane::virtual_hvx;
    return (HVX_Vector)__builtin_elementwise_clzg((uw_lanes)u, uw_lanes{} + 32);
}
