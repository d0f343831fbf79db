// kernels/float_rows.h -- rows of f32, f16 or bf16 elements as vectors of f32: what the bodies of the elementwise ops are
// made of.
//
// A body goes over a row in steps of 64 elements: one vector of a 16-bit type, two of f32. Rows begin on 128-byte
// lines; a step touches no line that has no element of the row.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "base/align.h"
#include "htp/vtcm_byte.h"
#include "hvx/convert.h"
#include "hvx/float32.h"
#include "hvx/memory.h"

namespace hexane::kernels {

using htp::vtcm_byte;

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
#pragma clang loop unroll(disable)
    for (; i + step_elements / 2 < n; i += step_elements) step(i, whole_step{});
    if (i < n) step(i, lower_step{});
}

// Elements of a type in memory, f32 in registers. Without an upper half, that half of the result is anything.
template <data_type T> struct elements;

template <> struct elements<data_type::f32> {
    static constexpr uint32_t bytes = 4;
    using vector = hvx::f32x32;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const vtcm_byte *row, uint32_t i, Step) {
        const auto lo = hvx::load<hvx::f32x32>(row + i * bytes);
        if constexpr (Step::upper) return {lo, hvx::load<hvx::f32x32>(row + i * bytes + hvx::vector_bytes)};
        return {lo, lo};
    }
    template <class Step> HEX_HVX static void store(vtcm_byte *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, x.lo);
        if constexpr (Step::upper) hvx::store(row + i * bytes + hvx::vector_bytes, x.hi);
    }
};

template <> struct elements<data_type::f16> {
    static constexpr uint32_t bytes = 2;
    using vector = hvx::f16x64;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const vtcm_byte *row, uint32_t i, Step) {
        return hvx::to_f32(hvx::load<hvx::f16x64>(row + i * bytes));
    }
    template <class Step> HEX_HVX static void store(vtcm_byte *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, hvx::to_f16(x.lo, x.hi));
    }
};

template <> struct elements<data_type::bf16> {
    static constexpr uint32_t bytes = 2;
    using vector = hvx::bf16x64;
    template <class Step> HEX_HVX static hvx::f32x32x2 load(const vtcm_byte *row, uint32_t i, Step) {
        return hvx::to_f32(hvx::load<hvx::bf16x64>(row + i * bytes));
    }
    template <class Step> HEX_HVX static void store(vtcm_byte *row, uint32_t i, hvx::f32x32x2 x, Step) {
        hvx::store(row + i * bytes, hvx::to_bf16(x.lo, x.hi));
    }
};

template <data_type T> using vector_of = typename elements<T>::vector;

// Vectors of a row of n elements.
template <data_type T> constexpr uint32_t vectors_in(uint32_t n) { return base::ceil_div(n, hvx::lanes<vector_of<T>>); }

// How many vectors an iteration takes on a device. Chains of a few operations hide each other's latency; of longer ones
// there are registers for fewer, and of the longest, on v73, the compiler's software pipelining does better with one.
template <uint32_t Vectors> struct body {
    static constexpr uint32_t together = Vectors;
};
using short_body = body<4>;
using medium_body = body<3>;
using long_body = body<2>;
using longest_body = body<hvx::qf32_arithmetic ? 1 : 3>;
using single_body = body<1>;

// Fewer where the conversion takes registers of its own.
template <data_type T> struct short_body_of : short_body {};
template <> struct short_body_of<data_type::bf16> : long_body {};

namespace detail {
// With `again`, f gets what `out` holds in front of the others. Loads and stores stand here themselves: load() and store() may be
// inlined later than this function, and then the compiler no longer knows that operands are apart, and does not pipeline the loop.
template <hvx::storable V, uint32_t Together, bool Again, class F, class... In>
HEX_HVX void map_groups(vtcm_byte *__restrict out, uint32_t groups, F &f, const In *__restrict... in) {
    using line = hvx::detail::aligned_bytes;
    constexpr uint32_t bytes = Together * hvx::vector_bytes;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < groups; ++i) {
        V result[Together];
        for (uint32_t k = 0; k < Together; ++k) {
            const uint32_t at = k * hvx::vector_bytes;
            if constexpr (Again) {
                result[k] = f(V{*(const line *)(out + at)}, V{*(const line *)(in + at)}...);
            } else {
                result[k] = f(V{*(const line *)(in + at)}...);
            }
        }
        for (uint32_t k = 0; k < Together; ++k) *(line *)(out + k * hvx::vector_bytes) = result[k].v;
        out += bytes;
        ((in += bytes), ...);
    }
}
// On a PC: two vectors of f32 at a time, all loads before the first calculation; 6% for SWIGLU.
template <hvx::storable V, class F, class... In>
HEX_HVX void map_on_pc(vtcm_byte *out, uint32_t n_vectors, F &f, const In *...in) {
    const uint32_t bytes = n_vectors * hvx::vector_bytes;
    uint32_t at = 0;
    if constexpr (hvx::lanes<V> < step_elements) {
        for (; at + 2 * hvx::vector_bytes <= bytes; at += 2 * hvx::vector_bytes) {
            const hvx::pair<V> result = [&](auto... x) __attribute__((always_inline)) {
                return hvx::pair<V>{f(x.lo...), f(x.hi...)};
            }(hvx::pair<V>{hvx::load<V>(in + at), hvx::load<V>(in + at + hvx::vector_bytes)}...);
            hvx::store(out + at, result.lo);
            hvx::store(out + at + hvx::vector_bytes, result.hi);
        }
    }
    for (; at < bytes; at += hvx::vector_bytes) hvx::store(out + at, f(hvx::load<V>(in + at)...));
}
template <hvx::storable V, class Body, bool Again, class F, class... In>
HEX_HVX void map_all(vtcm_byte *out, uint32_t n_vectors, F &f, const In *...in) {
    constexpr uint32_t together = Body::together;
    const uint32_t groups = n_vectors / together;
    map_groups<V, together, Again>(out, groups, f, in...);
    if constexpr (together > 1) {
        const uint32_t done = groups * together * hvx::vector_bytes;
        map_groups<V, 1, Again>(out + done, n_vectors % together, f, in + done...);
    }
}
}  // namespace detail

// out[i] = f(in[i]...) for the vectors of rows of one type. REQUIRES: no source overlaps `out`.
template <hvx::storable V, class Body, class F, class... In>
HEX_HVX void map_vectors(Body, vtcm_byte *out, uint32_t n_vectors, F f, const In *...in) {
    if constexpr (hvx::short_loops) {
        detail::map_all<V, Body, false>(out, n_vectors, f, in...);
    } else {
        detail::map_on_pc<V>(out, n_vectors, f, in...);
    }
}
// out[i] = f(out[i], in[i]...).
template <hvx::storable V, class Body, class F, class... In>
HEX_HVX void update_vectors(Body, vtcm_byte *out, uint32_t n_vectors, F f, const In *...in) {
    detail::map_all<V, Body, true>(out, n_vectors, f, in...);
}

// Calls f.template operator()<T>() with the type `t`. REQUIRES: one of the three.
template <class F> inline void with_float_type(data_type t, F &&f) {
    switch (t) {
        case data_type::f32: return f.template operator()<data_type::f32>();
        case data_type::f16: return f.template operator()<data_type::f16>();
        case data_type::bf16: return f.template operator()<data_type::bf16>();
        case data_type::q4_0:
        case data_type::q8_0:
        case data_type::i8:
        case data_type::i16:
        case data_type::i32:
        case data_type::i64: break;
    }
    __builtin_trap();  // a planner let it through
}

// Something for each of the three types: of_float<body>{...}[t].
template <class V> struct of_float {
    V f32, f16, bf16;
    constexpr const V &operator[](data_type t) const {
        const V *of = nullptr;
        with_float_type(t, [&]<data_type T>() {
            of = T == data_type::f32 ? &f32 : T == data_type::f16 ? &f16 : &bf16;
        });
        return *of;
    }
};

// The first lane of x in all lanes: doublings, since VTCM has no scalar load.
template <hvx::storable V> HEX_HVX V splat_first(V x) {
    auto bits = hvx::keep(hvx::first_lanes<V>(1), x);
    for (int step = hvx::vector_bytes / 2; step >= static_cast<int>(sizeof(typename V::lane)); step /= 2)
        bits = hvx::bit_or(bits, hvx::rotate_bytes(bits, step));
    return bits;
}

// The first element of a row, in all lanes.
template <data_type T> HEX_HVX vector_of<T> splat_element(const vtcm_byte *row) {
    return splat_first(hvx::load<vector_of<T>>(row));
}

}  // namespace hexane::kernels
