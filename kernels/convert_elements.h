// kernels/convert_elements.h -- packed elements from one type to another.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "htp/vtcm_byte.h"

namespace hexane::kernels {

using htp::vtcm_byte;

// dst[i] = src[i] in type `to`, for n packed elements. Floats are rounded to nearest even, integers towards zero. Both
// buffers begin on a line, do not overlap, and may be touched up to the end of their last one. REQUIRES: two different
// ones of f32, f16 and bf16, or f32 and i32.
void convert_elements(data_type to, vtcm_byte *dst, data_type from, const vtcm_byte *src, uint32_t n);

}  // namespace hexane::kernels
