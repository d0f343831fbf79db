// kernels/row_passes.cpp -- units are pieces of a row, those of a pass before those of the next.
#include "kernels/row_passes.h"

#include "kernels/stream_units.h"

namespace hexane::kernels {

namespace {

class pass_streamer {
  public:
    pass_streamer(worker &w, const row_nest &n, const rows::blocks &b, base::span<const uint32_t> sources,
                  vtcm_byte *vtcm, base::range rows, pass_body body, void *state)
        : worker_(w),
          nest_(n),
          sources_(sources),
          body_(body),
          state_(state),
          row_blocks_{1, n.extent[0], 1, b.depth},
          walk_(n, row_blocks_, rows.begin),
          left_(rows.size()),
          piece_cols_(b.cols),
          vtcm_(vtcm) {
        for (uint32_t o = 0; o < n.n_operands; ++o) {
            at_[o] = slot_bytes_;
            slot_bytes_ += rows::slot_bytes(n, b, o);
        }
    }

    bool load(uint32_t slot) {
        if (left_ == 0) return false;
        unit &u = units_[slot];
        u = {number_++, pass_, col_, base::min(piece_cols_, nest_.extent[0] - col_), offset(0)};
        for (uint32_t o = 1; o < nest_.n_operands; ++o)
            if (loads(pass_, o)) (void)push_load(worker_.dma, nest_, o, offset(o), place(slot, o), 0, u.cols, 1);
        advance(u.cols);
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *where) {
        const unit &u = units_[slot];
        row_piece p;
        p.pass = u.pass;
        p.col = u.col;
        p.cols = u.cols;
        p.destination = place(slot, 0);
        for (uint32_t o = 1; o < nest_.n_operands; ++o)
            if (loads(u.pass, o)) p.source[o] = *where++;  // one row: one transfer
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.number);
        body_.call(body_.body, state_, p);
    }

    void store(uint32_t slot) {
        const unit &u = units_[slot];
        if (u.pass + 1 == sources_.size()) push_store(worker_.dma, nest_, u.dst_offset, place(slot, 0), 0, u.cols, 1);
    }

  private:
    struct unit {
        uint32_t number, pass, col, cols, dst_offset;
    };

    bool loads(uint32_t pass, uint32_t o) const { return (sources_[pass] >> o & 1) != 0; }
    uint32_t offset(uint32_t o) const { return walk_.offset(o) + col_ * nest_.stride[o][0]; }
    vtcm_byte *place(uint32_t slot, uint32_t o) const { return vtcm_ + slot * slot_bytes_ + at_[o]; }

    void advance(uint32_t cols) {
        col_ += cols;
        if (col_ < nest_.extent[0]) return;
        col_ = 0;
        if (++pass_ < sources_.size()) return;
        pass_ = 0;
        walk_.advance();
        --left_;
    }

    worker &worker_;
    const row_nest &nest_;
    base::span<const uint32_t> sources_;
    pass_body body_;
    void *state_;
    const rows::blocks row_blocks_;  // a unit of the walk is one row
    unit_walk walk_;
    uint32_t left_;  // rows
    uint32_t piece_cols_;
    vtcm_byte *vtcm_;
    uint32_t number_ = 0, pass_ = 0, col_ = 0;
    uint32_t slot_bytes_ = 0;
    uint32_t at_[rows::max_operands];
    unit units_[rows::max_depth];
};

}  // namespace

void stream_passes(worker &w, const row_nest &n, const rows::blocks &b, base::span<const uint32_t> sources,
                   vtcm_byte *vtcm, base::range rows, pass_body body, void *state) {
    pass_streamer streamer(w, n, b, sources, vtcm, rows, body, state);
    stream_units(w.dma, b.depth, streamer);
}

}  // namespace hexane::kernels
