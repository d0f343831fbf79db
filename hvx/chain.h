// hvx/chain.h -- the steps of one expression, whose intermediate results need no rounding to f32.
//
// On v73 and v75 a chain is a qf32: rounding it costs an instruction in the one pipe that adds and shifts, and that pipe
// is the bottleneck of every polynomial. Elsewhere it is an f32. A qf32 is not normalised after a subtraction that
// cancels: its product has fewer good bits then. So a difference of near equals is rounded by to_f32 before it is a
// factor; sums in which one addend dominates, and products, are not.
//
// Like every qf32 it must not be written to memory, by a spill neither: chains live in small functions.
#pragma once

#include "hvx/float32.h"

namespace hexane::hvx {

struct chain {
    HVX_Vector v;
};

// Rounded to f32. Q6_Vsf_equals_Vqf32.
HEX_HVX f32x32 to_f32(chain a) {
#if HEX_F32_QFLOAT
    return to_f32(qf32x32{a.v});
#else
    return {a.v};
#endif
}

// Exact.
HEX_HVX chain chain_of(f32x32 a) {
#if HEX_F32_QFLOAT
    return {add_qf(a, zero<f32x32>()).v};
#else
    return {a.v};
#endif
}

HEX_HVX chain chain_add(f32x32 a, f32x32 b) {
#if HEX_F32_QFLOAT
    return {add_qf(a, b).v};
#else
    return {add(a, b).v};
#endif
}
HEX_HVX chain chain_add(chain a, f32x32 b) {
#if HEX_F32_QFLOAT
    return {add_qf(qf32x32{a.v}, b).v};
#else
    return {add(to_f32(a), b).v};
#endif
}

HEX_HVX chain chain_mul(f32x32 a, f32x32 b) {
#if HEX_F32_QFLOAT
    return {mul_qf(a, b).v};
#else
    return {mul(a, b).v};
#endif
}
HEX_HVX chain chain_mul(chain a, chain b) {
#if HEX_F32_QFLOAT
    return {mul_qf(qf32x32{a.v}, qf32x32{b.v}).v};
#else
    return {mul(to_f32(a), to_f32(b)).v};
#endif
}

// acc + a * b, with as few roundings as the dialect can.
HEX_HVX chain chain_mul_add(f32x32 acc, f32x32 a, f32x32 b) {
#if HEX_F32_QFLOAT
    return chain_add(chain_mul(a, b), acc);
#else
    return {mul_add(acc, a, b).v};
#endif
}
HEX_HVX chain chain_mul_add(f32x32 acc, chain a, chain b) {
#if HEX_F32_QFLOAT
    return chain_add(chain_mul(a, b), acc);
#else
    return {mul_add(acc, to_f32(a), to_f32(b)).v};
#endif
}
HEX_HVX chain chain_mul_add(chain acc, f32x32 a, f32x32 b) {
#if HEX_F32_QFLOAT
    return {add_qf(mul_qf(a, b), qf32x32{acc.v}).v};
#else
    return {mul_add(to_f32(acc), a, b).v};
#endif
}

}  // namespace hexane::hvx
