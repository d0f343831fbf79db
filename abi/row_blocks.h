// abi/row_blocks.h -- how row-wise ops cut their tensors into units of work; the same arithmetic on both sides of the
// wire.
//
// A tensor operation is a loop nest over the elements of its destination, with one byte stride per operand and loop. A
// unit is a box of that nest: `rows` steps of loop 1, `cols` steps of loop 0, everything else fixed. Each worker
// streams its units through `depth` buffers in VTCM (kernels/stream_rows.h).
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "abi/digest.h"
#include "base/align.h"

namespace hexane::rows {

// Four extents in elements and four strides in bytes, as ggml has them.
struct shape {
    uint32_t ne[4];
    uint32_t nb[4];
    uint32_t element_bytes;
};

// Loops of an op over N operands, innermost first; operand 0 is the destination. Loops of one step are left out, loops
// that continue each other in every operand are one, and a source that repeats has a loop of stride 0 of its own: a
// dimension with dst.ne = 6 and src.ne = 3 becomes a loop of 3 and a loop of 2. There are always two loops at least.
template <uint32_t N> struct nest {
    static constexpr uint32_t max_loops = 8;  // four dimensions, each split once
    uint32_t n_loops = 0;
    uint32_t extent[max_loops]{};
    uint32_t stride[N][max_loops]{};
    uint32_t element_bytes[N]{};

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

// Whether loop 0 must be dimension 0 as it is, because the op looks at whole rows.
enum class row_kind : uint8_t { free, whole };

// Exchanges two loops. The order of the elements changes, not which they are.
template <uint32_t N> constexpr void swap_loops(nest<N> &n, uint32_t i, uint32_t j) {
    const uint32_t extent = n.extent[i];
    n.extent[i] = n.extent[j];
    n.extent[j] = extent;
    for (uint32_t o = 0; o < N; ++o) {
        const uint32_t stride = n.stride[o][i];
        n.stride[o][i] = n.stride[o][j];
        n.stride[o][j] = stride;
    }
}

namespace detail {

template <uint32_t N> constexpr void add_loop(nest<N> &n, uint32_t extent, const uint32_t (&stride)[N], row_kind kind) {
    const bool is_row = kind == row_kind::whole && n.n_loops == 0;  // loop 0 to be, joined by nothing
    if (extent == 1 && !is_row) return;
    if (n.n_loops > (kind == row_kind::whole ? 1u : 0u)) {
        const uint32_t last = n.n_loops - 1;
        bool continues = true;
        for (uint32_t o = 0; o < N; ++o) continues = continues && stride[o] == n.stride[o][last] * n.extent[last];
        if (continues) {
            n.extent[last] *= extent;
            return;
        }
    }
    n.extent[n.n_loops] = extent;
    for (uint32_t o = 0; o < N; ++o) n.stride[o][n.n_loops] = stride[o];
    ++n.n_loops;
}

// Makes the longest outer loop loop 1: units become few and large.
template <uint32_t N> constexpr void promote_longest(nest<N> &n) {
    uint32_t best = 1;
    for (uint32_t i = 2; i < n.n_loops; ++i)
        if (n.extent[i] > n.extent[best]) best = i;
    swap_loops(n, 1, best);
}

}  // namespace detail

namespace detail {

// The loops of dimension d: over what the operands have there, and over the repetitions of the shorter ones.
template <uint32_t N> constexpr void add_dimension(nest<N> &n, const shape (&operands)[N], uint32_t d, row_kind kind) {
    const uint32_t whole = operands[0].ne[d];
    uint32_t inner = whole;
    for (uint32_t o = 1; o < N; ++o) inner = base::min(inner, operands[o].ne[d]);
    const uint32_t repeats = inner == whole ? 1 : inner == 1 ? whole : whole / inner;
    uint32_t stride[N]{};
    for (uint32_t o = 0; o < N; ++o) stride[o] = operands[o].nb[d];
    if (d == 0 && inner == 1)  // a single element counts as dense
        for (uint32_t o = 0; o < N; ++o) stride[o] = operands[o].element_bytes;
    add_loop(n, inner, stride, kind);
    for (uint32_t o = 0; o < N; ++o) stride[o] = operands[o].ne[d] == whole ? operands[o].nb[d] * inner : 0;
    add_loop(n, repeats, stride, kind);
}

}  // namespace detail

// The nest of `operands` (destination first). REQUIRES: in every dimension the sources that are shorter than the
// destination have the same extent, and it divides the destination's.
template <uint32_t N> constexpr nest<N> make_nest(const shape (&operands)[N], row_kind kind) {
    nest<N> n;
    for (uint32_t o = 0; o < N; ++o) n.element_bytes[o] = operands[o].element_bytes;
    // Four calls and no loop: a division may not stand in a loop of the NPU's code.
    detail::add_dimension(n, operands, 0, kind);
    detail::add_dimension(n, operands, 1, kind);
    detail::add_dimension(n, operands, 2, kind);
    detail::add_dimension(n, operands, 3, kind);
    while (n.n_loops < 2) {
        n.extent[n.n_loops] = 1;
        for (uint32_t o = 0; o < N; ++o) n.stride[o][n.n_loops] = n.n_loops == 0 ? n.element_bytes[o] : 0;
        ++n.n_loops;
    }
    detail::promote_longest(n);
    return n;
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

// Transfers that one unit may start, over all operands; max_depth units and their stores stay below the queue's
// capacity.
inline constexpr uint32_t max_gather_rows = 16;

// Bytes from row to row of operand `o` in VTCM, and of the buffer that holds its part of a unit. Rows begin on a line.
template <uint32_t N> constexpr uint32_t pitch_bytes(const nest<N> &n, const blocks &b, uint32_t o) {
    return n.splat(o) ? line_bytes : base::align_up(b.cols * n.element_bytes[o], line_bytes);
}
template <uint32_t N> constexpr uint32_t slot_bytes(const nest<N> &n, const blocks &b, uint32_t o) {
    return pitch_bytes(n, b, o) * (n.row_repeats(o) ? 1 : b.rows);
}

// VTCM of one worker: for each of `depth` units a slot per operand.
template <uint32_t N> constexpr uint64_t worker_bytes(const nest<N> &n, const blocks &b) {
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < N; ++o) bytes += slot_bytes(n, b, o);
    return bytes * b.depth;
}

// Units of the whole nest. Unit u covers row block u % row_blocks of outer step (u / row_blocks) % outer_steps of
// column piece u / (row_blocks * outer_steps): a repeated source row stays the same over as many units as possible.
template <uint32_t N> constexpr uint32_t row_blocks(const nest<N> &n, const blocks &b) {
    return base::ceil_div(n.extent[1], b.rows);
}
template <uint32_t N> constexpr uint32_t col_pieces(const nest<N> &n, const blocks &b) {
    return base::ceil_div(n.extent[0], b.cols);
}
template <uint32_t N> constexpr uint32_t total_units(const nest<N> &n, const blocks &b) {
    return row_blocks(n, b) * n.outer_steps() * col_pieces(n, b);
}

}  // namespace hexane::rows
