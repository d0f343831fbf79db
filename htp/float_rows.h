// htp/float_rows.h -- rows of f32, f16 or bf16 elements as vectors of f32: what the bodies of the elementwise ops are
// made of.
//
// A body goes over a row in steps of 64 elements: one vector of a 16-bit type, two of f32. Rows begin on 128-byte
// lines; a step touches no line that has no element of the row.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "hvx/convert.h"
#include "hvx/float32.h"
#include "hvx/memory.h"

namespace hexane::htp {

inline constexpr uint32_t step_elements = 64;

// Whether a step has more than 32 elements, as a type: f32 rows have a second vector then.
struct whole_step {
    static constexpr bool upper = true;
};
struct lower_step {
    static constexpr bool upper = false;
};

// Calls step(i, whole_step or lower_step) for the elements [i, i + 64) of a row of n.
template <class Step> HEX_HVX void for_each_step(uint32_t n, Step &&step) {
    uint32_t i = 0;
    for (; i + step_elements / 2 < n; i += step_elements) step(i, whole_step{});
    if (i < n) step(i, lower_step{});
}

// Elements of a type in memory, f32 in registers. Without an upper half, that half of the result is anything.
template <data_type T> struct elements;

template <> struct elements<data_type::f32> {
    static constexpr uint32_t bytes = 4;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const uint8_t *row, uint32_t i, Step) {
        const auto lo = hvx::load<hvx::f32x32>(row + i * bytes);
        if constexpr (Step::upper) return {lo, hvx::load<hvx::f32x32>(row + i * bytes + hvx::vector_bytes)};
        return {lo, lo};
    }
    template <class Step> HEX_HVX static void store(uint8_t *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, x.lo);
        if constexpr (Step::upper) hvx::store(row + i * bytes + hvx::vector_bytes, x.hi);
    }
};

template <> struct elements<data_type::f16> {
    static constexpr uint32_t bytes = 2;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const uint8_t *row, uint32_t i, Step) {
        return hvx::to_f32(hvx::load<hvx::f16x64>(row + i * bytes));
    }
    template <class Step> HEX_HVX static void store(uint8_t *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, hvx::to_f16(x.lo, x.hi));
    }
};

template <> struct elements<data_type::bf16> {
    static constexpr uint32_t bytes = 2;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const uint8_t *row, uint32_t i, Step) {
        return hvx::to_f32(hvx::load<hvx::bf16x64>(row + i * bytes));
    }
    template <class Step> HEX_HVX static void store(uint8_t *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, hvx::to_bf16(x.lo, x.hi));
    }
};

// Calls f.template operator()<T>() with the type `t`. REQUIRES: one of the three.
template <class F> inline void with_float_type(data_type t, F &&f) {
    switch (t) {
        case data_type::f16: return f.template operator()<data_type::f16>();
        case data_type::bf16: return f.template operator()<data_type::bf16>();
        default: return f.template operator()<data_type::f32>();
    }
}

// The first lane of x in all lanes: five doublings, since VTCM has no scalar load.
HEX_HVX hvx::f32x32 splat_first(hvx::f32x32 x) {
    auto bits = hvx::keep(hvx::first_lanes<hvx::u32x32>(1), hvx::bits_as<hvx::u32x32>(x));
    bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, 64));
    bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, 32));
    bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, 16));
    bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, 8));
    bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, 4));
    return hvx::bits_as<hvx::f32x32>(bits);
}

// The first element of a row, in all lanes.
template <data_type T> HEX_HVX hvx::f32x32 splat_element(const uint8_t *row) {
    return splat_first(elements<T>::load(row, 0, lower_step{}).lo);
}

}  // namespace hexane::htp
