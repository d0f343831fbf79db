// ops/set_rows/kernel.cpp -- source rows packed into VTCM, converted at once, and sent to the rows that the indices
// name.
//
// Destination rows in arithmetic progression leave in one transfer: consecutive cells of a K cache, and the rows of one
// element that make up a token in a transposed V cache.
#include "kernels/convert_elements.h"
#include "kernels/quantize_blocks.h"
#include "kernels/stream_units.h"
#include "ops/set_rows/set_rows.h"

namespace hexane::kernels {

namespace {

using params = op::set_rows::kernel_params;

// Stores of one unit. Those of max_depth / 2 units and their loads stay below the queue's capacity.
constexpr uint32_t runs_per_unit = 24;

// `count` rows, the first one `first`, each `step` after the one before.
struct row_run {
    uint32_t first, step, count;
};

// Row indices of a plane, read through the caches.
struct index_row {
    const uint8_t *at;
    uint32_t stride;
    bool wide;

    int64_t operator[](uint32_t i) const {
        const uint8_t *p = at + i * stride;
        return wide ? *reinterpret_cast<const int64_t *>(p) : *reinterpret_cast<const int32_t *>(p);
    }
};

// n packed elements of a unit. REQUIRES: the types differ.
void convert_unit(data_type to, vtcm_byte *dst, data_type from, const vtcm_byte *src, uint32_t n) {
    if (quantizes_to(to)) return quantize_blocks(to, dst, src, n);
    convert_elements(to, dst, from, src, n);
}

// One worker's rows on their way.
class row_scatter {
  public:
    row_scatter(worker &w, const params &p, const operands &io, vtcm_byte *vtcm)
        : worker_(w),
          params_(p),
          src_(*io.src[0]),
          index_(*io.src[1]),
          dst_(*io.dst[0]),
          vtcm_(vtcm),
          src_element_(block_bytes(src_.type)),
          result_element_(op::set_rows_result_bytes(dst_.type)),
          cols_(base::min(src_.ne[0], p.elements_per_unit)) {}

    // Items are pieces of rows, piece after piece of each row. A row that fits a unit is one piece.
    status run(base::range items) {
        const uint32_t row = params_.pieces.quotient(items.begin);
        col_ = (items.begin - row * params_.pieces.divisor) * cols_;
        const uint32_t plane = params_.rows.quotient(row);
        i1_ = row - plane * src_.ne[1];
        i3_ = params_.planes.quotient(plane);
        i2_ = plane - i3_ * src_.ne[2];
        left_ = items.size();
        enter_plane();
        stream_units(worker_.dma, params_.depth, *this);
        return result_;
    }

    bool load(uint32_t slot) {
        if (left_ == 0 || result_.failed()) return false;
        unit &u = units_[slot];
        u.cols = base::min(cols_, src_.ne[0] - col_);
        u.rows = u.n_runs = 0;
        u.col = col_;
        u.i2 = i2_;
        u.i3 = i3_;
        const uint32_t most = base::min(base::min(params_.rows_per_unit, left_), src_.ne[1] - i1_);
        while (u.rows < most && u.n_runs < runs_per_unit) {
            const row_run r = take_run(i1_ + u.rows, most - u.rows);
            if (r.count == 0) break;
            u.runs[u.n_runs++] = r;
            u.rows += r.count;
        }
        if (u.rows == 0) return false;
        worker_.dma.push({.dst = dma_addr_t::of(landing(slot)),
                          .src = src_.row(i1_, i2_, i3_) + col_ * src_element_,
                          .row_bytes = u.cols * src_element_,
                          .rows = u.rows,
                          .dst_stride = u.cols * src_element_,
                          .src_stride = src_.nb[1]});
        advance(u);
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *where) {
        unit &u = units_[slot];
        u.result = where[0];
        if (src_.type == dst_.type) return;
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.i2);
        convert_unit(dst_.type, converted(slot), src_.type, u.result, u.cols * u.rows);
        u.result = converted(slot);
    }

    void store(uint32_t slot) {
        const unit &u = units_[slot];
        const uint32_t row_bytes = dst_bytes(u.cols);
        const vtcm_byte *from = u.result;
        for (uint32_t i = 0; i < u.n_runs; ++i) {
            const row_run &r = u.runs[i];
            worker_.dma.push({.dst = dst_.row(r.first, u.i2, u.i3) + dst_bytes(u.col),
                              .src = dma_addr_t::of(from),
                              .row_bytes = row_bytes,
                              .rows = r.count,
                              .dst_stride = r.step * dst_.nb[1],
                              .src_stride = row_bytes,
                              .kind = traffic::write});
            from += r.count * row_bytes;
        }
    }

  private:
    struct unit {
        uint32_t cols, rows, col, i2, i3;
        uint32_t n_runs;
        row_run runs[runs_per_unit];
        const vtcm_byte *result;
    };

    vtcm_byte *loaded(uint32_t slot) const {
        return vtcm_ + slot * params_.elements_per_unit * (src_element_ + result_element_);
    }
    vtcm_byte *converted(uint32_t slot) const { return loaded(slot) + params_.elements_per_unit * src_element_; }

    // Bytes of n elements of the destination. REQUIRES: whole blocks.
    uint32_t dst_bytes(uint32_t n) const {
        return (block_elements(dst_.type) == 1 ? n : n / 32) * block_bytes(dst_.type);
    }

    // Where the next unit of a slot lands. Without a conversion its stores leave from there too, and are still on their way when
    // the slot is loaded again: then the two regions take turns.
    vtcm_byte *landing(uint32_t slot) {
        if (src_.type != dst_.type) return loaded(slot);
        second_region_[slot] = !second_region_[slot];
        return second_region_[slot] ? converted(slot) : loaded(slot);
    }

    void enter_plane() {
        const uint32_t j2 = params_.index_ne2.remainder(i2_), j3 = params_.index_ne3.remainder(i3_);
        indices_ = {index_.base.pointer<const uint8_t>() + j2 * index_.nb[1] + j3 * index_.nb[2], index_.nb[0],
                    index_.type == data_type::i64};
    }

    bool in_range(int64_t i) {
        if (i >= 0 && i < int64_t{dst_.ne[1]}) return true;
        result_ = status::failure(status_code::bad_index, "SET_ROWS: row index out of range", static_cast<uint64_t>(i));
        return false;
    }

    // The longest progression that begins with source row i1 of this plane, of at most `most` rows. Empty: the first
    // index is bad.
    row_run take_run(uint32_t i1, uint32_t most) {
        const int64_t first = indices_[i1];
        if (!in_range(first)) return {};
        row_run r{static_cast<uint32_t>(first), 0, 1};
        for (int64_t last = first; r.count < most; ++r.count) {
            const int64_t next = indices_[i1 + r.count];
            if (next <= last || next >= int64_t{dst_.ne[1]}) break;
            const int64_t step = next - last;
            if (r.count > 1 && step != r.step) break;
            r.step = static_cast<uint32_t>(step);
            last = next;
        }
        return r;
    }

    void advance(const unit &u) {
        left_ -= u.rows;
        col_ += u.cols;
        if (col_ < src_.ne[0]) return;
        col_ = 0;
        i1_ += u.rows;
        if (i1_ < src_.ne[1] || left_ == 0) return;
        i1_ = 0;
        if (++i2_ == src_.ne[2]) {
            i2_ = 0;
            ++i3_;
        }
        enter_plane();
    }

    worker &worker_;
    const params &params_;
    const operand &src_;
    const operand &index_;
    const operand &dst_;
    vtcm_byte *vtcm_;
    uint32_t src_element_, result_element_;
    uint32_t cols_;      // of a unit, but for the last piece of a row
    uint32_t left_ = 0;  // items
    uint32_t col_ = 0, i1_ = 0, i2_ = 0, i3_ = 0;
    index_row indices_{};
    status result_ = status::ok();
    unit units_[most_depth];
    bool second_region_[most_depth] = {};
};

}  // namespace

template <> status run<op::set_rows>(context &ctx, const params &p, const operands &io) {
    const operand &src = *io.src[0], &index = *io.src[1], &dst = *io.dst[0];
    ctx.cache.before_cached_read(index.base, index.bytes);
    const auto bytes = static_cast<uint32_t>(op::set_rows_worker_bytes(p, src.type, dst.type));
    return ctx.each_share(
        over::devices, p.n_threads, bytes, src.rows() * p.pieces.divisor,
        [&](worker &w, vtcm_byte *vtcm, base::range items) { return row_scatter(w, p, io, vtcm).run(items); });
}

}  // namespace hexane::kernels
