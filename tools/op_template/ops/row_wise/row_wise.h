// ops/row_wise/row_wise.h -- dst = src * src, element by element. Say here what ROW_WISE computes.
//
// src  [n0, n1, n2, n3]  f32, f16 or bf16, any strides
// dst  [n0, n1, n2, n3]  the same type, any strides; may be src itself
// Computed in f32, rounded once.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

struct row_wise {
    static constexpr op_id id{0};
    static constexpr const char *name = "ROW_WISE";
    static constexpr uint32_t n_sources = 1;
    static constexpr bool streams_rows = true;

    struct kernel_params {
        rows::loops loops;
        rows::blocks blocks;
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, loops), HEX_FIELD(kernel_params, blocks)};
        }
    };
};

}  // namespace hexane::op
