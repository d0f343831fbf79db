// virtual/hvx/hexagon_types.h -- the HVX register types of the device's <hexagon_types.h>, as PC vectors of 128 bytes.
// clang only: gcc lowers vectors of this size badly. Only the 128-byte mode exists.
#pragma once

#ifndef __clang__
#error "the virtual HVX needs clang"
#endif

#include <stdint.h>

// One vector register. The element type carries no meaning, as on the device: an intrinsic's name says how it reads the
// bits.
typedef int32_t HVX_Vector __attribute__((vector_size(128), aligned(128)));

// The same bytes at any address.
typedef int32_t HVX_UVector __attribute__((vector_size(128), aligned(1), may_alias));

// Two registers; `lo` is the device's V[0], `hi` its V[1].
struct HVX_VectorPair {
    HVX_Vector lo;
    HVX_Vector hi;
};

// A vector predicate. The device has one bit per byte, here it is a byte of all ones or all zeros.
struct HVX_VectorPred {
    HVX_Vector bytes;
};

typedef int32_t Word32;
