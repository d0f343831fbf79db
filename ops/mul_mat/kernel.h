// ops/mul_mat/kernel.h -- what the parts of the MUL_MAT kernel share: the pass that is being worked on, and where
// columns lie.
#pragma once

#include <stdint.h>

#include "hvx/float16.h"
#include "kernels/kernel.h"
#include "ops/mul_mat/layout.h"
#include "ops/mul_mat/mul_mat.h"

namespace hexane::matmul {

using htp::context;
using htp::dma_addr_t;
using htp::operand;
using htp::status;
using htp::vtcm_byte;
using htp::worker;
using params = op::mul_mat::kernel_params;

// The place of an f32 in VTCM.
using vtcm_f32 = vtcm_byte[4];

// What all threads work on at a time. Columns are numbered within the pass: those of its first slice, of its second,
// ...
struct pass {
    uint32_t slice, n_slices;
    uint32_t column, n_columns;  // of each slice
    uint32_t k_begin, k;
};

// Consecutive columns at one distance from each other in src1 or dst.
struct column_run {
    dma_addr_t address;  // of element 0 of the first one
    uint32_t count;
    uint32_t stride;
};

// One run of the op; the pass changes, the rest does not.
struct product {
    const params &p;
    const operand &weights, &activations, &dst;
    weight_kind kind;
    uint8_t *scratch;
    pass now;
    column_layout columns;  // of this pass, in scratch

    uint32_t bands() const { return base::ceil_div(weights.ne[1], band_rows); }

    // Column `i` of the pass and up to `limit - 1` that follow it at the same stride in `t`, which is src1 or dst.
    column_run run_of(const operand &t, uint32_t i, uint32_t limit) const {
        uint32_t slice = now.slice, column = now.column + i;
        if (now.n_slices > 1) {  // the columns of a pass are then all columns of its slices
            const uint32_t s = p.broadcast3.quotient(p.broadcast.quotient(p.columns.quotient(i)));
            slice += s;
            column = i - s * now.n_columns;
        }
        const uint32_t head = p.columns.quotient(column), m = column - head * p.columns.divisor;
        const uint32_t head3 = p.broadcast.quotient(head), head2 = head - head3 * p.broadcast.divisor;
        const uint32_t slice3 = p.slices.quotient(slice), slice2 = slice - slice3 * p.slices.divisor;
        const dma_addr_t address =
            t.row(m, slice2 * p.broadcast.divisor + head2, slice3 * p.broadcast3.divisor + head3);
        if (p.columns.divisor > 1) return {address, base::min(limit, p.columns.divisor - m), t.nb[1]};
        return {address, base::min(limit, p.broadcast.divisor - head2), t.nb[2]};
    }
};

// Prepares the pass's columns in the scratch area, then multiplies its weights with them; each on all of its threads. Small
// probabilities and their products are often subnormal: they count as zero.
status prepare(context &ctx, const product &x);
status multiply(context &ctx, const product &x);

// -- the arithmetic: kernel_tiles.cpp, and for rows of F16, BF16 and F32 either kernel_dot.cpp or kernel_rows.cpp, with
// columns in the form that it wants. Plans are the same for both.
inline constexpr bool rows_along_k = hvx::has_f16_products;

// A block of weights against some columns. Row r of band b of column c goes to out[c * out_pitch + b * 32 + r], which
// is added to if `accumulate`.
struct block_job {
    const vtcm_byte *weights;
    uint32_t pitch;  // bytes between the pieces of the block (layout.h)
    uint32_t bands;
    uint32_t rows;        // of weights that exist, <= 32 * bands
    uint32_t k_begin, k;  // within the pass
    uint32_t column, n_columns;
    vtcm_f32 *out;
    uint32_t out_pitch;  // floats
    bool accumulate;
    vtcm_byte *tiles;         // VTCM for a block of tiles, for plain blocks
    vtcm_byte *lanes;         // VTCM for a transposed segment, or for sums along k, for rows
    const uint8_t *prepared;  // the scratch area
    column_layout columns;
};
using block_kernel = void (*)(const block_job &);

void multiply_q4_0_tiles(const block_job &j);
void multiply_q8_0_tiles(const block_job &j);
void multiply_q4_0_blocks(const block_job &j);
void multiply_q8_0_blocks(const block_job &j);
void multiply_f16_rows(const block_job &j);
void multiply_bf16_rows(const block_job &j);
void multiply_f32_rows(const block_job &j);
void multiply_f16_dots(const block_job &j);
void multiply_bf16_dots(const block_job &j);
void multiply_f32_dots(const block_job &j);

}  // namespace hexane::matmul
