// ops/rms_norm/kernel.cpp -- whole rows through VTCM; rows that are too long for it in pieces: once to sum, once to
// scale.
#include "kernels/stream_rows.h"
#include "ops/rms_norm/normalise.h"
#include "ops/rms_norm/rms_norm.h"

namespace hexane::kernels {

namespace {

template <data_type T> void normalise_rows(const row_unit<2> &u, const op::rms_norm::kernel_params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p.inverse_n, p.eps);
}

// The same for a piece of a row. The sums are in the object of long_rows: its vectors are no business of the functions
// that calculate.
template <data_type T> [[gnu::noinline]] void sum_piece(square_sums &sums, const vtcm_byte *in, uint32_t n) {
    add_squares<T>(sums, in, n);
}
template <data_type T> [[gnu::noinline]] void scale_piece(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                                          const square_sums &sums,
                                                          const op::rms_norm::kernel_params &p) {
    scale_row<T>(out, in, n, scale_of(sums, p.inverse_n, p.eps));
}
[[gnu::noinline]] void clear(square_sums &sums) { sums = square_sums::zero(); }

// One worker's long rows: units are pieces of a row, those of the first pass before those of the second.
class long_rows {
  public:
    long_rows(worker &w, const op::rms_norm::kernel_params &p, const rows::nest<2> &n, const operands &io,
              vtcm_byte *vtcm, base::range rows)
        : worker_(w),
          params_(p),
          nest_(n),
          src_(*io.src[0]),
          dst_(*io.dst[0]),
          row_blocks_{1, n.extent[0], 1, p.blocks.depth},
          walk_(n, row_blocks_, rows.begin),
          left_(rows.size()),
          piece_bytes_{rows::slot_bytes(n, p.blocks, 0), rows::slot_bytes(n, p.blocks, 1)},
          vtcm_(vtcm) {}

    void run() {
        stream_units(
            worker_.dma, params_.blocks.depth, [this](uint32_t slot) { return load(slot); },
            [this](uint32_t slot) { compute(slot); }, [this](uint32_t slot) { store(slot); });
    }

  private:
    struct piece {
        uint32_t number, col, cols, dst_offset;
        bool second_pass;
    };

    vtcm_byte *loaded(uint32_t slot) const {
        return vtcm_ + slot * (piece_bytes_[0] + piece_bytes_[1]) + piece_bytes_[0];
    }
    vtcm_byte *scaled(uint32_t slot) const { return vtcm_ + slot * (piece_bytes_[0] + piece_bytes_[1]); }

    bool load(uint32_t slot) {
        if (left_ == 0) return false;
        piece &u = pieces_[slot];
        u.number = number_++;
        u.col = col_;
        u.cols = base::min(params_.blocks.cols, nest_.extent[0] - col_);
        u.second_pass = second_pass_;
        u.dst_offset = walk_.offset(0) + col_ * nest_.stride[0][0];
        const dma_addr_t from = src_.base + (walk_.offset(1) + col_ * nest_.stride[1][0]);
        (void)push_load(worker_.dma, nest_, 1, from, loaded(slot), piece_bytes_[1], u.cols,
                        1);  // one row: one transfer
        col_ += u.cols;
        if (col_ < nest_.extent[0]) return true;
        col_ = 0;
        if (second_pass_) {
            walk_.advance();
            --left_;
        }
        second_pass_ = !second_pass_;
        return true;
    }

    void compute(uint32_t slot) {
        const piece &u = pieces_[slot];
        const vtcm_byte *in = worker_.dma.pop();
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.number);
        with_float_type(src_.type, [&]<data_type T>() {
            if (u.second_pass) return scale_piece<T>(scaled(slot), in, u.cols, sums_, params_);
            if (u.col == 0) clear(sums_);
            sum_piece<T>(sums_, in, u.cols);
        });
    }

    void store(uint32_t slot) {
        const piece &u = pieces_[slot];
        if (u.second_pass)
            push_store(worker_.dma, nest_, dst_.base + u.dst_offset, scaled(slot), piece_bytes_[0], u.cols, 1);
    }

    worker &worker_;
    const op::rms_norm::kernel_params &params_;
    const rows::nest<2> &nest_;
    const operand &src_;
    const operand &dst_;
    const rows::blocks row_blocks_;  // a unit of the walk is one row
    unit_walk<2> walk_;
    uint32_t left_;  // rows
    uint32_t number_ = 0;
    uint32_t col_ = 0;
    bool second_pass_ = false;
    uint32_t piece_bytes_[2];
    vtcm_byte *vtcm_;
    square_sums sums_;
    piece pieces_[rows::max_depth];
};

}  // namespace

template <> status run<op::rms_norm>(context &ctx, const op::rms_norm::kernel_params &p, const operands &io) {
    const operand &src = *io.src[0], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(src)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::whole);
    if (p.blocks.cols == nest.extent[0]) {
        const dma_addr_t base[] = {dst.base, src.base};
        return stream_rows(ctx, nest, p.blocks, base, [&](const row_unit<2> &u) {
            with_float_type(src.type, [&]<data_type T>() { normalise_rows<T>(u, p); });
        });
    }
    const auto worker_bytes = static_cast<uint32_t>(rows::worker_bytes(nest, p.blocks));
    return ctx.work.run(p.blocks.n_threads, [&](worker &w) {
        const base::range rows = w.share_of(nest.extent[1] * nest.outer_steps());
        if (!rows.empty()) long_rows(w, p, nest, io, &ctx.vtcm[w.index * worker_bytes], rows).run();
        return status::ok();
    });
}

}  // namespace hexane::kernels
