// ops/mul_mat/fold.h -- reducing the lanes of many vectors at once: 32 vectors to the 32 lanes of one, five steps, one
// permutation each.
//
//   fold<4>:  a0 a1 .. a31   b ..   c ..   d ..   ->   8 lanes of a, 8 of b, 8 of c, 8 of d; each the combination of 4 neighbours
#pragma once

#include "hvx/permute.h"

namespace hexane::matmul {

// Combines N neighbouring lanes of each of the vectors vectors(first) .. vectors(first + N - 1). Lanes stay in the
// order of the vectors. N: a power of two up to 32. The order in which the lanes of a vector are combined depends on
// nothing.
template <uint32_t N, class Vectors, class Combine> HEX_HVX auto fold(uint32_t first, Vectors &&vectors,
                                                                      Combine &&combine) {
    if constexpr (N == 1) {
        return vectors(first);
    } else {
        const auto d =
            hvx::deal_words(fold<N / 2>(first, vectors, combine), fold<N / 2>(first + N / 2, vectors, combine));
        return combine(d.lo, d.hi);
    }
}

}  // namespace hexane::matmul
