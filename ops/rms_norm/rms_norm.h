// ops/rms_norm/rms_norm.h -- dst = src / sqrt(mean(src^2) + eps), row by row.
//
// src  [n0, n1, n2, n3]  f32, f16 or bf16, any strides
// dst  [n0, n1, n2, n3]  the same type, any strides; may be src itself
// Squares are summed in f32 in an order that depends on n0 alone: 32 elements i of a row go to partial sum i % 4, on a
// device the even and the odd ones of 64 elements of a 16-bit type to two. A row
// that does not fit VTCM passes through it twice, in pieces.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

struct rms_norm {
    static constexpr op_id id{7};
    static constexpr const char *name = "RMS_NORM";
    static constexpr uint32_t n_sources = 1;

    struct kernel_params {
        rows::loops loops;
        rows::blocks blocks;  // cols < n0: rows in pieces, two passes
        float eps;
        float inverse_n;  // 1 / n0
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, loops), HEX_FIELD(kernel_params, blocks),
                              HEX_FIELD(kernel_params, eps), HEX_FIELD(kernel_params, inverse_n)};
        }
    };
};
static_assert(sizeof(rms_norm::kernel_params) == 116);

}  // namespace hexane::op
