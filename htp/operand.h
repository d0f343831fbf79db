// htp/operand.h -- a tensor as a kernel sees it: where it is, its shape, its strides.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/data_type.h"
#include "htp/dma_addr.h"

namespace hexane::htp {

// ne in elements, nb in bytes, as ggml has them. The plan was made from the same numbers.
struct operand {
    dma_addr_t base;
    uint64_t bytes;  // from base to the last byte that may be touched
    uint32_t ne[4];
    uint32_t nb[4];
    data_type type;
    bool tiled;

    uint32_t rows() const { return ne[1] * ne[2] * ne[3]; }
    // Address of element (0, i1, i2, i3). REQUIRES: the offset fits 32 bits, which the window guarantees.
    dma_addr_t row(uint32_t i1, uint32_t i2, uint32_t i3) const {
        return base + (i1 * nb[1] + i2 * nb[2] + i3 * nb[3]);
    }
};

// Operands of one op. A source that the op does not have is null; optional ones must be checked, required ones never.
struct operands {
    const operand *src[max_op_sources];
    const operand *dst[max_op_results];
};

}  // namespace hexane::htp
