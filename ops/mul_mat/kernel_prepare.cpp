// ops/mul_mat/kernel_prepare.cpp -- rows of src1 into the form that the weights want, in the scratch area.
//
//   DDR src1 --DMA--> two stages in VTCM --HVX--> scratch (cached DDR; the inner loop reads it by scalar loads)
//
// A stage holds whole rows, or a part of one row that is too long.
#include "hvx/convert.h"
#include "hvx/divide.h"
#include "hvx/memory.h"
#include "ops/mul_mat/fold.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using namespace hvx;
using formats::tile_k;

// -- elements of src1 as vectors of f32

struct f32_source {
    static constexpr uint32_t bytes = 4;
    // Elements 32i .. 32i+31 of a row.
    HEX_HVX static f32x32 load32(const uint8_t *row, uint32_t i) { return load<f32x32>(row + i * vector_bytes); }
};
// Halves: f16x64 or bf16x64.
template <class Halves> struct half_source {
    static constexpr uint32_t bytes = 2;
    HEX_HVX static f32x32x2 load64(const uint8_t *row, uint32_t i) {
        return to_f32(load<Halves>(row + i * vector_bytes));
    }
    HEX_HVX static f32x32 load32(const uint8_t *row, uint32_t i) {
        const f32x32x2 both = load64(row, i / 2);
        return i % 2 == 0 ? both.lo : both.hi;
    }
};

// -- int8 blocks

constexpr float int8_most = 127.0f;
constexpr float smallest_amax = 0x1p-100f;  // a block below it is zero: 127 / amax would leave f32

// Where the next group of 32 blocks goes.
struct int8_columns {
    uint8_t *quants;
    uint8_t *scales;
    uint8_t *corrections;
    int correction_shift;  // log2 of the weights' unsigned offset

    static int8_columns at(const product &x, uint64_t block) {
        const bool nibbles = type_of(x.kind) == data_type::q4_0;
        static_assert(formats::q4_0_tile::offset == 1 << 3 && formats::q8_0_tile::offset == 1 << 7);
        return {x.scratch + block * tile_k, x.scratch + x.columns.scales + block * 4,
                x.scratch + x.columns.corrections + block * 4, nibbles ? 3 : 7};
    }
    void next_group() {
        quants += group_blocks * tile_k;
        scales += group_blocks * 4;
        corrections += group_blocks * 4;
    }
};

// Scales of 32 blocks, one per lane, are stored; their inverses go to `inverses`.
template <class Source> HEX_HVX void find_scales(const uint8_t *rows, const int8_columns &to, float *inverses) {
    const f32x32 amax = fold<group_blocks>(
        0, [&](uint32_t j) { return abs(Source::load32(rows, j)); }, [](f32x32 a, f32x32 b) { return max(a, b); });
    const mask used = greater(amax, splat<f32x32>(smallest_amax));
    store(to.scales, keep(used, mul(amax, splat<f32x32>(1.0f / int8_most))));
    store(inverses, keep(used, div(splat<f32x32>(int8_most), amax)));
}

template <class Source> void quantise_group(const uint8_t *rows, const int8_columns &to) {
    alignas(vector_bytes) float inverses[group_blocks];
    find_scales<Source>(rows, to, inverses);
    const auto quants = [&](uint32_t j) {
        return to_i32_nearest(mul(Source::load32(rows, j), splat<f32x32>(inverses[j])));
    };
    alignas(vector_bytes) int32_t sums[group_blocks / 4 * 32];
    for (uint32_t j = 0; j < group_blocks; j += 4) {
        const i8x128 q = pack_saturated(quants(j), quants(j + 1), quants(j + 2), quants(j + 3));
        store(to.quants + j * tile_k, q);
        store(sums + j * 8, dot4_acc(zero<i32x32>(), splat<u8x128>(1), q));
    }
    const i32x32 sum = fold<group_blocks / 4>(
        0, [&](uint32_t i) { return load<i32x32>(sums + i * 32); }, [](i32x32 a, i32x32 b) { return add(a, b); });
    store(to.corrections, sub(zero<i32x32>(), shift_left(sum, to.correction_shift)));
}

template <class Source> void quantise(const product &x, const uint8_t *rows, uint64_t first_block, uint64_t blocks) {
    int8_columns to = int8_columns::at(x, first_block);
    for (uint64_t done = 0; done < blocks; done += group_blocks) {
        quantise_group<Source>(rows, to);
        rows += group_blocks * tile_k * Source::bytes;
        to.next_group();
    }
}

// -- f32 rows

template <class Source> void widen(uint8_t *to, const uint8_t *row, uint32_t k) {
    if constexpr (Source::bytes == 4) {
        for (uint32_t i = 0; i * 32 < k; ++i) store(to + i * vector_bytes, Source::load32(row, i));
    } else {
        for (uint32_t i = 0; i * 64 < k; ++i) {
            const f32x32x2 v = Source::load64(row, i);
            store(to + 2 * i * vector_bytes, v.lo);
            if (i * 64 + 32 < k) store(to + (2 * i + 1) * vector_bytes, v.hi);
        }
    }
}

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

// One thread's share of the columns.
template <class Source> class preparer {
  public:
    preparer(worker &w, const product &x)
        : w_(w), x_(x), layout_(stage_layout::of(x.kind, Source::bytes, x.p.stage_k, x.p.stage_rows)) {
        vtcm_ = x.vtcm + w.index * 2 * static_cast<uint32_t>(layout_.bytes);
    }

    void run(base::range columns) {
        stage_walk ahead(x_, columns);
        load(ahead.now(), 0);
        ahead.advance();
        uint32_t slot = 0;
        for (stage_walk walk(x_, columns); !walk.done(); walk.advance(), slot ^= 1) {
            const uint8_t *rows = arrive(slot);
            if (!ahead.done()) {
                load(ahead.now(), slot ^ 1);
                ahead.advance();
            }
            htp::trace_scope traced(w_.trace, htp_event(), walk.now().column);
            convert(walk.now(), rows);
        }
    }

  private:
    trace_event htp_event() const {
        return is_quantised(x_.kind) ? trace_event::hvx_act_quant : trace_event::hvx_act_prep;
    }

    void load(const stage &s, uint32_t slot) {
        const uint32_t row_bytes = s.k * Source::bytes, pitch = static_cast<uint32_t>(layout_.pitch);
        dma_addr_t to = dma_addr_t::of(vtcm_ + slot * layout_.bytes);
        transfers_[slot] = 0;
        for (uint32_t done = 0; done < s.columns;) {
            const column_run run = x_.run_of(x_.activations, s.column + done, s.columns - done);
            const dma_addr_t from = run.address + (x_.now.k_begin + s.k_begin) * Source::bytes;
            // Several runs are assembled in VTCM; so is what ends within a group of blocks, which is read whole.
            const bool whole_groups =
                row_bytes == pitch && s.columns * pitch % (group_blocks * tile_k * Source::bytes) == 0;
            const bool assembled = run.count < s.columns || (is_quantised(x_.kind) && !whole_groups);
            w_.dma.push({to, from, row_bytes, run.count, pitch, run.stride, htp::traffic::read, assembled});
            to = to + run.count * pitch;
            done += run.count;
            ++transfers_[slot];
        }
    }

    const uint8_t *arrive(uint32_t slot) {
        const uint8_t *first = w_.dma.pop();
        for (uint32_t i = 1; i < transfers_[slot]; ++i) (void)w_.dma.pop();
        return first;
    }

    void convert(const stage &s, const uint8_t *rows) {
        if (is_quantised(x_.kind)) {
            const uint64_t blocks = s.k == x_.now.k ? s.columns * x_.columns.pitch : s.k / tile_k;
            return quantise<Source>(x_, rows, s.column * x_.columns.pitch + s.k_begin / tile_k, blocks);
        }
        for (uint32_t i = 0; i < s.columns; ++i) widen_column(s, s.column + i, rows + i * layout_.pitch);
    }

    void widen_column(const stage &s, uint32_t column, const uint8_t *row) {
        uint8_t *to = x_.scratch + s.k_begin / segment_k * x_.columns.segment_bytes + column * x_.columns.pitch;
        for (uint32_t k = 0; k < s.k; k += segment_k) {
            widen<Source>(to, row + k * Source::bytes, base::min(segment_k, s.k - k));
            to += x_.columns.segment_bytes;
        }
    }

    worker &w_;
    const product &x_;
    const stage_layout layout_;
    uint8_t *vtcm_;
    uint32_t transfers_[2] = {0, 0};
};

}  // namespace

status prepare(worker &w, const product &x) {
    const uint32_t columns = x.now.n_columns * x.now.n_slices;
    const uint32_t pitch = is_quantised(x.kind) ? static_cast<uint32_t>(x.columns.pitch) : group_blocks;
    const uint32_t granule = pitch < group_blocks ? group_blocks / pitch : 1;
    const base::range mine = w.share_of(columns, granule);
    if (mine.empty()) return status::ok();
    switch (x.activations.type) {
        case data_type::f16: preparer<half_source<f16x64>>(w, x).run(mine); break;
        case data_type::bf16: preparer<half_source<bf16x64>>(w, x).run(mine); break;
        default: preparer<f32_source>(w, x).run(mine); break;
    }
    return status::ok();
}

}  // namespace hexane::matmul
