// ops/rms_norm/kernel.cpp -- whole rows through VTCM; rows that are too long for it in pieces: once to sum, once to
// scale.
#include "hvx/divide.h"
#include "hvx/elementwise.h"
#include "hvx/reduce.h"
#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/rms_norm/rms_norm.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;

// Four running sums per lane, for four vectors of f32: ops/rms_norm/rms_norm.h has the order.
struct square_sums {
    f32x32 at[4];

    static square_sums zero() {
        const auto z = hvx::zero<f32x32>();
        return {z, z, z, z};
    }
};

// x where its lane is one of the first n, 0 elsewhere. Any n.
HEX_HVX f32x32 keep_first(int32_t n, f32x32 x) {
    return hvx::keep(hvx::first_lanes<f32x32>(static_cast<uint32_t>(base::min(base::max(n, 0), 32))), x);
}

// The squares of 32 or 64 elements that begin at `from`, added to two sums. Which lane of 16-bit elements goes to which
// of the two is the vocabulary's affair.
template <data_type T> struct squares {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        const auto x = hvx::widen_lanes(hvx::load<vector_of<T>>(from));
        sum[0] = hvx::chain_mul_add(sum[0], x.lo, x.lo);
        sum[1] = hvx::chain_mul_add(sum[1], x.hi, x.hi);
    }
};
template <> struct squares<data_type::f16> {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        const auto x = hvx::load<hvx::f16x64>(from);
        hvx::chain_mul_acc(sum, x, x);
    }
};
template <> struct squares<data_type::f32> {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        for (uint32_t k = 0; k < 2; ++k) {
            const auto x = hvx::load<f32x32>(from + k * hvx::vector_bytes);
            sum[k] = hvx::chain_mul_add(sum[k], x, x);
        }
    }
};

// Adds the squares of the last n < 128 elements of a row.
template <data_type T> HEX_HVX void add_last_squares(square_sums &sums, const vtcm_byte *row, int32_t n) {
    for (int32_t pair = 0; pair < 2; ++pair, n -= 64, row += 64 * elements<T>::bytes) {
        if (n <= 0) return;
        const auto x = n > 32 ? elements<T>::load(row, 0, whole_step{}) : elements<T>::load(row, 0, lower_step{});
        const f32x32 lo = keep_first(n, x.lo), hi = keep_first(n - 32, x.hi);
        sums.at[2 * pair] = hvx::mul_add(sums.at[2 * pair], lo, lo);
        sums.at[2 * pair + 1] = hvx::mul_add(sums.at[2 * pair + 1], hi, hi);
    }
}

// Adds the squares of n elements. REQUIRES: n is a multiple of rows::col_granule, or this is the end of the row.
template <data_type T> HEX_HVX void add_squares(square_sums &sums, const vtcm_byte *row, uint32_t n) {
    constexpr uint32_t half = rows::col_granule / 2 * elements<T>::bytes;
    hvx::chain low[2] = {hvx::chain_of(sums.at[0]), hvx::chain_of(sums.at[1])};
    hvx::chain high[2] = {hvx::chain_of(sums.at[2]), hvx::chain_of(sums.at[3])};
#pragma clang loop unroll(disable)
    for (uint32_t granules = n / rows::col_granule; granules > 0; --granules) {
        squares<T>::add(low, row);
        squares<T>::add(high, row + half);
        row += 2 * half;
    }
    sums = {hvx::to_f32(low[0]), hvx::to_f32(low[1]), hvx::to_f32(high[0]), hvx::to_f32(high[1])};
    add_last_squares<T>(sums, row, static_cast<int32_t>(n % rows::col_granule));
}

// 1 / sqrt(mean + eps), in all lanes.
HEX_HVX f32x32 scale_of(const square_sums &s, const op::rms_norm::kernel_params &p) {
    const f32x32 total = hvx::sum_splat(hvx::add(hvx::add(s.at[0], s.at[1]), hvx::add(s.at[2], s.at[3])));
    const f32x32 mean = hvx::mul(total, hvx::splat<f32x32>(p.inverse_n));
    return hvx::rsqrt(hvx::add(mean, hvx::splat<f32x32>(p.eps)));
}

template <data_type T> HEX_HVX void scale_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n, f32x32 scale) {
    using V = vector_of<T>;
    map_vectors<V>(
        short_body_of<T>{}, out, vectors_in<T>(n),
        [=](V x) __attribute__((always_inline)) { return hvx::scale_lanes(x, scale); }, in);
}

// A function of its own: over a loop of rows the compiler would keep the constants of all steps in registers, and spill.
template <data_type T>
[[gnu::noinline]] void normalise_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                     const op::rms_norm::kernel_params &p) {
    square_sums sums = square_sums::zero();
    add_squares<T>(sums, in, n);
    scale_row<T>(out, in, n, scale_of(sums, p));
}

template <data_type T> void normalise_rows(const row_unit<2> &u, const op::rms_norm::kernel_params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p);
}

// The same for a piece of a row. The sums are in the object of long_rows: its vectors are no business of the functions
// that calculate.
template <data_type T> [[gnu::noinline]] void sum_piece(square_sums &sums, const vtcm_byte *in, uint32_t n) {
    add_squares<T>(sums, in, n);
}
template <data_type T> [[gnu::noinline]] void scale_piece(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                                          const square_sums &sums,
                                                          const op::rms_norm::kernel_params &p) {
    scale_row<T>(out, in, n, scale_of(sums, p));
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
