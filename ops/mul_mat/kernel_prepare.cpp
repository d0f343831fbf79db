// ops/mul_mat/kernel_prepare.cpp -- rows of src1 into the form that the weights want, in the scratch area.
//
//   DDR src1 --DMA--> two stages in VTCM --HVX--> scratch (cached DDR; the inner loop reads it by scalar loads)
//
// A stage holds whole rows, or a part of one row that is too long.
#include "hvx/subnormals.h"
#include "ops/mul_mat/columns.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using formats::column_form;
using formats::tile_k;

// -- the stages

// Whole rows, or a part of one row.
struct stage {
    uint32_t column, columns;
    uint32_t k_begin, k;
};

class stage_walk {
  public:
    stage_walk(const product &x, base::range columns) : x_(x), end_(columns.end) {
        now_.column = columns.begin;
        clip();
    }
    bool done() const { return now_.column >= end_; }
    const stage &now() const { return now_; }

    void advance() {
        now_.k_begin += x_.p.stage_k;
        if (now_.k_begin >= x_.now.k) {
            now_.k_begin = 0;
            now_.column += now_.columns;
        }
        clip();
    }

  private:
    void clip() {
        now_.columns = done() ? 0 : base::min(x_.p.stage_rows, end_ - now_.column);
        now_.k = base::min(x_.p.stage_k, x_.now.k - now_.k_begin);
    }

    const product &x_;
    const uint32_t end_;
    stage now_{};
};

// What is particular to a type of src1; behind pointers, so that the rest exists once.
struct source_bodies {
    uint32_t bytes;  // of an element
    row_widener widen, widen_parted;
    float (*largest_magnitude)(const vtcm_byte *row, uint32_t k);  // null: the elements are f16 as they are
    void (*narrow)(uint8_t *to, const vtcm_byte *row, uint32_t k, float factor);
};
template <data_type T> constexpr source_bodies bodies_of{elements<T>::bytes, widen<T, false>, widen<T, true>,
                                                         largest_magnitude<T>, narrow<T>};
template <> constexpr source_bodies bodies_of<data_type::f16>{
    elements<data_type::f16>::bytes, widen<data_type::f16, false>, widen<data_type::f16, true>, nullptr, nullptr};

// One thread's share of the columns.
class preparer {
  public:
    preparer(worker &w, const product &x, const stage_layout &layout, const source_bodies &source, vtcm_byte *vtcm)
        : w_(w), x_(x), layout_(layout), source_(source), vtcm_(vtcm) {}

    void run(base::range columns) {
        if (rows_along_k && x_.kind.format->columns == column_form::f16) measure(columns);
        walk_over(columns, [&](const stage &s, const vtcm_byte *rows) { convert(s, rows); });
    }

  private:
    trace_event htp_event() const {
        return is_quantised(x_.kind) ? trace_event::hvx_act_quant : trace_event::hvx_act_prep;
    }

    float *largest() const { return reinterpret_cast<float *>(x_.scratch + x_.columns.largest); }

    template <class Use> void walk_over(base::range columns, Use &&use) {
        stage_walk ahead(x_, columns);
        load(ahead.now(), 0);
        ahead.advance();
        uint32_t slot = 0;
        for (stage_walk walk(x_, columns); !walk.done(); walk.advance(), slot ^= 1) {
            const vtcm_byte *rows = arrive(slot);
            if (!ahead.done()) {
                load(ahead.now(), slot ^ 1);
                ahead.advance();
            }
            htp::trace_scope traced(w_.trace, htp_event(), walk.now().column);
            use(walk.now(), rows);
        }
    }

    void load(const stage &s, uint32_t slot) {
        const uint32_t row_bytes = s.k * source_.bytes, pitch = static_cast<uint32_t>(layout_.pitch);
        dma_addr_t to = dma_addr_t::of(vtcm_ + slot * layout_.bytes);
        transfers_[slot] = 0;
        for (uint32_t done = 0; done < s.columns;) {
            const column_run run = x_.run_of(x_.activations, s.column + done, s.columns - done);
            const dma_addr_t from = run.address + (x_.now.k_begin + s.k_begin) * source_.bytes;
            // Several runs are assembled in VTCM; so is what ends within a group of blocks, which is read whole.
            const bool whole_groups = row_bytes == pitch && s.columns * s.k % (group_blocks * tile_k) == 0;
            const bool assembled = run.count < s.columns || (is_quantised(x_.kind) && !whole_groups);
            w_.dma.push({to, from, row_bytes, run.count, pitch, run.stride, htp::traffic::read, assembled});
            to = to + run.count * pitch;
            done += run.count;
            ++transfers_[slot];
        }
    }

    const vtcm_byte *arrive(uint32_t slot) {
        const vtcm_byte *first = w_.dma.pop();
        for (uint32_t i = 1; i < transfers_[slot]; ++i) (void)w_.dma.pop();
        return first;
    }

    // The largest magnitudes of f16 columns that will be scaled: of whole rows later, when they are there for converting,
    // but a row in parts is read twice. No scale where f16 comes as f16.
    void measure(base::range columns) {
        for (uint32_t c = columns.begin; c < columns.end; ++c) largest()[c] = 0;
        if (!source_.largest_magnitude || x_.p.stage_k >= x_.now.k) return;
        walk_over(columns, [&](const stage &s, const vtcm_byte *rows) { measure_stage(s, rows); });
    }

    void measure_stage(const stage &s, const vtcm_byte *rows) const {
        for (uint32_t i = 0; i < s.columns; ++i) {
            float &most = largest()[s.column + i];
            const float part = source_.largest_magnitude(rows + i * layout_.pitch, s.k);
            // As integers: a NaN must win.
            if (__builtin_bit_cast(int32_t, part) > __builtin_bit_cast(int32_t, most)) most = part;
        }
    }

    void convert(const stage &s, const vtcm_byte *rows) const {
        if (is_quantised(x_.kind)) {
            const uint64_t blocks = s.k == x_.now.k ? s.columns * x_.columns.pitch : s.k / tile_k;
            return quantise(source_.bytes == 4 ? nullptr : source_.widen, source_.bytes, rows,
                            int8_from(s.column * x_.columns.pitch + s.k_begin / tile_k), blocks, vtcm_ + layout_.work);
        }
        for (uint32_t i = 0; i < s.columns; ++i) {
            const vtcm_byte *row = rows + i * layout_.pitch;
            if constexpr (rows_along_k)
                put_whole(s, s.column + i, row);
            else
                put_segments(s, s.column + i, row);
        }
    }

    int8_columns int8_from(uint64_t block) const {
        return {x_.scratch + block * tile_k, x_.scratch + x_.columns.heads + block * sizeof(block_head)};
    }

    void put_segments(const stage &s, uint32_t column, const vtcm_byte *row) const {
        uint8_t *to = x_.scratch + s.k_begin / segment_k * x_.columns.segment_bytes + column * x_.columns.pitch;
        for (uint32_t k = 0; k < s.k; k += segment_k) {
            source_.widen(to, row + k * source_.bytes, base::min(segment_k, s.k - k));
            to += x_.columns.segment_bytes;
        }
    }

    void put_whole(const stage &s, uint32_t column, const vtcm_byte *row) const {
        uint8_t *to = x_.scratch + column * x_.columns.column_bytes;
        switch (x_.kind.format->columns) {
            case column_form::f16: return put_f16(to + s.k_begin * 2, s, column, row);
            case column_form::f32_parted: return source_.widen_parted(to + s.k_begin * 4, row, s.k);
            case column_form::f32: return source_.widen(to + s.k_begin * 4, row, s.k);
            case column_form::int8_blocks: return;  // whole groups, see convert()
        }
    }

    void put_f16(uint8_t *to, const stage &s, uint32_t column, const vtcm_byte *row) const {
        if (!source_.largest_magnitude) return copy_f16(to, row, s.k);
        float &most = largest()[column];
        if (s.k == x_.now.k) most = source_.largest_magnitude(row, s.k);
        source_.narrow(to, row, s.k, column_factor::of(most).factor);
    }

    worker &w_;
    const product &x_;
    const stage_layout &layout_;
    const source_bodies &source_;
    vtcm_byte *const vtcm_;
    uint32_t transfers_[2] = {0, 0};
};

}  // namespace

status prepare(context &ctx, const product &x) {
    const source_bodies *source = nullptr;
    kernels::with_float_type(x.activations.type, [&]<data_type T>() { source = &bodies_of<T>; });
    const stage_layout layout = stage_layout::of(x.kind, source->bytes, x.p.stage_k, x.p.stage_rows);
    // Columns that are shorter than a group of blocks are quantised in whole groups.
    const uint32_t pitch = is_quantised(x.kind) ? static_cast<uint32_t>(x.columns.pitch) : group_blocks;
    uint32_t log2 = 0;
    while (pitch << log2 < group_blocks) ++log2;
    return ctx.each_share(
        htp::over::threads, x.p.prepare_threads, static_cast<uint32_t>(layout.thread_bytes),
        x.now.n_columns * x.now.n_slices,
        [&](worker &w, vtcm_byte *vtcm, base::range columns) {
            const hvx::subnormals_are_zero arithmetic;
            preparer(w, x, layout, *source, vtcm).run(columns);
            return status::ok();
        },
        base::fastdiv::by_power_of_two(log2));
}

}  // namespace hexane::matmul
