// hvx/halfwords.h -- what calculations in halfwords need beyond hvx/integer.h: saturation, multiplication, small tables, and words that
// become halfwords lane by lane.
//
// A pair of word vectors stands for one halfword vector: its even lanes in lo, its odd lanes in hi. That is the order in which Hexagon
// multiplies and narrows; deal_lanes() makes the natural order of it.
//
// Only Hexagon code calculates with these. Their bodies for a PC are for tests.
#pragma once

#include "hvx/integer.h"

namespace hexane::hvx {

#if !HEX_HVX_DEVICE
namespace detail {
typedef uint8_t u8_lanes __attribute__((vector_size(128)));
typedef int32_t i32_lanes __attribute__((vector_size(128)));
typedef uint32_t u32_lanes __attribute__((vector_size(128)));
HEX_HVX HVX_Vector of_halves(u32_lanes even, u32_lanes odd) { return (HVX_Vector)((even & 0xffff) | odd << 16); }
}  // namespace detail
#endif

// a - b as unsigned numbers, no less than zero: Q6_Vuh_vsub_VuhVuh_sat, Q6_Vub_vsub_VubVub_sat.
HEX_HVX i16x64 sub_to_zero(i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    return {Q6_Vuh_vsub_VuhVuh_sat(a.v, b.v)};
#else
    return {(HVX_Vector)__builtin_elementwise_sub_sat((detail::u16_lanes)a.v, (detail::u16_lanes)b.v)};
#endif
}
HEX_HVX u8x128 sub_to_zero(u8x128 a, u8x128 b) {
#if HEX_HVX_DEVICE
    return {Q6_Vub_vsub_VubVub_sat(a.v, b.v)};
#else
    return {(HVX_Vector)__builtin_elementwise_sub_sat((detail::u8_lanes)a.v, (detail::u8_lanes)b.v)};
#endif
}

// sum + (a >> count), the sign kept. REQUIRES: count in 0..15. Q6_Vh_vasracc_VhVhR.
HEX_HVX i16x64 add_shifted_right(i16x64 sum, i16x64 a, int count) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vasracc_VhVhR(sum.v, a.v, count)};
#else
    return add(sum, shift_right(a, count));
#endif
}
// sum + a * factor, wrapping. Q6_Vh_vmpyiacc_VhVhRb.
HEX_HVX i16x64 add_product(i16x64 sum, i16x64 a, int8_t factor) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vmpyiacc_VhVhRb(sum.v, a.v, static_cast<int32_t>(static_cast<uint8_t>(factor) * 0x01010101u))};
#else
    const auto product = (detail::u16_lanes)a.v * static_cast<uint16_t>(factor);
    return {(HVX_Vector)((detail::u16_lanes)sum.v + product)};
#endif
}

// x with the bits of `bits` set where m. Q6_V_vandor_VQR.
HEX_HVX i16x64 set_where(mask m, i16x64 x, uint16_t bits) {
#if HEX_HVX_DEVICE
    return {Q6_V_vandor_VQR(x.v, m.q, static_cast<int32_t>(bits * 0x00010001u))};
#else
    return bit_or(x, keep(m, splat<i16x64>(static_cast<int16_t>(bits))));
#endif
}
// The bytes of a - b where m, those of a elsewhere. Q6_Vh_condnac_QVhVh.
HEX_HVX i16x64 sub_where(mask m, i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_condnac_QVhVh(m.q, a.v, b.v)};
#else
    return select(m, sub(a, b), a);
#endif
}

// m and, or m or the comparison. Q6_Q_vcmp_eqand_QVbVb, Q6_Q_vcmp_gtand_QVuhVuh, Q6_Q_vcmp_gtor_QVuhVuh.
HEX_HVX mask and_equal(mask m, u8x128 a, u8x128 b) {
#if HEX_HVX_DEVICE
    return {Q6_Q_vcmp_eqand_QVbVb(m.q, a.v, b.v)};
#else
    return both(m, equal(a, b));
#endif
}
HEX_HVX mask and_greater_unsigned(mask m, i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    return {Q6_Q_vcmp_gtand_QVuhVuh(m.q, a.v, b.v)};
#else
    return both(m, greater_unsigned(a, b));
#endif
}
HEX_HVX mask or_greater_unsigned(mask m, i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    return {Q6_Q_vcmp_gtor_QVuhVuh(m.q, a.v, b.v)};
#else
    return either(m, greater_unsigned(a, b));
#endif
}

// The low or high halves of the words, those of lo in the even lanes: Q6_Vh_vshuffe_VhVh, Q6_Vh_vshuffo_VhVh.
template <storable V> HEX_HVX i16x64 low_halves(pair<V> x) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vshuffe_VhVh(x.hi.v, x.lo.v)};
#else
    return {detail::of_halves((detail::u32_lanes)x.lo.v, (detail::u32_lanes)x.hi.v)};
#endif
}
template <storable V> HEX_HVX i16x64 high_halves(pair<V> x) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vshuffo_VhVh(x.hi.v, x.lo.v)};
#else
    return {detail::of_halves((detail::u32_lanes)x.lo.v >> 16, (detail::u32_lanes)x.hi.v >> 16)};
#endif
}
// 16 bits of each word, from bit `first` on. REQUIRES: first in 0..15. Q6_Vh_vasr_VwVwR.
template <storable V> HEX_HVX i16x64 halves_from_bit(pair<V> x, int first) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vasr_VwVwR(x.hi.v, x.lo.v, first)};
#else
    return {detail::of_halves((detail::u32_lanes)x.lo.v >> first, (detail::u32_lanes)x.hi.v >> first)};
#endif
}
// The high halves, rounded to nearest, the middle upwards; at most 32767. Q6_Vh_vround_VwVw_sat.
HEX_HVX i16x64 rounded_high_halves(i32x32x2 x) {
#if HEX_HVX_DEVICE
    return {Q6_Vh_vround_VwVw_sat(x.hi.v, x.lo.v)};
#else
    const auto round = [](HVX_Vector words) {
        const auto w = (detail::i32_lanes)words;
        return (detail::u32_lanes)__builtin_elementwise_min((w >> 16) + (w >> 15 & 1), detail::i32_lanes{} + 32767);
    };
    return {detail::of_halves(round(x.lo.v), round(x.hi.v))};
#endif
}
// The products of unsigned halfwords. Q6_Wuw_vmpy_VuhVuh.
HEX_HVX i32x32x2 mul_unsigned(i16x64 a, i16x64 b) {
#if HEX_HVX_DEVICE
    const HVX_VectorPair w = Q6_Wuw_vmpy_VuhVuh(a.v, b.v);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
#else
    const auto x = (detail::u32_lanes)a.v, y = (detail::u32_lanes)b.v;
    return {{(HVX_Vector)((x & 0xffff) * (y & 0xffff))}, {(HVX_Vector)((x >> 16) * (y >> 16))}};
#endif
}

// Even lanes, then odd lanes. Q6_Vh_vdeal_Vh.
HEX_HVX i16x64 deal_lanes(i16x64 x) { return {Q6_Vh_vdeal_Vh(x.v)}; }

// A vector of constants. Loads of it are loads of memory.
template <storable V> struct alignas(vector_bytes) constants {
    typename V::lane at[lanes<V>];
};

// Tables lie in a vector: entry i of 32 bytes is byte 2i, entry i of 16 halfwords is halfword 2i.
template <class Entry> constexpr constants<u8x128> table_of_bytes(Entry entry) {
    constants<u8x128> table{};
    for (uint32_t i = 0; i < 32; ++i) table.at[2 * i] = static_cast<uint8_t>(entry(i));
    return table;
}
template <class Entry> constexpr constants<i16x64> table_of_halves(Entry entry) {
    constants<i16x64> table{};
    for (uint32_t i = 0; i < 16; ++i) table.at[2 * i] = static_cast<int16_t>(entry(i));
    return table;
}
// For each byte its entry, zero for those of 32 and more. Q6_Vb_vlut32_VbVbI.
HEX_HVX u8x128 lookup(u8x128 index, u8x128 table) {
#if HEX_HVX_DEVICE
    return {Q6_Vb_vlut32_VbVbI(index.v, table.v, 0)};
#else
    const auto i = (detail::u8_lanes)index.v, entries = (detail::u8_lanes)table.v;
    detail::u8_lanes found{};
    for (uint32_t k = 0; k < vector_bytes; ++k) found[k] = i[k] < 32 ? entries[2 * i[k]] : 0;
    return {(HVX_Vector)found};
#endif
}
// The entries for the even bytes in lo, for the odd bytes in hi, zero for those of 16 and more. Q6_Wh_vlut16_VbVhI.
HEX_HVX pair<i16x64> lookup(u8x128 index, i16x64 table) {
#if HEX_HVX_DEVICE
    const HVX_VectorPair w = Q6_Wh_vlut16_VbVhI(index.v, table.v, 0);
    return {{Q6_V_lo_W(w)}, {Q6_V_hi_W(w)}};
#else
    const auto i = (detail::u8_lanes)index.v;
    const auto entries = (detail::u16_lanes)table.v;
    detail::u16_lanes even{}, odd{};
    for (uint32_t k = 0; k < lanes<i16x64>; ++k) {
        even[k] = i[2 * k] < 16 ? entries[2 * i[2 * k]] : 0;
        odd[k] = i[2 * k + 1] < 16 ? entries[2 * i[2 * k + 1]] : 0;
    }
    return {{(HVX_Vector)even}, {(HVX_Vector)odd}};
#endif
}

}  // namespace hexane::hvx
