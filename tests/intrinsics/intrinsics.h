// tests/intrinsics/intrinsics.h -- every integer intrinsic that kernels use, as a function of operands that can be generated.
//
// The same list is compiled for Hexagon, where the names are real instructions, and for the PC, where they are virtual/hvx. What both
// make of the same operands must be the same bits. intrinsics_test.sh compares the list with the sources.
#pragma once

#include "hvx/halfwords.h"

namespace hexane::proof {

inline constexpr uint32_t region_bytes = 1024;  // that gathers read

// What one call may take. Predicates are made from vectors by the functions below.
struct operands {
    HVX_Vector a, b, c;
    HVX_Vector p, q;  // a predicate's bytes: all ones or all zeros
    int32_t r;
    const uint8_t *region;  // region_bytes, 128-byte aligned
};

// What it may give. Unused parts are zero; a predicate is written as bytes.
struct result {
    HVX_Vector lo, hi;
};

struct intrinsic {
    const char *name;
    result (*call)(const operands &);
};

HEX_HVX HVX_VectorPred predicate(HVX_Vector bytes) { return Q6_Q_vcmp_gt_VubVub(bytes, Q6_V_vzero()); }
HEX_HVX result of(HVX_Vector v) { return {v, Q6_V_vzero()}; }
HEX_HVX result of_pair(HVX_VectorPair w) { return {Q6_V_lo_W(w), Q6_V_hi_W(w)}; }
HEX_HVX result of_predicate(HVX_VectorPred q) { return of(Q6_V_vmux_QVV(q, Q6_Vb_vsplat_R(-1), Q6_V_vzero())); }

// One line of the list: the name, then the call as an expression of operands `o`.
#define HEX_PROVE(name, expression) {#name, [](const operands &o) -> result { return expression; }}
#define V_V(name) HEX_PROVE(name, of(name(o.a)))
#define V_VV(name) HEX_PROVE(name, of(name(o.a, o.b)))
#define V_VVV(name) HEX_PROVE(name, of(name(o.a, o.b, o.c)))
#define V_R(name) HEX_PROVE(name, of(name(o.r)))
#define R_VR(name) HEX_PROVE(name, of(Q6_V_vsplat_R(name(o.a, o.r))))
#define V_VR(name) HEX_PROVE(name, of(name(o.a, o.r)))
#define V_VVR(name) HEX_PROVE(name, of(name(o.a, o.b, o.r)))
#define V_QV(name) HEX_PROVE(name, of(name(predicate(o.p), o.a)))
#define V_QVV(name) HEX_PROVE(name, of(name(predicate(o.p), o.a, o.b)))
#define W_V(name) HEX_PROVE(name, of_pair(name(o.a)))
#define W_VV(name) HEX_PROVE(name, of_pair(name(o.a, o.b)))
#define W_VVR(name) HEX_PROVE(name, of_pair(name(o.a, o.b, o.r)))
#define V_W(name) HEX_PROVE(name, of(name(Q6_W_vcombine_VV(o.a, o.b))))
#define Q_VV(name) HEX_PROVE(name, of_predicate(name(o.a, o.b)))
#define Q_R(name) HEX_PROVE(name, of_predicate(name(o.r)))
#define Q_Q(name) HEX_PROVE(name, of_predicate(name(predicate(o.p))))
#define Q_QVV(name) HEX_PROVE(name, of_predicate(name(predicate(o.p), o.a, o.b)))
#define Q_QQ(name) HEX_PROVE(name, of_predicate(name(predicate(o.p), predicate(o.q))))
// The rest of the vector in memory stays.
#define STORE_QV(name) HEX_PROVE(name, stored(o, [&](HVX_Vector *to) { name(predicate(o.p), to, o.a); }))
#define GATHER(name, offsets)                                                                 \
    HEX_PROVE(name, stored(o, [&](HVX_Vector *to) {                                           \
                  name(to, reinterpret_cast<uintptr_t>(o.region), region_bytes - 1, offsets); \
              }))

template <class Write> HEX_HVX result stored(const operands &o, Write write) {
    HVX_Vector memory = o.c;
    write(&memory);
    asm volatile("" : "+m"(memory));
    return of(memory);
}

// Offsets of elements of `bytes` bytes, aligned and within the region: user-mode qemu reads what lies outside, too, where a device
// leaves the element as it was. Kernels keep to the region.
HEX_HVX HVX_Vector offsets(HVX_Vector random, int32_t bytes) {
    return Q6_V_vand_VV(random, Q6_V_vsplat_R(static_cast<int32_t>(region_bytes) - bytes));
}

#if !HEX_HVX_DEVICE
// Of these the PC has no intrinsic, only the function of hvx/ that takes its place: that function is what is proven.
HEX_HVX HVX_Vector Q6_Vuh_vcl0_Vuh(HVX_Vector a) { return hvx::leading_zeros(hvx::i16x64{a}).v; }
HEX_HVX HVX_Vector Q6_Vh_vasl_VhVh(HVX_Vector a, HVX_Vector n) {
    return hvx::shift_left(hvx::i16x64{a}, hvx::i16x64{n}).v;
}
HEX_HVX HVX_Vector Q6_Vh_condacc_QVhVh(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::add_where(hvx::mask{q}, hvx::i16x64{a}, hvx::i16x64{b}).v;
}
HEX_HVX HVX_Vector Q6_Vw_condnac_QVwVw(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::sub_where(hvx::mask{q}, hvx::i32x32{a}, hvx::i32x32{b}).v;
}
HEX_HVX HVX_Vector Q6_Vuh_vsub_VuhVuh_sat(HVX_Vector a, HVX_Vector b) {
    return hvx::sub_to_zero(hvx::i16x64{a}, hvx::i16x64{b}).v;
}
HEX_HVX HVX_Vector Q6_Vub_vsub_VubVub_sat(HVX_Vector a, HVX_Vector b) {
    return hvx::sub_to_zero(hvx::u8x128{a}, hvx::u8x128{b}).v;
}
HEX_HVX HVX_Vector Q6_Vh_vasracc_VhVhR(HVX_Vector sum, HVX_Vector a, int32_t count) {
    return hvx::add_shifted_right(hvx::i16x64{sum}, hvx::i16x64{a}, count).v;
}
HEX_HVX HVX_Vector Q6_Vh_vmpyiacc_VhVhRb(HVX_Vector sum, HVX_Vector a, int32_t factors) {
    return hvx::add_product(hvx::i16x64{sum}, hvx::i16x64{a}, static_cast<int8_t>(factors)).v;
}
HEX_HVX HVX_Vector Q6_V_vandor_VQR(HVX_Vector x, HVX_VectorPred q, int32_t bits) {
    return hvx::set_where(hvx::mask{q}, hvx::i16x64{x}, static_cast<uint16_t>(bits)).v;
}
HEX_HVX HVX_Vector Q6_Vh_condnac_QVhVh(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::sub_where(hvx::mask{q}, hvx::i16x64{a}, hvx::i16x64{b}).v;
}
HEX_HVX HVX_VectorPred Q6_Q_vcmp_eqand_QVbVb(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::and_equal(hvx::mask{q}, hvx::u8x128{a}, hvx::u8x128{b}).q;
}
HEX_HVX HVX_VectorPred Q6_Q_vcmp_gtand_QVuhVuh(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::and_greater_unsigned(hvx::mask{q}, hvx::i16x64{a}, hvx::i16x64{b}).q;
}
HEX_HVX HVX_VectorPred Q6_Q_vcmp_gtor_QVuhVuh(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::or_greater_unsigned(hvx::mask{q}, hvx::i16x64{a}, hvx::i16x64{b}).q;
}
HEX_HVX hvx::i32x32x2 words(HVX_Vector hi, HVX_Vector lo) { return {{lo}, {hi}}; }
HEX_HVX HVX_Vector Q6_Vh_vshuffe_VhVh(HVX_Vector hi, HVX_Vector lo) { return hvx::low_halves(words(hi, lo)).v; }
HEX_HVX HVX_Vector Q6_Vh_vshuffo_VhVh(HVX_Vector hi, HVX_Vector lo) { return hvx::high_halves(words(hi, lo)).v; }
HEX_HVX HVX_Vector Q6_Vh_vasr_VwVwR(HVX_Vector hi, HVX_Vector lo, int32_t count) {
    return hvx::halves_from_bit(words(hi, lo), count).v;
}
HEX_HVX HVX_Vector Q6_Vh_vround_VwVw_sat(HVX_Vector hi, HVX_Vector lo) {
    return hvx::rounded_high_halves(words(hi, lo)).v;
}
HEX_HVX HVX_VectorPair Q6_Wuw_vmpy_VuhVuh(HVX_Vector a, HVX_Vector b) {
    const hvx::i32x32x2 product = hvx::mul_unsigned(hvx::i16x64{a}, hvx::i16x64{b});
    return Q6_W_vcombine_VV(product.hi.v, product.lo.v);
}
HEX_HVX HVX_Vector Q6_Vb_vlut32_VbVbI(HVX_Vector index, HVX_Vector table, int32_t) {
    return hvx::lookup(hvx::u8x128{index}, hvx::u8x128{table}).v;
}
HEX_HVX HVX_VectorPair Q6_Wh_vlut16_VbVhI(HVX_Vector index, HVX_Vector table, int32_t) {
    const hvx::pair<hvx::i16x64> found = hvx::lookup(hvx::u8x128{index}, hvx::i16x64{table});
    return Q6_W_vcombine_VV(found.hi.v, found.lo.v);
}
HEX_HVX HVX_VectorPred Q6_Q_vcmp_eqor_QVwVw(HVX_VectorPred q, HVX_Vector a, HVX_Vector b) {
    return hvx::or_equal(hvx::mask{q}, hvx::i32x32{a}, hvx::i32x32{b}).q;
}
#endif

// Counts that hvx/integer.h and hvx/halfwords.h allow.
HEX_HVX HVX_Vector left_counts(HVX_Vector random) { return Q6_V_vand_VV(random, Q6_Vh_vsplat_R(15)); }
HEX_HVX int32_t right_count(int32_t random) { return random & 15; }
// Half of the indices are within a table of `entries`, of any size.
HEX_HVX HVX_Vector indices(HVX_Vector random, HVX_Vector within, int32_t entries) {
    return Q6_V_vmux_QVV(predicate(within), Q6_V_vand_VV(random, Q6_Vb_vsplat_R(entries - 1)), random);
}

// clang-format off: one name after the other
inline constexpr intrinsic intrinsics[] = {
    HEX_PROVE(Q6_V_vzero, of(Q6_V_vzero())),
    V_R(Q6_V_vsplat_R), V_R(Q6_Vh_vsplat_R), V_R(Q6_Vb_vsplat_R),
    V_VV(Q6_V_vand_VV), V_VV(Q6_V_vor_VV), V_VV(Q6_V_vxor_VV), V_V(Q6_V_vnot_V),
    V_VV(Q6_Vw_vadd_VwVw), V_VV(Q6_Vw_vsub_VwVw), V_VV(Q6_Vh_vadd_VhVh), V_VV(Q6_Vh_vsub_VhVh),
    V_VV(Q6_Vb_vadd_VbVb), V_VV(Q6_Vb_vsub_VbVb), V_VV(Q6_Vh_vadd_VhVh_sat), V_VV(Q6_Vh_vsub_VhVh_sat),
    V_VV(Q6_Vw_vmax_VwVw), V_VV(Q6_Vw_vmin_VwVw), V_VV(Q6_Vh_vmax_VhVh), V_VV(Q6_Vh_vmin_VhVh),
    V_VV(Q6_Vb_vmax_VbVb), V_VV(Q6_Vb_vmin_VbVb), V_VV(Q6_Vub_vmax_VubVub), V_VV(Q6_Vub_vmin_VubVub),
    V_V(Q6_Vw_vabs_Vw), V_V(Q6_Vuw_vcl0_Vuw),
    V_VR(Q6_Vw_vasl_VwR), V_VR(Q6_Vw_vasr_VwR), V_VR(Q6_Vuw_vlsr_VuwR), V_VR(Q6_Vh_vasl_VhR), V_VR(Q6_Vh_vasr_VhR),
    V_VR(Q6_Vuh_vlsr_VuhR), V_VR(Q6_Vub_vlsr_VubR),
    V_VV(Q6_Vw_vasl_VwVw), V_VV(Q6_Vw_vasr_VwVw), V_VV(Q6_Vw_vlsr_VwVw),
    V_V(Q6_Vuh_vcl0_Vuh),
    HEX_PROVE(Q6_Vh_vasl_VhVh, of(Q6_Vh_vasl_VhVh(o.a, left_counts(o.b)))),
    // A mask is the same in all bytes of a lane.
    HEX_PROVE(Q6_Vh_condacc_QVhVh, of(Q6_Vh_condacc_QVhVh(Q6_Q_vcmp_gt_VhVh(o.p, o.c), o.a, o.b))),
    HEX_PROVE(Q6_Vw_condnac_QVwVw, of(Q6_Vw_condnac_QVwVw(Q6_Q_vcmp_gt_VwVw(o.p, o.c), o.a, o.b))),
    HEX_PROVE(Q6_Q_vcmp_eqor_QVwVw, of_predicate(Q6_Q_vcmp_eqor_QVwVw(Q6_Q_vcmp_gt_VwVw(o.p, o.c), o.a, o.b))),
    V_VV(Q6_Vuh_vsub_VuhVuh_sat), V_VV(Q6_Vub_vsub_VubVub_sat),
    HEX_PROVE(Q6_Vh_vasracc_VhVhR, of(Q6_Vh_vasracc_VhVhR(o.a, o.b, right_count(o.r)))),
    // Registers of scalars hold the same byte or halfword everywhere.
    HEX_PROVE(Q6_Vh_vmpyiacc_VhVhRb, of(Q6_Vh_vmpyiacc_VhVhRb(o.a, o.b, (o.r & 0xff) * 0x01010101))),
    HEX_PROVE(Q6_V_vandor_VQR, of(Q6_V_vandor_VQR(o.a, predicate(o.p), (o.r & 0xffff) * 0x00010001))),
    V_QVV(Q6_Vh_condnac_QVhVh), Q_QVV(Q6_Q_vcmp_eqand_QVbVb), Q_QVV(Q6_Q_vcmp_gtand_QVuhVuh),
    Q_QVV(Q6_Q_vcmp_gtor_QVuhVuh),
    V_VV(Q6_Vh_vshuffe_VhVh), V_VV(Q6_Vh_vshuffo_VhVh), V_VV(Q6_Vh_vround_VwVw_sat), W_VV(Q6_Wuw_vmpy_VuhVuh),
    HEX_PROVE(Q6_Vh_vasr_VwVwR, of(Q6_Vh_vasr_VwVwR(o.a, o.b, right_count(o.r)))),
    HEX_PROVE(Q6_Vb_vlut32_VbVbI, of(Q6_Vb_vlut32_VbVbI(indices(o.a, o.p, 32), o.b, 0))),
    HEX_PROVE(Q6_Wh_vlut16_VbVhI, of_pair(Q6_Wh_vlut16_VbVhI(indices(o.a, o.p, 16), o.b, 0))),
    V_VV(Q6_Vw_vrmpy_VubVb), V_VR(Q6_Vw_vrmpy_VubRb), V_VVV(Q6_Vw_vrmpyacc_VwVubVb), V_VVR(Q6_Vw_vrmpyacc_VwVubRb),
    Q_VV(Q6_Q_vcmp_eq_VwVw), Q_VV(Q6_Q_vcmp_gt_VwVw), Q_VV(Q6_Q_vcmp_gt_VuwVuw), Q_VV(Q6_Q_vcmp_eq_VhVh),
    Q_VV(Q6_Q_vcmp_gt_VhVh), Q_VV(Q6_Q_vcmp_gt_VuhVuh), Q_VV(Q6_Q_vcmp_eq_VbVb), Q_VV(Q6_Q_vcmp_gt_VbVb),
    Q_VV(Q6_Q_vcmp_gt_VubVub),
    Q_R(Q6_Q_vsetq_R), Q_R(Q6_Q_vsetq2_R),
    Q_QQ(Q6_Q_and_QQ), Q_QQ(Q6_Q_and_QQn), Q_QQ(Q6_Q_or_QQ), Q_QQ(Q6_Q_or_QQn), Q_QQ(Q6_Q_xor_QQ), Q_Q(Q6_Q_not_Q),
    V_QV(Q6_V_vand_QV), V_QVV(Q6_V_vmux_QVV), STORE_QV(Q6_vmem_QRIV), STORE_QV(Q6_vmem_QnRIV),
    GATHER(Q6_vgather_ARMVw, offsets(o.a, 4)),
    GATHER(Q6_vgather_ARMWw, Q6_W_vcombine_VV(offsets(o.a, 2), offsets(o.b, 2))),
    R_VR(Q6_R_vextract_VR), V_W(Q6_V_lo_W), V_W(Q6_V_hi_W), W_VV(Q6_W_vcombine_VV),
    V_VR(Q6_V_vror_VR), V_VVR(Q6_V_valign_VVR), V_VVR(Q6_V_vlalign_VVR), W_VVR(Q6_W_vshuff_VVR), W_VVR(Q6_W_vdeal_VVR),
    V_V(Q6_Vh_vshuff_Vh), V_V(Q6_Vh_vdeal_Vh),
    V_VV(Q6_Vb_vpacke_VhVh), V_VV(Q6_Vb_vpacko_VhVh), V_VV(Q6_Vh_vpacke_VwVw), V_VV(Q6_Vh_vpacko_VwVw),
    V_VV(Q6_Vb_vpack_VhVh_sat), V_VV(Q6_Vub_vpack_VhVh_sat), V_VV(Q6_Vh_vpack_VwVw_sat),
    W_V(Q6_Wh_vunpack_Vb), W_V(Q6_Wuh_vunpack_Vub), W_V(Q6_Ww_vunpack_Vh), W_V(Q6_Wuw_vunpack_Vuh),
};
// clang-format on
inline constexpr uint32_t n_intrinsics = sizeof intrinsics / sizeof intrinsics[0];

}  // namespace hexane::proof
