// ops/mul_mat/mul_mat.h -- dst = src0^T src1: every row of the weights times every row of the activations.
//
// src0  [K, N, A, B]          weights: Q4_0, Q8_0 (tiles or blocks), F16, BF16, F32; rows dense
// src1  [K, M, A*r2, B*r3]    activations: F32, F16 or BF16; rows dense; slice (a, b) of src0 serves r2 x r3 slices
// dst   [N, M, A*r2, B*r3]    F32; rows dense
//
// A slice's *columns* are the M * r2 * r3 rows of src1 that meet the same weights, numbered m + M * (i2 + r2 * i3). A
// *pass* takes as many columns as the scratch area holds: first all threads prepare them (int8 blocks, f32 or
// f16, see layout.h), then all threads stream the weights through VTCM, once, and multiply. A *band* is 32 rows of weights, a
// *block* what one transfer brings.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/digest.h"
#include "abi/op_id.h"
#include "base/fastdiv.h"

namespace hexane::op {

struct mul_mat {
    static constexpr op_id id{17};
    static constexpr const char *name = "MUL_MAT";
    static constexpr uint32_t n_sources = 2;

    struct kernel_params {
        uint32_t
            n_threads;  // that multiply: a grid of n_threads / column_ways shares of bands x column_ways shares of columns
        uint32_t column_ways;  // divides n_threads
        uint32_t prepare_threads;
        uint32_t slices_per_pass;   // weight slices of one pass; more than 1 only if all their columns fit
        uint32_t columns_per_pass;  // of each slice
        uint32_t
            k_per_pass;  // K, unless one prepared column exceeds the scratch area; else partial sums go through dst
        uint32_t stage_rows;  // rows and k of src1 that one transfer of the preparation brings
        uint32_t stage_k;
        uint32_t block_bands;  // bands of one block; more than 1 only with block_k == k_per_pass
        uint32_t block_k;
        uint32_t slice_blocks;   // blocks of bands of one slice
        uint32_t ring_depth;     // weight blocks in VTCM per thread, 2 .. 16
        uint32_t panel_columns;  // results in VTCM before they leave: columns x bands, two such panels per thread
        uint32_t panel_bands;
        base::fastdiv columns;     // by M
        base::fastdiv broadcast;   // by r2
        base::fastdiv broadcast3;  // by r3
        base::fastdiv slices;      // by A
        uint32_t
            slice_bytes;  // from slice to slice of src0 as it lies; 32 bits of it, enough where there is a second one
        uint32_t slice3_bytes;  // the same along B
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, n_threads),        HEX_FIELD(kernel_params, column_ways),
                              HEX_FIELD(kernel_params, prepare_threads),  HEX_FIELD(kernel_params, slices_per_pass),
                              HEX_FIELD(kernel_params, columns_per_pass), HEX_FIELD(kernel_params, k_per_pass),
                              HEX_FIELD(kernel_params, stage_rows),       HEX_FIELD(kernel_params, stage_k),
                              HEX_FIELD(kernel_params, block_bands),      HEX_FIELD(kernel_params, block_k),
                              HEX_FIELD(kernel_params, slice_blocks),     HEX_FIELD(kernel_params, ring_depth),
                              HEX_FIELD(kernel_params, panel_columns),    HEX_FIELD(kernel_params, panel_bands),
                              HEX_FIELD(kernel_params, columns),          HEX_FIELD(kernel_params, broadcast),
                              HEX_FIELD(kernel_params, broadcast3),       HEX_FIELD(kernel_params, slices),
                              HEX_FIELD(kernel_params, slice_bytes),      HEX_FIELD(kernel_params, slice3_bytes)};
        }
    };
};
static_assert(sizeof(mul_mat::kernel_params) == 112);

}  // namespace hexane::op
