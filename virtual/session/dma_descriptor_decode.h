// virtual/session/dma_descriptor_decode.h -- what a DMA descriptor asks for, read bit by bit as the architecture defines it.
//
// Written from the documented layouts, independently of the encoder in htp/, so that a mistake on one side shows.
#pragma once

#include <stdint.h>

#include "abi/arch.h"

namespace hexane::virt {

// `rows` pieces of `row_bytes`.
struct dma_work {
    uint64_t dst = 0, src = 0;
    uint32_t row_bytes = 0, rows = 1;
    uint32_t dst_stride = 0, src_stride = 0;
    uint32_t next = 0;  // address of the following descriptor

    bool is_contiguous() const { return rows == 1 || (dst_stride == row_bytes && src_stride == row_bytes); }
    uint64_t dst_extent() const { return uint64_t{rows - 1} * dst_stride + row_bytes; }
    uint64_t src_extent() const { return uint64_t{rows - 1} * src_stride + row_bytes; }
};

// The first rule that a descriptor breaks, or null and `work`. `address` is where the descriptor lies.
const char *decode_descriptor(arch a, uint64_t address, const uint32_t *words, dma_work *work);

inline constexpr uint32_t descriptor_done_bit = 1u << 31;  // in word 1

}  // namespace hexane::virt
