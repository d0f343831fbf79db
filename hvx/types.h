// hvx/types.h -- the vector types: 128 bytes with a meaning. All operations are free functions in the other headers of
// hvx/.
//
//   f32x32   i32x32  u32x32      words
//   f16x64   bf16x64 i16x64      halfwords
//   i8x128   u8x128              bytes
//   mask                         a yes or no per byte, made by compares and first_lanes
//
// A vector never outlives a function call in a register: pass it to inlined functions and lambdas only.
#pragma once

#include "hvx/dialect.h"

namespace hexane::hvx {

constexpr uint32_t vector_bytes = 128;

// Whether long calculations are cut into several short loops over a row. The compiler for Hexagon overlaps the
// iterations of a loop of up to 27 packets, and keeps the constants of a loop in registers, of which there are 32.
inline constexpr bool short_loops = HEX_HVX_DEVICE;
// Whether f32 arithmetic is qf32 arithmetic: half of it competes for one pipe.
inline constexpr bool qf32_arithmetic = HEX_F32_QFLOAT;

struct f32x32 {
    using lane = float;
    HVX_Vector v;
};
struct i32x32 {
    using lane = int32_t;
    HVX_Vector v;
};
struct u32x32 {
    using lane = uint32_t;
    HVX_Vector v;
};
// IEEE binary16 by its bits: the Hexagon target has no cheap scalar type for it.
struct f16x64 {
    using lane = uint16_t;
    HVX_Vector v;
};
// The upper half of an f32, by its bits.
struct bf16x64 {
    using lane = uint16_t;
    HVX_Vector v;
};
struct i16x64 {
    using lane = int16_t;
    HVX_Vector v;
};
struct i8x128 {
    using lane = int8_t;
    HVX_Vector v;
};
struct u8x128 {
    using lane = uint8_t;
    HVX_Vector v;
};

// Two vectors that belong together: the lanes of lo come first.
template <class V> struct pair {
    V lo;
    V hi;
};
using f32x32x2 = pair<f32x32>;
using i32x32x2 = pair<i32x32>;

// Of the lanes of any vector type, byte by byte; an operation reads the bytes of its own lanes, which are all equal.
struct mask {
    HVX_VectorPred q;
};

// What may lie in memory. qf32x32 (hvx/qfloat.h) is not among it: qf values are corrupted when they are stored.
template <class V> inline constexpr bool is_storable = false;
template <> inline constexpr bool is_storable<f32x32> = true;
template <> inline constexpr bool is_storable<i32x32> = true;
template <> inline constexpr bool is_storable<u32x32> = true;
template <> inline constexpr bool is_storable<f16x64> = true;
template <> inline constexpr bool is_storable<bf16x64> = true;
template <> inline constexpr bool is_storable<i16x64> = true;
template <> inline constexpr bool is_storable<i8x128> = true;
template <> inline constexpr bool is_storable<u8x128> = true;
template <class V>
concept storable = is_storable<V>;

template <storable V> inline constexpr uint32_t lanes = vector_bytes / sizeof(typename V::lane);

// The same bits as another type.
template <storable To, storable From> HEX_HVX To bits_as(From x) { return {x.v}; }

}  // namespace hexane::hvx
