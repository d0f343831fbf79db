// ops/scale/scale.h -- dst = src * factor + bias, element by element.
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

struct scale {
    static constexpr op_id id{6};
    static constexpr const char *name = "SCALE";
    static constexpr uint32_t n_sources = 1;
    static constexpr bool streams_rows = true;

    struct kernel_params {
        rows::blocks blocks;
        rows::loops loops;
        float factor;
        float bias;
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, blocks), HEX_FIELD(kernel_params, loops),
                              HEX_FIELD(kernel_params, factor), HEX_FIELD(kernel_params, bias)};
        }
    };
};
static_assert(sizeof(scale::kernel_params) == 116);

}  // namespace hexane::op
