// htp/vtcm_byte.h -- what VTCM consists of, for kernels: bytes that can be addressed, moved by DMA and loaded as vectors, and not
// read or written one by one.
#pragma once

#include <stdint.h>

namespace hexane::htp {

// Scalar loads from VTCM are slow, and a byte without a value and without arithmetic keeps them from being written by mistake. What
// scalars must read lies in the scratch area, as uint8_t.
enum class vtcm_byte : uint8_t {};

}  // namespace hexane::htp
