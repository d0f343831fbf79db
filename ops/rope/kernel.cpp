// ops/rope/kernel.cpp -- boxes of heads x positions through VTCM; each worker calculates the angles of a position once
// and turns all heads by them.
#include "ops/rope/kernel.h"

#include "kernels/float_rows.h"
#include "kernels/stream_units.h"
#include "ops/rope/angles.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;
using hvx::f32x32x2;

constexpr uint32_t f32_bytes = 4;

// A step of a row at any address. `n` in 1..64 elements belong to it: a load reads the others, too, a store leaves them
// alone.
template <class Step> HEX_HVX f32x32x2 load_step(const vtcm_byte *from, Step) {
    const auto lo = hvx::load_unaligned<f32x32>(from);
    if constexpr (Step::upper) return {lo, hvx::load_unaligned<f32x32>(from + hvx::vector_bytes)};
    return {lo, lo};
}
template <class Step> HEX_HVX void store_step(vtcm_byte *to, f32x32x2 x, uint32_t n, Step) {
    if constexpr (Step::upper) {
        hvx::store_unaligned(to, x.lo);
        hvx::store_first(to + hvx::vector_bytes, (n - 32) * f32_bytes, x.hi);
    } else {
        hvx::store_first(to, n * f32_bytes, x.lo);
    }
}
HEX_HVX void store_whole(vtcm_byte *to, f32x32x2 x) {
    hvx::store_unaligned(to, x.lo);
    hvx::store_unaligned(to + hvx::vector_bytes, x.hi);
}

// Cosines and sines of up to 64 pairs, or of 32.
struct angles {
    f32x32x2 cosine, sine;

    template <class Step> HEX_HVX static angles load(const vtcm_byte *from, Step) {
        const auto at = [=](uint32_t vector)
                            __attribute__((always_inline)) { return hvx::load<f32x32>(from + vector * line_bytes); };
        if constexpr (Step::upper) return {{at(0), at(2)}, {at(1), at(3)}};
        return {{at(0), at(0)}, {at(1), at(1)}};
    }
};

struct turned {
    f32x32 a, b;
};
HEX_HVX turned turn_pair(f32x32 a, f32x32 b, f32x32 cosine, f32x32 sine) {
    return {hvx::mul_add(hvx::mul(a, cosine), b, hvx::neg(sine)), hvx::mul_add(hvx::mul(b, cosine), a, sine)};
}

// Rows of one position, a pitch apart.
struct head_rows {
    const vtcm_byte *from;
    vtcm_byte *to;
    uint32_t count;
    uint32_t from_pitch, to_pitch;

    head_rows at(uint32_t byte) const { return {from + byte, to + byte, count, from_pitch, to_pitch}; }
};

// `n` pairs whose elements are `apart` bytes from each other: one step of all heads. Whole steps have 64 pairs.
template <bool Whole, class Step>
[[gnu::noinline]] void turn_halves(head_rows rows, uint32_t apart, const vtcm_byte *table, uint32_t n, Step step) {
    const angles by = angles::load(table, step);
    for (uint32_t r = 0; r < rows.count; ++r) {
        const f32x32x2 a = load_step(rows.from, step), b = load_step(rows.from + apart, step);
        const turned lo = turn_pair(a.lo, b.lo, by.cosine.lo, by.sine.lo);
        const turned hi = Step::upper ? turn_pair(a.hi, b.hi, by.cosine.hi, by.sine.hi) : lo;
        if constexpr (Whole) {
            store_whole(rows.to, {lo.a, hi.a});
            store_whole(rows.to + apart, {lo.b, hi.b});
        } else {
            store_step(rows.to, {lo.a, hi.a}, n, step);
            store_step(rows.to + apart, {lo.b, hi.b}, n, step);
        }
        rows.from += rows.from_pitch;
        rows.to += rows.to_pitch;
    }
}

// `n` pairs of neighbours: one step of all heads. Whole steps have 32 pairs.
template <bool Whole>
[[gnu::noinline]] void turn_neighbours(head_rows rows, const vtcm_byte *table, uint32_t n) {
    const angles by = angles::load(table, lower_step{});
    for (uint32_t r = 0; r < rows.count; ++r) {
        const f32x32x2 x = load_step(rows.from, whole_step{});
        const hvx::pair<f32x32> pairs = hvx::deal_words(x.lo, x.hi);
        const turned t = turn_pair(pairs.lo, pairs.hi, by.cosine.lo, by.sine.lo);
        const hvx::pair<f32x32> y = hvx::interleave_words(t.a, t.b);
        if constexpr (Whole) {
            store_whole(rows.to, {y.lo, y.hi});
        } else if (n > 16) {
            store_step(rows.to, {y.lo, y.hi}, 2 * n, whole_step{});
        } else {
            store_step(rows.to, {y.lo, y.hi}, 2 * n, lower_step{});
        }
        rows.from += rows.from_pitch;
        rows.to += rows.to_pitch;
    }
}

// Turns the pairs of f32 rows; `to` may be `from`.
void turn_rows(const head_rows &rows, const op::rope_params &p, const vtcm_byte *table) {
    const head_rows first = rows.at(p.offset * f32_bytes);
    uint32_t i = 0;
    if (p.order == op::rope_order::neighbours) {
        for (; i + 32 <= p.n_pairs; i += 32, table += op::rope_layout::angle_block_bytes)
            turn_neighbours<true>(first.at(2 * i * f32_bytes), table, 32);
        if (i < p.n_pairs) turn_neighbours<false>(first.at(2 * i * f32_bytes), table, p.n_pairs - i);
        return;
    }
    const uint32_t apart = p.n_pairs * f32_bytes;
    for (; i + 64 <= p.n_pairs; i += 64, table += 2 * op::rope_layout::angle_block_bytes)
        turn_halves<true>(first.at(i * f32_bytes), apart, table, 64, whole_step{});
    if (p.n_pairs - i > 32) {
        turn_halves<false>(first.at(i * f32_bytes), apart, table, p.n_pairs - i, whole_step{});
    } else if (i < p.n_pairs) {
        turn_halves<false>(first.at(i * f32_bytes), apart, table, p.n_pairs - i, lower_step{});
    }
}

// Rows from one type to another.
template <data_type To, data_type From> [[gnu::noinline]] void convert_rows(head_rows rows, uint32_t n) {
    for (uint32_t r = 0; r < rows.count; ++r) {
        for_each_step(n, [&](uint32_t i, auto step) {
            elements<To>::store(rows.to, i, elements<From>::load(rows.from, i, step), step);
        });
        rows.from += rows.from_pitch;
        rows.to += rows.to_pitch;
    }
}

// Copies the bytes [begin, end) of each row.
[[gnu::noinline]] void copy_bytes(const head_rows &rows, uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at < end; at += hvx::vector_bytes) {
        head_rows r = rows.at(at);
        const uint32_t bytes = base::min(end - at, hvx::vector_bytes);
        for (uint32_t i = 0; i < r.count; ++i) {
            hvx::store_first(r.to, bytes, hvx::load_unaligned<hvx::u8x128>(r.from));
            r.from += r.from_pitch;
            r.to += r.to_pitch;
        }
    }
}

// Whether no load of a row goes beyond its end, so that rows may be read where they lie.
bool loads_end_with_row(const op::rope_params &p, uint32_t row_bytes, uint32_t element_bytes) {
    const uint32_t rotated = 2 * p.n_pairs * element_bytes, before = p.offset * element_bytes;
    return row_bytes % hvx::vector_bytes == 0 && before % hvx::vector_bytes == 0 &&
           rotated % (2 * hvx::vector_bytes) == 0;
}

// One worker's heads and positions on their way. Unit u has head block u % head_blocks of batch
// (u / head_blocks) % n3 of a block of positions: angles stay as long as possible.
class rope_worker {
  public:
    rope_worker(worker &w, const op::rope_params &p, const operands &io, const uint8_t *frequencies, vtcm_byte *vtcm)
        : worker_(w),
          params_(p),
          src_(*io.src[0]),
          dst_(*io.dst[0]),
          positions_(io.src[1]->base.pointer<const int32_t>()),
          frequencies_(frequencies),
          element_bytes_(block_bytes(dst_.type)),
          row_bytes_(dst_.ne[0] * element_bytes_),
          pitch_(op::rope_layout::pitch_bytes(row_bytes_)),
          angles_(vtcm),
          widened_(vtcm + p.positions_per_unit * op::rope_layout::angle_bytes(p.n_pairs)),
          units_at_(widened_ + op::rope_layout::widened_bytes(p.heads_per_unit, dst_.ne[0], element_bytes_)),
          in_place_(loads_end_with_row(p, row_bytes_, element_bytes_)) {
        const uint32_t rows = p.heads_per_unit * p.positions_per_unit;
        source_bytes_ = static_cast<uint32_t>(op::rope_layout::source_bytes(row_bytes_, rows));
        unit_bytes_ = static_cast<uint32_t>(op::rope_layout::unit_bytes(row_bytes_, rows));
    }

    void run(base::range units) {
        const uint32_t batch = params_.head_blocks.quotient(units.begin);
        const uint32_t block = params_.batches.quotient(batch);
        head_ = (units.begin - batch * params_.head_blocks.divisor) * params_.heads_per_unit;
        i3_ = batch - block * dst_.ne[3];
        position_ = block * params_.positions_per_unit;
        left_ = units.size();
        stream_units(worker_.dma, params_.depth, *this);
    }

    bool load(uint32_t slot) {
        if (left_ == 0) return false;
        --left_;
        unit &u = units_[slot];
        u = {head_, base::min(params_.heads_per_unit, dst_.ne[1] - head_), position_,
             base::min(params_.positions_per_unit, dst_.ne[2] - position_), i3_};
        for_each_run(u, src_, [&](dma_addr_t from, uint32_t row, uint32_t rows, uint32_t stride) {
            worker_.dma.push({.dst = dma_addr_t::of(source(slot) + row * pitch_),
                              .src = from,
                              .row_bytes = row_bytes_,
                              .rows = rows,
                              .dst_stride = pitch_,
                              .src_stride = stride,
                              .land_at_dst = !in_place_ || rows != u.heads * u.positions});
        });
        advance(u);
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *where) {
        const unit &u = units_[slot];
        const vtcm_byte *from = where[0];
        if (!angles_known_ || angles_of_ != u.position) fill_tables(u);
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.position);
        const uint32_t rotated_end = (params_.offset + 2 * params_.n_pairs) * element_bytes_;
        for (uint32_t i = 0; i < u.positions; ++i) {
            const uint32_t first = i * u.heads * pitch_;
            const head_rows rows{from + first, result(slot) + first, u.heads, pitch_, pitch_};
            with_float_type(dst_.type, [&]<data_type T>() { turn<T>(rows, angles_at(i)); });
            copy_bytes(rows, 0, params_.offset * element_bytes_);
            copy_bytes(rows, rotated_end, row_bytes_);
        }
    }

    void store(uint32_t slot) {
        const unit &u = units_[slot];
        for_each_run(u, dst_, [&](dma_addr_t to, uint32_t row, uint32_t rows, uint32_t stride) {
            worker_.dma.push({.dst = to,
                              .src = dma_addr_t::of(result(slot) + row * pitch_),
                              .row_bytes = row_bytes_,
                              .rows = rows,
                              .dst_stride = stride,
                              .src_stride = pitch_,
                              .kind = traffic::write});
        });
    }

  private:
    struct unit {
        uint32_t head, heads, position, positions, i3;
    };

    vtcm_byte *source(uint32_t slot) const { return units_at_ + slot * unit_bytes_; }
    vtcm_byte *result(uint32_t slot) const { return source(slot) + source_bytes_; }

    // Calls move(address in t, row in the unit, rows, stride) for each run of rows that follow each other in t.
    template <class Move> static void for_each_run(const unit &u, const operand &t, Move &&move) {
        const auto at = [&](uint32_t i) { return t.row(u.head, u.position + i, u.i3); };
        if (u.positions == 1) return move(at(0), 0, u.heads, t.nb[1]);
        if (u.heads == 1) return move(at(0), 0, u.positions, t.nb[2]);
        if (t.nb[2] == t.nb[1] * u.heads) return move(at(0), 0, u.heads * u.positions, t.nb[1]);
        for (uint32_t i = 0; i < u.positions; ++i) move(at(i), i * u.heads, u.heads, t.nb[1]);
    }

    void advance(const unit &u) {
        head_ += u.heads;
        if (head_ < dst_.ne[1]) return;
        head_ = 0;
        if (++i3_ < dst_.ne[3]) return;
        i3_ = 0;
        position_ += u.positions;
    }

    // 16-bit rows go through f32 ones: conversions and turns in one loop need more registers than v73 has.
    template <data_type T> void turn(const head_rows &rows, const vtcm_byte *table) {
        if constexpr (T == data_type::f32) {
            turn_rows(rows, params_, table);
        } else {
            const uint32_t n = dst_.ne[0], pitch = op::rope_layout::pitch_bytes(n * f32_bytes);
            convert_rows<data_type::f32, T>({rows.from, widened_, rows.count, pitch_, pitch}, n);
            turn_rows({widened_, widened_, rows.count, pitch, pitch}, params_, table);
            convert_rows<T, data_type::f32>({widened_, rows.to, rows.count, pitch, pitch_}, n);
        }
    }

    vtcm_byte *angles_at(uint32_t i) const { return angles_ + i * op::rope_layout::angle_bytes(params_.n_pairs); }

    // The angles of all positions of a unit.
    void fill_tables(const unit &u) {
        trace_scope traced(worker_.trace, trace_event::hvx_act_prep, u.position);
        const bool sections = params_.sections != op::rope_sections::none;
        for (uint32_t i = 0; i < u.positions; ++i) {
            position_digits digits[4];
            for (uint32_t k = 0; k < 4; ++k)
                digits[k] = position_digits::of(positions_[u.position + i + (sections ? k * dst_.ne[2] : 0)],
                                                params_.backward != 0);
            if (sections) {
                fill_angles<true>(angles_at(i), frequencies_, params_.n_pairs, digits);
            } else {
                fill_angles<false>(angles_at(i), frequencies_, params_.n_pairs, digits);
            }
        }
        angles_of_ = u.position;
        angles_known_ = true;
    }

    worker &worker_;
    const op::rope_params &params_;
    const operand &src_;
    const operand &dst_;
    const int32_t *positions_;
    const uint8_t *frequencies_;
    uint32_t element_bytes_, row_bytes_, pitch_;
    vtcm_byte *angles_;
    vtcm_byte *widened_;
    vtcm_byte *units_at_;
    bool in_place_;
    uint32_t source_bytes_, unit_bytes_;
    uint32_t left_ = 0;
    uint32_t head_ = 0, position_ = 0, i3_ = 0;
    uint32_t angles_of_ = 0;  // position that the tables begin with
    bool angles_known_ = false;
    unit units_[most_depth];
};

status run_rope(context &ctx, const op::rope_params &p, const operands &io) {
    const operand &positions = *io.src[1], &dst = *io.dst[0];
    ctx.cache.before_cached_read(positions.base, positions.bytes);
    const float *factors = nullptr;
    if (io.src[2]) {
        ctx.cache.before_cached_read(io.src[2]->base, io.src[2]->bytes);
        factors = io.src[2]->base.pointer<const float>();
    }
    uint8_t *frequencies = &ctx.scratch[0];
    fill_frequencies(frequencies, p, factors);
    const auto bytes = static_cast<uint32_t>(op::rope_layout::worker_bytes(p, dst.ne[0], block_bytes(dst.type)));
    return ctx.each_share(over::devices, p.n_threads, bytes, p.units,
                          [&](worker &w, vtcm_byte *vtcm, base::range units) {
                              rope_worker(w, p, io, frequencies, vtcm).run(units);
                              return status::ok();
                          });
}

}  // namespace

template <> status run<op::rope>(context &ctx, const op::rope_params &p, const operands &io) {
    return run_rope(ctx, p, io);
}
template <> status run<op::rope_back>(context &ctx, const op::rope_params &p, const operands &io) {
    return run_rope(ctx, p, io);
}

}  // namespace hexane::kernels
