// kernels/row_passes.h -- rows that do not fit VTCM and are needed more than once: each passes through in pieces, once to sum and once to
// scale, say. The last pass writes the destination.
#pragma once

#include <stdint.h>

#include "base/span.h"
#include "kernels/row_walk.h"

namespace hexane::kernels {

// Elements [col, col + cols) of a row in one of its passes. Pieces begin on lines and may be read and written up to the end of their
// last line.
struct row_piece {
    uint32_t pass, col, cols;
    const vtcm_byte *source[rows::max_operands];  // those that this pass loads
    vtcm_byte *destination;                       // written by the last pass alone
};

// What a kernel does with its pieces, behind a pointer.
struct pass_body {
    const void *body;
    void (*call)(const void *body, void *state, const row_piece &p);
};

// One worker's rows.
void stream_passes(worker &w, const row_nest &n, const rows::blocks &b, base::span<const uint32_t> sources,
                   vtcm_byte *vtcm, base::range rows, pass_body body, void *state);

// Calls body(State &, const row_piece &) for every piece of every pass of every row, in this order; rows over threads. A state belongs to
// a worker and stays from piece to piece: the body begins anew where pass and col are 0. sources[i] has bit o set if pass i loads operand
// o, at least one. REQUIRES: a nest of whole rows, cut into
// pieces (blocks.rows is 1).
template <class State, class Body>
status stream_passes(context &ctx, const row_nest &n, const rows::blocks &b, base::span<const uint32_t> sources,
                     const Body &body) {
    const auto bytes = static_cast<uint32_t>(rows::worker_bytes(n, b));
    return ctx.each_share(
        over::devices, b.n_threads, bytes, n.loops.total_rows(), [&](worker &w, vtcm_byte *vtcm, base::range rows) {
            State state;
            stream_passes(
                w, n, b, sources, vtcm, rows,
                {&body, [](const void *f, void *s,
                           const row_piece &p) { (*static_cast<const Body *>(f))(*static_cast<State *>(s), p); }},
                &state);
            return status::ok();
        });
}

}  // namespace hexane::kernels
