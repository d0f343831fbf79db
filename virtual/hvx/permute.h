// virtual/hvx/permute.h -- moving lanes: rotate, align, shuffle, deal, pack, unpack.
#pragma once

#include "virtual/hvx/lanes.h"

HEX_Q6 HVX_Vector Q6_V_lo_W(HVX_VectorPair w) { return w.lo; }
HEX_Q6 HVX_Vector Q6_V_hi_W(HVX_VectorPair w) { return w.hi; }
HEX_Q6 HVX_VectorPair Q6_W_vcombine_VV(HVX_Vector hi, HVX_Vector lo) { return {lo, hi}; }

// The word that byte r modulo 128 belongs to.
HEX_Q6 Word32 Q6_R_vextract_VR(HVX_Vector u, Word32 r) { return u[(r & 127) / 4]; }

// Byte k of the result is byte k + r of the pair (v below u). r in 0..128.
namespace hexane::virtual_hvx {
HEX_Q6 HVX_Vector window(HVX_Vector u, HVX_Vector v, int r) {
    alignas(128) HVX_Vector both[2] = {v, u};
    return *reinterpret_cast<const HVX_UVector *>(reinterpret_cast<const char *>(both) + r);
}
}  // namespace hexane::virtual_hvx

// Rotation towards byte 0. The cases are those with which reductions are built; with a constant count one of them
// remains.
HEX_Q6 HVX_Vector Q6_V_vror_VR(HVX_Vector u, Word32 r) {
    using namespace hexane::virtual_hvx;
    switch (r & 127) {
        case 0: return u;
        case 4: return shuffle<w_lanes>(u, u, rotate<32, 1>());
        case 8: return shuffle<w_lanes>(u, u, rotate<32, 2>());
        case 16: return shuffle<w_lanes>(u, u, rotate<32, 4>());
        case 32: return shuffle<w_lanes>(u, u, rotate<32, 8>());
        case 64: return shuffle<w_lanes>(u, u, rotate<32, 16>());
        default: return window(u, u, r & 127);
    }
}
HEX_Q6 HVX_Vector Q6_V_valign_VVR(HVX_Vector u, HVX_Vector v, Word32 r) {
    return hexane::virtual_hvx::window(u, v, r & 127);
}
HEX_Q6 HVX_Vector Q6_V_vlalign_VVR(HVX_Vector u, HVX_Vector v, Word32 r) {
    return hexane::virtual_hvx::window(u, v, 128 - (r & 127));
}

// vshuff exchanges, for every set bit of r from the lowest, the odd blocks of v with the even blocks of u, where a
// block has as many bytes as the bit says; vdeal does the same from the highest bit. All bits from one size on is an
// interleave of elements.
namespace hexane::virtual_hvx {
template <class Lanes, int Bytes> HEX_Q6 void exchange_blocks(HVX_VectorPair &w) {
    constexpr int width = sizeof(Lanes{}[0]);
    constexpr int lanes = 128 / width;
    const HVX_Vector lo = shuffle<Lanes>(w.lo, w.hi, exchange<lanes, Bytes / width, 0>());
    w.hi = shuffle<Lanes>(w.lo, w.hi, exchange<lanes, Bytes / width, 1>());
    w.lo = lo;
}
template <class Lanes> HEX_Q6 HVX_VectorPair interleave_pair(HVX_Vector u, HVX_Vector v) {
    constexpr int lanes = 128 / sizeof(Lanes{}[0]);
    return {shuffle<Lanes>(v, u, interleave<lanes, 0>()), shuffle<Lanes>(v, u, interleave<lanes, lanes / 2>())};
}
template <class Lanes> HEX_Q6 HVX_VectorPair deal_pair(HVX_Vector u, HVX_Vector v) {
    return {shuffle<Lanes>(v, u, every<2, 0>()), shuffle<Lanes>(v, u, every<2, 1>())};
}
}  // namespace hexane::virtual_hvx

HEX_Q6 HVX_VectorPair Q6_W_vshuff_VVR(HVX_Vector u, HVX_Vector v, Word32 r) {
    using namespace hexane::virtual_hvx;
    switch (r & 127) {
        case -1 & 127: return interleave_pair<b_lanes>(u, v);
        case -2 & 127: return interleave_pair<h_lanes>(u, v);
        case -4 & 127: return interleave_pair<w_lanes>(u, v);
    }
    HVX_VectorPair w = {v, u};
    if (r & 1) exchange_blocks<b_lanes, 1>(w);
    if (r & 2) exchange_blocks<h_lanes, 2>(w);
    if (r & 4) exchange_blocks<w_lanes, 4>(w);
    if (r & 8) exchange_blocks<w_lanes, 8>(w);
    if (r & 16) exchange_blocks<w_lanes, 16>(w);
    if (r & 32) exchange_blocks<w_lanes, 32>(w);
    if (r & 64) exchange_blocks<w_lanes, 64>(w);
    return w;
}

HEX_Q6 HVX_VectorPair Q6_W_vdeal_VVR(HVX_Vector u, HVX_Vector v, Word32 r) {
    using namespace hexane::virtual_hvx;
    switch (r & 127) {
        case -1 & 127: return deal_pair<b_lanes>(u, v);
        case -2 & 127: return deal_pair<h_lanes>(u, v);
        case -4 & 127: return deal_pair<w_lanes>(u, v);
    }
    HVX_VectorPair w = {v, u};
    if (r & 64) exchange_blocks<w_lanes, 64>(w);
    if (r & 32) exchange_blocks<w_lanes, 32>(w);
    if (r & 16) exchange_blocks<w_lanes, 16>(w);
    if (r & 8) exchange_blocks<w_lanes, 8>(w);
    if (r & 4) exchange_blocks<w_lanes, 4>(w);
    if (r & 2) exchange_blocks<h_lanes, 2>(w);
    if (r & 1) exchange_blocks<b_lanes, 1>(w);
    return w;
}

HEX_Q6 HVX_Vector Q6_Vh_vshuff_Vh(HVX_Vector u) {
    using namespace hexane::virtual_hvx;
    return shuffle<h_lanes>(u, (HVX_Vector)shuffle<h_lanes>(u, u, rotate<64, 32>()), interleave<64, 0>());
}
HEX_Q6 HVX_Vector Q6_Vh_vdeal_Vh(HVX_Vector u) {
    using namespace hexane::virtual_hvx;
    struct even_then_odd {
        static constexpr int at(int i) { return i < 32 ? 2 * i : 2 * (i - 32) + 1; }
    };
    return shuffle<h_lanes>(u, u, even_then_odd());
}

// Narrowing: the even (or odd) parts of v, then of u.
HEX_Q6 HVX_Vector Q6_Vb_vpacke_VhVh(HVX_Vector u, HVX_Vector v) {
    return hexane::virtual_hvx::deal_pair<hexane::virtual_hvx::b_lanes>(u, v).lo;
}
HEX_Q6 HVX_Vector Q6_Vb_vpacko_VhVh(HVX_Vector u, HVX_Vector v) {
    return hexane::virtual_hvx::deal_pair<hexane::virtual_hvx::b_lanes>(u, v).hi;
}
HEX_Q6 HVX_Vector Q6_Vh_vpacke_VwVw(HVX_Vector u, HVX_Vector v) {
    return hexane::virtual_hvx::deal_pair<hexane::virtual_hvx::h_lanes>(u, v).lo;
}
HEX_Q6 HVX_Vector Q6_Vh_vpacko_VwVw(HVX_Vector u, HVX_Vector v) {
    return hexane::virtual_hvx::deal_pair<hexane::virtual_hvx::h_lanes>(u, v).hi;
}

namespace hexane::virtual_hvx {
template <class To, class Lane, class From> HEX_Q6 To saturate(From x, Lane low, Lane high) {
    return __builtin_convertvector(__builtin_elementwise_min(__builtin_elementwise_max(x, From{} + low), From{} + high),
                                   To);
}
template <class Half> HEX_Q6 HVX_Vector join(Half lo, Half hi) {
    typedef int32_t words __attribute__((vector_size(64)));
    return __builtin_shufflevector((words)lo, (words)hi, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                   18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
template <class Half> HEX_Q6 Half low_half(HVX_Vector u) {
    return (Half)__builtin_shufflevector(u, u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class Half> HEX_Q6 Half high_half(HVX_Vector u) {
    return (Half)__builtin_shufflevector(u, u, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
}  // namespace hexane::virtual_hvx

// Narrowing with saturation: v gives the low half, u the high one.
#define HEX_Q6_PACK_SAT(name, half, lanes, lane, low, high)                                                \
    HEX_Q6 HVX_Vector name(HVX_Vector u, HVX_Vector v) {                                                   \
        using namespace hexane::virtual_hvx;                                                               \
        return join(saturate<half, lane>((lanes)v, low, high), saturate<half, lane>((lanes)u, low, high)); \
    }
HEX_Q6_PACK_SAT(Q6_Vb_vpack_VhVh_sat, half_b_lanes, h_lanes, int16_t, -128, 127)
HEX_Q6_PACK_SAT(Q6_Vub_vpack_VhVh_sat, half_ub_lanes, h_lanes, int16_t, 0, 255)
HEX_Q6_PACK_SAT(Q6_Vh_vpack_VwVw_sat, half_h_lanes, w_lanes, int32_t, -32768, 32767)
#undef HEX_Q6_PACK_SAT

// Widening in natural order: the low half of u becomes lo, the high half hi.
#define HEX_Q6_UNPACK(name, half, wide)                                          \
    HEX_Q6 HVX_VectorPair name(HVX_Vector u) {                                   \
        using namespace hexane::virtual_hvx;                                     \
        return {(HVX_Vector) __builtin_convertvector(low_half<half>(u), wide),   \
                (HVX_Vector) __builtin_convertvector(high_half<half>(u), wide)}; \
    }
HEX_Q6_UNPACK(Q6_Wh_vunpack_Vb, half_b_lanes, h_lanes)
HEX_Q6_UNPACK(Q6_Wuh_vunpack_Vub, half_ub_lanes, uh_lanes)
HEX_Q6_UNPACK(Q6_Ww_vunpack_Vh, half_h_lanes, w_lanes)
HEX_Q6_UNPACK(Q6_Wuw_vunpack_Vuh, half_uh_lanes, uw_lanes)
#undef HEX_Q6_UNPACK
