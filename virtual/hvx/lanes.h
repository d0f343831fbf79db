// virtual/hvx/lanes.h -- the lane views of a vector and compile-time shuffles, from which the intrinsics are built.
#pragma once

#include "virtual/hvx/hexagon_types.h"

// An intrinsic. Vectors of 128 bytes are passed through memory by the calling convention, so nothing may stay out of
// line.
#define HEX_Q6 static inline __attribute__((always_inline, unused))

namespace hexane::virtual_hvx {

typedef int8_t b_lanes __attribute__((vector_size(128)));
typedef uint8_t ub_lanes __attribute__((vector_size(128)));
typedef int16_t h_lanes __attribute__((vector_size(128)));
typedef uint16_t uh_lanes __attribute__((vector_size(128)));
typedef int32_t w_lanes __attribute__((vector_size(128)));
typedef uint32_t uw_lanes __attribute__((vector_size(128)));

typedef int8_t half_b_lanes __attribute__((vector_size(64)));
typedef uint8_t half_ub_lanes __attribute__((vector_size(64)));
typedef int16_t half_h_lanes __attribute__((vector_size(64)));
typedef uint16_t half_uh_lanes __attribute__((vector_size(64)));

template <int... I> struct indices {};
template <class T, T... I> struct index_list {
    using type = indices<I...>;
};
template <int N> using first_indices = typename __make_integer_seq<index_list, int, N>::type;

// Lane i of the result is lane at(i) of the concatenation (a, b), in lanes of the vector type V.
template <class V, class At, int... I> HEX_Q6 V shuffle_at(V a, V b, At, indices<I...>) {
    return __builtin_shufflevector(a, b, At::at(I)...);
}
template <class V, class At> HEX_Q6 HVX_Vector shuffle(HVX_Vector a, HVX_Vector b, At at) {
    constexpr int lanes = sizeof(V) / sizeof(V{}[0]);
    return (HVX_Vector)shuffle_at<V>((V)a, (V)b, at, first_indices<lanes>());
}

// Index maps. `Lanes` is the number of lanes of one register; the concatenation has twice as many.
template <int Stride, int Offset> struct every {  // deal: every Stride-th lane
    static constexpr int at(int i) { return i * Stride + Offset; }
};
template <int Lanes, int From> struct interleave {  // a[From], b[From], a[From + 1], ...
    static constexpr int at(int i) { return From + i / 2 + (i % 2) * Lanes; }
};
template <int Lanes, int Count> struct rotate {  // lane i from lane i + Count, around
    static constexpr int at(int i) { return (i + Count) % Lanes; }
};
template <int Lanes, int Block,
          int Which> struct exchange {  // one stage of vshuff: blocks of Block lanes change places
    static constexpr int at(int i) {
        const int from_second = (i & Block) != 0;
        const int inner = Which == 0 ? i & ~Block : i | Block;
        return inner + (from_second ? Lanes : 0);
    }
};

}  // namespace hexane::virtual_hvx
