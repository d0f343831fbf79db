// hvx/reduce.h -- sums over the lanes of a vector, in a fixed order.
#pragma once

#include "hvx/float.h"
#include "hvx/permute.h"

namespace hexane::hvx {

// The sum of all 32 lanes, in every lane. Order: a binary tree, lane i with lane i + 16, then 8, 4, 2, 1; addition commutes, so
// every lane gets the same bits.
HEX_HVX f32x32 sum_lanes(f32x32 x) {
    x = add(x, rotate_bytes(x, 64));
    x = add(x, rotate_bytes(x, 32));
    x = add(x, rotate_bytes(x, 16));
    x = add(x, rotate_bytes(x, 8));
    return add(x, rotate_bytes(x, 4));
}

}  // namespace hexane::hvx
