// abi/row_blocks.h -- how row-wise ops cut their tensors into units of work; the same arithmetic on both sides of the
// wire.
//
// A tensor operation is a loop nest over its elements, with one byte stride per operand and loop. The planner makes the
// nest and sends it as `loops`; the kernel reads the strides from its operands (nest_of()). A unit is a box of the nest:
// `rows` steps of loop 1, `cols` steps of loop 0, everything else fixed. Each worker streams its units through `depth`
// buffers in VTCM (kernels/stream_rows.h).
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "abi/digest.h"
#include "base/align.h"
#include "base/fastdiv.h"

namespace hexane::rows {

// Destination and sources of one op.
inline constexpr uint32_t max_operands = 5;
inline constexpr uint32_t max_loops = 8;

// Four extents in elements and four strides in bytes, as ggml has them.
struct shape {
    uint32_t ne[4];
    uint32_t nb[4];
    uint32_t element_bytes;
};

// Which strides a loop has: those of its dimension, times the steps of the loops within the same dimension, for the
// operands that do not repeat along it.
struct stride_code {
    uint16_t bits;

    static constexpr uint32_t no_operand = 7;
    // `moving`: bit o is set if operand o goes on along the loop. `inner`: the operand whose extent is the number of steps
    // within, or no_operand for one step.
    static constexpr stride_code of(uint32_t dimension, uint32_t moving, uint32_t inner) {
        return {static_cast<uint16_t>(dimension | moving << 2 | inner << 7)};
    }
    // Elements of a loop of one step that count as if they followed each other.
    static constexpr stride_code dense() { return {1u << 10}; }

    constexpr uint32_t stride(const shape *operands, uint32_t o) const {
        if (bits == dense().bits) return operands[o].element_bytes;
        if ((bits >> 2 >> o & 1) == 0) return 0;
        const uint32_t dimension = bits & 3, inner = bits >> 7 & 7;
        const uint32_t steps = operands[o].nb[dimension];
        return inner == no_operand ? steps : steps * operands[inner].ne[dimension];
    }
};

// The nest of an op as it travels, innermost loop first. Loops of one step are left out, loops that continue each other in
// every operand are one, and where operands repeat there is a loop for each extent that one of them has: a dimension with
// extents 6 and 3 becomes a loop of 3 and a loop of 2. There are always two loops at least.
struct loops {
    uint32_t extent[max_loops];
    uint32_t units;       // of the whole nest, see set_units()
    uint32_t row_blocks;  // units along loop 1
    // Divisions by row_blocks, and by the extents from loop 2 on.
    uint32_t multiplier[max_loops - 1];
    stride_code code[max_loops];
    uint8_t shift[max_loops - 1];
    uint8_t n_loops;
    static constexpr auto fields() {
        return field_list{HEX_FIELD(loops, extent),     HEX_FIELD(loops, units), HEX_FIELD(loops, row_blocks),
                          HEX_FIELD(loops, multiplier), HEX_FIELD(loops, code),  HEX_FIELD(loops, shift),
                          HEX_FIELD(loops, n_loops)};
    }

    constexpr base::fastdiv by_row_blocks() const { return {multiplier[0], shift[0], row_blocks}; }
    constexpr base::fastdiv by_extent(uint32_t loop) const {
        return {multiplier[loop - 1], shift[loop - 1], extent[loop]};
    }
    constexpr uint32_t outer_steps() const {
        uint32_t steps = 1;
        for (uint32_t i = 2; i < n_loops; ++i) steps *= extent[i];
        return steps;
    }
    // Rows of the nest, whole ones.
    constexpr uint32_t total_rows() const { return extent[1] * outer_steps(); }
};
static_assert(sizeof(loops) == 92);

// The nest with its strides; operand 0 is the destination.
struct nest {
    uint32_t n_operands;
    uint32_t n_loops;
    uint32_t extent[max_loops];
    uint32_t stride[max_operands][max_loops];
    uint32_t element_bytes[max_operands];

    // Whether operand `o` needs one transfer per row, since its elements do not follow each other.
    constexpr bool gathered(uint32_t o) const { return stride[o][0] != 0 && stride[o][0] != element_bytes[o]; }
    // Whether operand `o` has one element that serves a whole row.
    constexpr bool splat(uint32_t o) const { return stride[o][0] == 0; }
    // Whether one row of operand `o` serves all rows of a unit.
    constexpr bool row_repeats(uint32_t o) const { return stride[o][1] == 0; }
    constexpr uint32_t outer_steps() const {
        uint32_t steps = 1;
        for (uint32_t i = 2; i < n_loops; ++i) steps *= extent[i];
        return steps;
    }
};

// Fills `n`. REQUIRES: `l` was made from these operands.
constexpr void nest_of(const loops &l, const shape *operands, uint32_t n_operands, nest *n) {
    n->n_operands = n_operands;
    n->n_loops = l.n_loops;
    for (uint32_t i = 0; i < l.n_loops; ++i) n->extent[i] = l.extent[i];
    for (uint32_t o = 0; o < n_operands; ++o) {
        n->element_bytes[o] = operands[o].element_bytes;
        for (uint32_t i = 0; i < l.n_loops; ++i) n->stride[o][i] = l.code[i].stride(operands, o);
    }
}

// Exchanges two loops. The order of the elements changes, not which they are.
constexpr void swap_loops(loops &l, uint32_t i, uint32_t j) {
    const uint32_t extent = l.extent[i];
    l.extent[i] = l.extent[j];
    l.extent[j] = extent;
    const stride_code code = l.code[i];
    l.code[i] = l.code[j];
    l.code[j] = code;
}

// How a nest is cut; part of kernel_params of the row-wise ops.
struct blocks {
    uint32_t n_threads;  // >= 1
    uint32_t cols;       // elements of loop 0 in a unit: all of them, or a multiple of `col_granule`
    uint32_t rows;       // steps of loop 1 in a unit; 1 when a row is cut
    uint32_t depth;      // units in flight per worker, 2 .. max_depth
    static constexpr auto fields() {
        return field_list{HEX_FIELD(blocks, n_threads), HEX_FIELD(blocks, cols), HEX_FIELD(blocks, rows),
                          HEX_FIELD(blocks, depth)};
    }
};
static_assert(sizeof(blocks) == 16);

inline constexpr uint32_t max_depth = 8;

// Cuts of a row fall on whole vectors in every element size of 1 to 4 bytes; four of the f32 ones are one step of the
// norms' summation order.
inline constexpr uint32_t col_granule = 128;

// Transfers that one unit may start per operand; max_depth units and their stores stay below the queue's capacity.
inline constexpr uint32_t max_gather_rows = 16;

// Bytes from row to row of operand `o` in VTCM, and of the buffer that holds its part of a unit. Rows begin on a line.
constexpr uint32_t pitch_bytes(const nest &n, const blocks &b, uint32_t o) {
    return n.splat(o) ? line_bytes : base::align_up(b.cols * n.element_bytes[o], line_bytes);
}
constexpr uint32_t slot_bytes(const nest &n, const blocks &b, uint32_t o) {
    return pitch_bytes(n, b, o) * (n.row_repeats(o) ? 1 : b.rows);
}

// VTCM of one worker: for each of `depth` units a slot per operand.
constexpr uint64_t worker_bytes(const nest &n, const blocks &b) {
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) bytes += slot_bytes(n, b, o);
    return bytes * b.depth;
}

// Units of the whole nest. Unit u covers row block u % row_blocks of outer step (u / row_blocks) % outer_steps of
// column piece u / (row_blocks * outer_steps): a repeated source row stays the same over as many units as possible.
constexpr void set_units(loops &l, const blocks &b) {
    l.row_blocks = base::ceil_div(l.extent[1], b.rows);
    l.units = l.row_blocks * l.outer_steps() * base::ceil_div(l.extent[0], b.cols);
    for (uint32_t i = 1; i < l.n_loops; ++i) {
        const auto by = base::fastdiv::by(i == 1 ? l.row_blocks : l.extent[i]);
        l.multiplier[i - 1] = by.multiplier;
        l.shift[i - 1] = static_cast<uint8_t>(by.shift);
    }
}

}  // namespace hexane::rows
