// ops/rope/kernel.h -- what the two parts of the kernel share.
#pragma once

#include "kernels/kernel.h"
#include "ops/rope/rope.h"

namespace hexane::kernels {

// Fills `to` (op::rope_layout::frequency_bytes, line-aligned, cached) with the frequencies of all pairs. `factors` is the
// third source or null. Main thread, before the workers run.
//
// A frequency F is a fraction of a turn per position, in 2^-64. Word w of a pair, w in 0..4, has bytes w .. w+3 of F,
// the most significant one first in memory: position * F is then a sum of products of bytes (angle_of() in kernel.cpp).
void fill_frequencies(uint8_t *to, const op::rope_params &p, const float *factors);

}  // namespace hexane::kernels
