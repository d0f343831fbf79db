// kernels/stream_rows.h -- the row-wise ops: the boxes of a loop nest stream through VTCM (kernels/stream_units.h), and the op's body
// gets dense rows. All but the body is compiled once.
#pragma once

#include <stdint.h>

#include "kernels/row_walk.h"

namespace hexane::kernels {

// A unit as a body sees it: `rows` rows of `cols` elements per operand; operand 0 is the destination. Rows are dense,
// begin on 128-byte lines and may be read (sources) and written (destination) up to the end of their last line. A splat
// operand has its one element first in each row.
struct row_unit {
    uint32_t cols;
    uint32_t rows;
    const vtcm_byte *source[rows::max_operands];  // [0] unused
    vtcm_byte *destination;
    uint32_t pitch[rows::max_operands];  // bytes from row to row; 0 where one row serves all

    const vtcm_byte *in(uint32_t operand, uint32_t row) const { return source[operand] + row * pitch[operand]; }
    vtcm_byte *out(uint32_t row) const { return destination + row * pitch[0]; }
};

// A body behind a pointer: it is called once per unit.
struct row_body {
    const void *body;
    void (*call)(const void *body, const row_unit &u);
};

status stream_rows(context &ctx, const row_nest &n, const rows::blocks &b, row_body body);

// Runs body(const row_unit &) on every unit of the nest, units over threads. A body writes each element of its destination
// rows and nothing else; it may run on several threads at once.
template <class Body> status stream_rows(context &ctx, const row_nest &n, const rows::blocks &b, const Body &body) {
    return stream_rows(ctx, n, b,
                       row_body{&body, [](const void *f, const row_unit &u) { (*static_cast<const Body *>(f))(u); }});
}

}  // namespace hexane::kernels
