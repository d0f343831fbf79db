// kernels/stream_rows.cpp
#include "kernels/stream_rows.h"

#include "kernels/stream_units.h"

namespace hexane::kernels {

namespace {

static_assert(rows::max_depth <= most_depth && rows::max_gather_rows * (rows::max_operands - 1) <= most_unit_loads);

// One worker's side: its buffers in VTCM and the transfers that fill and empty them.
class row_streamer {
  public:
    row_streamer(worker &w, const row_nest &n, const rows::blocks &b, row_body body, vtcm_byte *vtcm, base::range units)
        : worker_(w),
          nest_(n),
          blocks_(b),
          body_(body),
          walk_(n, b, units.begin),
          next_(units.begin),
          last_(units.end) {
        for (uint32_t o = 0; o < n.n_operands; ++o) {
            pitch_[o] = rows::pitch_bytes(n, b, o);
            slot_bytes_[o] = rows::slot_bytes(n, b, o);
            ring_[o] = vtcm;
            vtcm += slot_bytes_[o] * b.depth;
        }
    }

    bool load(uint32_t slot) {
        if (next_ == last_) return false;
        unit &u = units_[slot];
        u.cols = walk_.cols();
        u.rows = walk_.rows();
        u.number = next_;
        u.dst_offset = walk_.offset(0);
        for (uint32_t o = 1; o < nest_.n_operands; ++o) load_source(u, o);
        walk_.advance();
        ++next_;
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *where) {
        const unit &u = units_[slot];
        row_unit view;
        view.cols = u.cols;
        view.rows = u.rows;
        view.destination = ring_[0] + slot * slot_bytes_[0];
        view.pitch[0] = pitch_[0];
        for (uint32_t o = 1; o < nest_.n_operands; ++o) {
            if (u.transfers[o] > 0) at_[o] = *where;
            where += u.transfers[o];
            view.source[o] = at_[o];
            view.pitch[o] = nest_.row_repeats(o) ? 0 : pitch_[o];
        }
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.number);
        body_.call(body_.body, view);
    }

    void store(uint32_t slot) {
        const unit &u = units_[slot];
        push_store(worker_.dma, nest_, u.dst_offset, ring_[0] + slot * slot_bytes_[0], pitch_[0], u.cols, u.rows);
    }

  private:
    struct unit {
        uint32_t cols, rows, number;
        uint32_t dst_offset;
        uint32_t transfers[rows::max_operands];  // loads per source; 0: the rows of the unit before serve this one too
    };

    // Rows that all units share, and those that the unit before had, stay where they are. The ring of a source advances
    // only with a load, so what a unit in flight still reads is never overwritten: at most `depth` units are in flight.
    void load_source(unit &u, uint32_t o) {
        const uint32_t offset = walk_.offset(o);
        const uint32_t n_rows = nest_.row_repeats(o) ? 1 : u.rows;
        held &h = held_[o];
        if (h.valid && h.offset == offset && h.cols >= u.cols && h.rows >= n_rows) {
            u.transfers[o] = 0;
            return;
        }
        h = {offset, u.cols, n_rows, true};
        vtcm_byte *to = ring_[o] + ring_at_[o] * slot_bytes_[o];
        ring_at_[o] = ring_at_[o] + 1 == blocks_.depth ? 0 : ring_at_[o] + 1;
        u.transfers[o] = push_load(worker_.dma, nest_, o, offset, to, pitch_[o], u.cols, n_rows);
    }

    struct held {
        uint32_t offset, cols, rows;
        bool valid;
    };

    worker &worker_;
    const row_nest &nest_;
    const rows::blocks &blocks_;
    row_body body_;
    unit_walk walk_;
    uint32_t next_, last_;
    uint32_t pitch_[rows::max_operands];
    uint32_t slot_bytes_[rows::max_operands];
    vtcm_byte *ring_[rows::max_operands];
    uint32_t ring_at_[rows::max_operands] = {};
    const vtcm_byte *at_[rows::max_operands] = {};
    held held_[rows::max_operands] = {};
    unit units_[rows::max_depth];
};

}  // namespace

status stream_rows(context &ctx, const row_nest &n, const rows::blocks &b, row_body body) {
    const auto bytes = static_cast<uint32_t>(rows::worker_bytes(n, b));
    return ctx.each_share(over::devices, b.n_threads, bytes, n.loops.units,
                          [&](worker &w, vtcm_byte *vtcm, base::range units) {
                              row_streamer streamer(w, n, b, body, vtcm, units);
                              stream_units(w.dma, b.depth, streamer);
                              return status::ok();
                          });
}

}  // namespace hexane::kernels
