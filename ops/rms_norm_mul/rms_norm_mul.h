// ops/rms_norm_mul/rms_norm_mul.h -- dst = RMS_NORM(src0) * src1, row by row: what fusion/rms_norm_mul.cpp makes of two
// nodes.
//
// src0 [n0, n1, n2, n3]  f32, f16 or bf16, any strides
// src1 [m0, m1, m2, m3]  the type of src0, or f32; each m divides its n; any strides
// dst  [n0, n1, n2, n3]  the type of src0, any strides; may be src0 itself
// The bits are those of the two ops, one after the other: the norm is summed in the order of ops/rms_norm/rms_norm.h and
// rounded to its type, and the product is MUL's.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

struct rms_norm_mul {
    static constexpr op_id id{23};
    static constexpr const char *name = "RMS_NORM+MUL";
    static constexpr uint32_t n_sources = 2;

    struct kernel_params {
        rows::loops loops;
        rows::blocks blocks;  // cols = n0: rows whole
        float eps;
        float inverse_n;  // 1 / n0
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, loops), HEX_FIELD(kernel_params, blocks),
                              HEX_FIELD(kernel_params, eps), HEX_FIELD(kernel_params, inverse_n)};
        }
    };
};
static_assert(sizeof(rms_norm_mul::kernel_params) == 116);

}  // namespace hexane::op
