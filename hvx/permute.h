// hvx/permute.h -- lanes that change places or width.
#pragma once

#include "hvx/types.h"

namespace hexane::hvx {

// Rotates by `count` bytes towards byte 0: Q6_V_vror_VR.
template <storable V> HEX_HVX V rotate_bytes(V x, int count) { return {Q6_V_vror_VR(x.v, count)}; }

// Alternating words (interleave) of a and b, and back: Q6_W_vshuff_VVR and Q6_W_vdeal_VVR with -4.
//   interleave(a, b): lo = a0 b0 a1 b1 ... , hi = a16 b16 ...
//   deal(lo, hi):     lo = even words of (lo, hi), hi = odd words
template <storable V> HEX_HVX pair<V> interleave_words(V a, V b) {
    const HVX_VectorPair w = Q6_W_vshuff_VVR(b.v, a.v, -4);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
template <storable V> HEX_HVX pair<V> deal_words(V lo, V hi) {
    const HVX_VectorPair w = Q6_W_vdeal_VVR(hi.v, lo.v, -4);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
// The same with halfwords: -2.
template <storable V> HEX_HVX pair<V> interleave_halves(V a, V b) {
    const HVX_VectorPair w = Q6_W_vshuff_VVR(b.v, a.v, -2);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
template <storable V> HEX_HVX pair<V> deal_halves(V lo, V hi) {
    const HVX_VectorPair w = Q6_W_vdeal_VVR(hi.v, lo.v, -2);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}

// Two by two transpose of blocks of `Bytes` (a power of two): Q6_W_vshuff_VVR with Bytes.
//   lo = a0 b0 a2 b2 ... , hi = a1 b1 a3 b3 ... in blocks
template <int Bytes, storable V> HEX_HVX pair<V> exchange_blocks(V a, V b) {
    static_assert(Bytes > 0 && (Bytes & (Bytes - 1)) == 0 && Bytes < 128);
    const HVX_VectorPair w = Q6_W_vshuff_VVR(b.v, a.v, Bytes);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}

// Widening in natural order: Q6_Ww_vunpack_Vh, Q6_Wh_vunpack_Vb.
HEX_HVX i32x32x2 widen(i16x64 x) {
    const HVX_VectorPair w = Q6_Ww_vunpack_Vh(x.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
HEX_HVX pair<i16x64> widen(i8x128 x) {
    const HVX_VectorPair w = Q6_Wh_vunpack_Vb(x.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}
// The halfwords of x, zero-extended, in natural order: Q6_Wuw_vunpack_Vuh.
template <storable V> HEX_HVX pair<u32x32> widen_unsigned(V x) {
    static_assert(sizeof(typename V::lane) == 2);
    const HVX_VectorPair w = Q6_Wuw_vunpack_Vuh(x.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
}

// Narrowing with saturation in natural order: Q6_Vh_vpack_VwVw_sat, Q6_Vb_vpack_VhVh_sat.
HEX_HVX i16x64 pack_saturated(i32x32 lo, i32x32 hi) { return {Q6_Vh_vpack_VwVw_sat(hi.v, lo.v)}; }
HEX_HVX i8x128 pack_saturated(i16x64 lo, i16x64 hi) { return {Q6_Vb_vpack_VhVh_sat(hi.v, lo.v)}; }
HEX_HVX i8x128 pack_saturated(i32x32 a, i32x32 b, i32x32 c, i32x32 d) {
    return pack_saturated(pack_saturated(a, b), pack_saturated(c, d));
}

// Narrowing by dropping halves, natural order: the low (Q6_Vh_vpacke_VwVw) or high (Q6_Vh_vpacko_VwVw) halves of the
// words.
template <storable To, storable V> HEX_HVX To pack_low_halves(V lo, V hi) {
    static_assert(sizeof(typename To::lane) == 2 && sizeof(typename V::lane) == 4);
    return {Q6_Vh_vpacke_VwVw(hi.v, lo.v)};
}
template <storable To, storable V> HEX_HVX To pack_high_halves(V lo, V hi) {
    static_assert(sizeof(typename To::lane) == 2 && sizeof(typename V::lane) == 4);
    return {Q6_Vh_vpacko_VwVw(hi.v, lo.v)};
}

}  // namespace hexane::hvx
