// hvx/elementwise.h -- a function of f32 numbers on vectors of any float type, lane by lane, rounded once.
//
// The lanes of 16-bit vectors are taken apart by parity, even lanes in lo and odd lanes in hi, because that is what
// Hexagon's conversions do for nothing; the PC keeps their natural order. Who combines such a pair with something else
// brings it into the same order with by_parity().
#pragma once

#include "hvx/chain.h"
#include "hvx/float16.h"

namespace hexane::hvx {

// Natural order to that of widen_lanes(). Q6_W_vdeal_VVR.
HEX_HVX f32x32x2 by_parity(f32x32x2 x) {
#if HEX_HVX_DEVICE
    return deal_words(x.lo, x.hi);
#else
    return x;
#endif
}

#if HEX_F32_QFLOAT
// f16 to qf32 and back by the hardware: what becomes of infinities, NaN and subnormal f16 numbers is its affair, as for
// all arithmetic in qf32. Copies go by the bits (hvx/convert.h).
HEX_HVX pair<qf32x32> to_qf(f16x64 x) { return mul_qf(x, splat<f16x64>(0x3c00)); }
HEX_HVX f16x64 to_f16(pair<qf32x32> x) { return {Q6_Vhf_equals_Wqf32(Q6_W_vcombine_VV(x.hi.v, x.lo.v))}; }
#endif

// Q6_Wsf_vcvt_Vhf (v79), Q6_Wqf32_vmpy_VhfVhf by one (v73), shifts for bf16.
HEX_HVX f32x32x2 widen_lanes(f16x64 x) {
#if HEX_F32_IEEE
    const HVX_VectorPair even_odd = Q6_Wsf_vcvt_Vhf(x.v);
    return {{Q6_V_lo_W(even_odd)}, {Q6_V_hi_W(even_odd)}};
#elif HEX_F32_QFLOAT
    const pair<qf32x32> even_odd = to_qf(x);
    return {to_f32(even_odd.lo), to_f32(even_odd.hi)};
#else
    return by_parity(to_f32(x));
#endif
}
HEX_HVX f32x32x2 widen_lanes(bf16x64 x) {
#if HEX_HVX_DEVICE
    const u32x32 both = bits_as<u32x32>(x);
    return {bits_as<f32x32>(shift_left(both, 16)), bits_as<f32x32>(bit_and(both, splat<u32x32>(0xffff0000u)))};
#else
    return to_f32(x);
#endif
}

// The inverse, rounded to nearest even. Q6_Vhf_vcvt_VsfVsf (v79), Q6_Vhf_equals_Wqf32 (v73).
template <storable To> HEX_HVX To narrow_lanes(f32x32x2 x);
template <> HEX_HVX f16x64 narrow_lanes<f16x64>(f32x32x2 x) {
#if HEX_F32_IEEE
    return {Q6_Vhf_vcvt_VsfVsf(x.hi.v, x.lo.v)};
#elif HEX_F32_QFLOAT
    const f32x32 one = splat<f32x32>(1.0f);
    return to_f16(pair<qf32x32>{mul_qf(x.lo, one), mul_qf(x.hi, one)});
#elif HEX_HVX_DEVICE
    const f32x32x2 natural = interleave_words(x.lo, x.hi);
    return to_f16(natural);
#else
    return to_f16(x);
#endif
}
template <> HEX_HVX bf16x64 narrow_lanes<bf16x64>(f32x32x2 x) {
#if HEX_HVX_DEVICE
    const u32x32 upper = splat<u32x32>(0xffff0000u);
    const u32x32 even = shift_right(detail::round_to_bf16(x.lo), 16);
    return bits_as<bf16x64>(bit_or(even, bit_and(detail::round_to_bf16(x.hi), upper)));
#else
    return to_bf16(x);
#endif
}

// Even lanes of one vector, odd lanes of another.
template <storable V> HEX_HVX V merge_odd(V even, V odd) {
    static_assert(sizeof(typename V::lane) == 2);
    const u32x32 upper = splat<u32x32>(0xffff0000u);
    const u32x32 lower = splat<u32x32>(0x0000ffffu);
    return bits_as<V>(bit_or(bit_and(bits_as<u32x32>(even), lower), bit_and(bits_as<u32x32>(odd), upper)));
}

// f(x...) in f32.
template <class F, class... X> HEX_HVX f32x32 elementwise(F f, f32x32 first, X... x) { return f(first, x...); }
template <class F, storable V, class... X>
    requires(sizeof(typename V::lane) == 2)
HEX_HVX V elementwise(F f, V first, X... x) {
    return narrow_lanes<V>([&](auto... wide) __attribute__((always_inline)) {
        return f32x32x2{f(wide.lo...), f(wide.hi...)};
    }(widen_lanes(first), widen_lanes(x)...));
}

// What needs `next` begins when `done` is done: for functions that take many registers.
HEX_HVX void in_turn([[maybe_unused]] f32x32 &done, [[maybe_unused]] f32x32 &next) {
#if HEX_HVX_DEVICE
    asm volatile("" : "+v"(done.v), "+v"(next.v));
#endif
}

// elementwise() with one half after the other.
template <class F, class... X> HEX_HVX f32x32 elementwise_in_turn(F f, f32x32 first, X... x) { return f(first, x...); }
template <class F, storable V, class... X>
    requires(sizeof(typename V::lane) == 2)
HEX_HVX V elementwise_in_turn(F f, V first, X... x) {
    return narrow_lanes<V>([&](auto... wide) __attribute__((always_inline)) {
        f32x32 lo = f(wide.lo...);
        (in_turn(lo, wide.hi), ...);
        return f32x32x2{lo, f(wide.hi...)};
    }(widen_lanes(first), widen_lanes(x)...));
}

// Sum, difference and product. Those of f16 numbers, rounded once, are the sums, differences and products in f32,
// rounded again: 24 bits are enough for twice 11. Q6_Vhf_vadd_VhfVhf and so on (v79), qf32 without a detour (v73).
HEX_HVX f16x64 add(f16x64 a, f16x64 b) {
#if HEX_F32_IEEE
    return {Q6_Vhf_vadd_VhfVhf(a.v, b.v)};
#elif HEX_F32_QFLOAT
    const pair<qf32x32> x = to_qf(a), y = to_qf(b);
    return to_f16(pair<qf32x32>{add_qf(x.lo, y.lo), add_qf(x.hi, y.hi)});
#else
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return add(x, y); }, a, b);
#endif
}
HEX_HVX f16x64 sub(f16x64 a, f16x64 b) {
#if HEX_F32_IEEE
    return {Q6_Vhf_vsub_VhfVhf(a.v, b.v)};
#elif HEX_F32_QFLOAT
    const pair<qf32x32> x = to_qf(a), y = to_qf(b);
    return to_f16(pair<qf32x32>{sub_qf(x.lo, y.lo), sub_qf(x.hi, y.hi)});
#else
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return sub(x, y); }, a, b);
#endif
}
HEX_HVX f16x64 mul(f16x64 a, f16x64 b) {
#if HEX_F32_IEEE
    return {Q6_Vhf_vmpy_VhfVhf(a.v, b.v)};
#elif HEX_F32_QFLOAT
    return to_f16(mul_qf(a, b));
#else
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return mul(x, y); }, a, b);
#endif
}

HEX_HVX bf16x64 add(bf16x64 a, bf16x64 b) {
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return add(x, y); }, a, b);
}
HEX_HVX bf16x64 sub(bf16x64 a, bf16x64 b) {
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return sub(x, y); }, a, b);
}
HEX_HVX bf16x64 mul(bf16x64 a, bf16x64 b) {
    return elementwise([](f32x32 x, f32x32 y) __attribute__((always_inline)) { return mul(x, y); }, a, b);
}

// The products of the lanes added to two sums, which product to which as mul_acc (hvx/float16.h) has it.
HEX_HVX void chain_mul_acc(chain (&sum)[2], f16x64 a, f16x64 b) {
#if HEX_F32_QFLOAT
    const pair<qf32x32> products = mul_qf(a, b);
    sum[0] = {add_qf(products.lo, qf32x32{sum[0].v}).v};
    sum[1] = {add_qf(products.hi, qf32x32{sum[1].v}).v};
#else
    const f32x32x2 next = mul_acc(f32x32x2{to_f32(sum[0]), to_f32(sum[1])}, a, b);
    sum[0] = {next.lo.v};
    sum[1] = {next.hi.v};
#endif
}

// x * factor, rounded once.
HEX_HVX f16x64 scale_lanes(f16x64 x, f32x32 factor) {
#if HEX_F32_QFLOAT
    const pair<qf32x32> wide = to_qf(x);
    const qf32x32 f = add_qf(factor, zero<f32x32>());
    return to_f16(pair<qf32x32>{mul_qf(wide.lo, f), mul_qf(wide.hi, f)});
#else
    return elementwise([=](f32x32 y) __attribute__((always_inline)) { return mul(y, factor); }, x);
#endif
}
template <storable V> HEX_HVX V scale_lanes(V x, f32x32 factor) {
    return elementwise([=](f32x32 y) __attribute__((always_inline)) { return mul(y, factor); }, x);
}

// x * factor + bias, rounded once (after an f32 rounding or two).
HEX_HVX f16x64 scale_lanes(f16x64 x, f32x32 factor, f32x32 bias) {
#if HEX_F32_QFLOAT
    const pair<qf32x32> wide = to_qf(x);
    const qf32x32 f = add_qf(factor, zero<f32x32>());
    return to_f16(pair<qf32x32>{add_qf(mul_qf(wide.lo, f), bias), add_qf(mul_qf(wide.hi, f), bias)});
#else
    return elementwise([=](f32x32 y) __attribute__((always_inline)) { return mul_add(bias, y, factor); }, x);
#endif
}
template <storable V> HEX_HVX V scale_lanes(V x, f32x32 factor, f32x32 bias) {
    return elementwise([=](f32x32 y) __attribute__((always_inline)) { return mul_add(bias, y, factor); }, x);
}

}  // namespace hexane::hvx
