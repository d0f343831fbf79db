// ops/mul_mat/kernel_dot.cpp -- rows of F16, BF16 and F32 weights times columns, along k: the form for Hexagon.
//
// A vector of k of a row meets the same k of a column, and the lanes are added up once per segment:
//
//     row r   k0 k1 .. k63        sums of (r, c), 32 lanes, in registers over a segment of k
//     column  k0 k1 .. k63   ->   32 rows' sums side by side in VTCM   ->   one vector of 32 results
//
// kernel_rows.cpp, the form for PCs, transposes weights first and multiplies f32. On Hexagon transposing alone takes as
// long as this takes for one column, and a product of f16 is twice as wide. What bounds it there, per 1024 products: v79
// does 128 in a packet, so 8 packets, or as many vectors as are loaded, one per packet (20 with one column); v73 turns
// 64 products into two vectors of qf32, and each is added by the one unit that shifts: 32 packets.
//
// Columns come as kernel_prepare.cpp leaves them: F16 weights meet f16 columns, each scaled by a power of two. Every pair
// of a row and a column is summed in the same order, whatever tile of rows and columns it is part of; and segments are
// fixed (layout.h), so the result depends on no plan.
#include "hvx/float16.h"
#include "hvx/memory.h"
#include "hvx/reduce.h"
#include "ops/mul_mat/columns.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using namespace hvx;

// -- types of weights: a vector of a row, and the vectors of a column that it meets

template <storable V> struct same_type {
    static constexpr uint32_t vector_k = lanes<V>, column_vectors = 1;
    using weights = V;
    using column = V;
    HEX_HVX static V load_weights(const vtcm_byte *from) { return load<V>(from); }
    HEX_HVX static V load_column(const uint8_t *from) { return load<V>(from); }
};

struct f16_type : same_type<f16x64> {
    static constexpr uint32_t most_columns = add_products_is_one ? 4 : 2;  // more would not fit the registers
    static constexpr bool scaled = true;
    // One column: each sum of qf32 is a packet, but for three packets of products before the first; so 67 packets for eight steps, where
    // the compiler of its own accord takes 35 for four.
    static constexpr bool eight_steps = qf32_arithmetic;
    HEX_HVX static running_sum add(running_sum s, f16x64 w, f16x64 x) { return add_products(s, w, x); }
};

struct f32_type : same_type<f32x32> {
    static constexpr uint32_t most_columns = 2;
    static constexpr bool scaled = false, eight_steps = false;
    HEX_HVX static running_sum add(running_sum s, f32x32 w, f32x32 x) { return add_product(s, w, x); }
};

// A bf16 is the upper half of an f32, so even and odd k part without a permutation; columns are parted the same way.
struct bf16_type {
    static constexpr uint32_t vector_k = 64, column_vectors = 2, most_columns = 2;
    static constexpr bool scaled = false, eight_steps = false;
    using weights = u32x32;
    using column = f32x32x2;
    HEX_HVX static u32x32 load_weights(const vtcm_byte *from) { return load<u32x32>(from); }
    HEX_HVX static f32x32x2 load_column(const uint8_t *from) {
        return {load<f32x32>(from), load<f32x32>(from + vector_bytes)};
    }
    HEX_HVX static running_sum add(running_sum s, u32x32 w, const f32x32x2 &x) {
        const f32x32 even = bits_as<f32x32>(shift_left(w, 16));
        const f32x32 odd = bits_as<f32x32>(bit_and(w, splat<u32x32>(0xffff0000u)));
        return add_product(add_product(s, even, x.lo), odd, x.hi);
    }
};

// -- a tile of R rows and C columns

// `vectors` whole vectors of k, then the first `tail` bytes of one more. What lies behind the end of a row may be no
// number, so it is cleared; columns end with zeros.
struct extent {
    uint32_t vectors, tail;
};

template <class Type, uint32_t R, uint32_t C> class tile {
  public:
    // Columns begin `column_pitch` bytes apart. The 32 sums of row r and column c go to to + (c * 32 + r) * 128.
    [[gnu::noinline]] static void multiply(const vtcm_byte *const (&rows)[R], const uint8_t *columns,
                                           size_t column_pitch, extent k, vtcm_byte *to) {
        tile t;
        for (uint32_t c = 0; c < C; ++c) t.x_[c] = columns + c * column_pitch;
        for (uint32_t r = 0; r < R; ++r) {
            t.w_[r] = rows[r];
            for (uint32_t c = 0; c < C; ++c) t.sums_[r][c] = empty_sum();
        }
        t.whole_steps(k.vectors);
        if (k.tail != 0) {
            const mask exists = first_bytes(k.tail);
            t.step([&](auto w) __attribute__((always_inline)) { return keep(exists, w); });
        }
        for (uint32_t r = 0; r < R; ++r) {
            for (uint32_t c = 0; c < C; ++c) store(to + (c * band_rows + r) * vector_bytes, to_f32(t.sums_[r][c]));
        }
    }

  private:
    HEX_HVX void whole_steps(uint32_t n) {
        const auto whole = [](auto w) __attribute__((always_inline)) { return w; };
        if constexpr (C == 1 && Type::eight_steps) {
#pragma clang loop unroll_count(8)
            for (uint32_t i = 0; i < n; ++i) step(whole);
        } else {
            for (uint32_t i = 0; i < n; ++i) step(whole);
        }
    }

    template <class Clean> HEX_HVX void step(Clean &&clean) {
        typename Type::column x[C];
        for (uint32_t c = 0; c < C; ++c) {
            x[c] = Type::load_column(x_[c]);
            x_[c] += Type::column_vectors * vector_bytes;
        }
        for (uint32_t r = 0; r < R; ++r) {
            const typename Type::weights w = clean(Type::load_weights(w_[r]));
            w_[r] += vector_bytes;
            for (uint32_t c = 0; c < C; ++c) sums_[r][c] = Type::add(sums_[r][c], w, x[c]);
        }
    }

    const vtcm_byte *w_[R];
    const uint8_t *x_[C];
    running_sum sums_[R][C];
};

// -- blocks

// Rows of one tile. 4 x 4 sums and what they meet fill 24 registers of 32.
constexpr uint32_t tile_rows = 4;

// A segment of k of one band. Rows that do not exist repeat the last one or are left out; their results are not stored.

template <class Type> struct segment {
    const block_job &j;
    uint32_t band;
    uint32_t k_begin, k;  // within the block

    // C columns from `column` of the block on.
    template <uint32_t C> void multiply(uint32_t column) const {
        const uint8_t *x = j.prepared + uint64_t{j.column + column} * j.columns.column_bytes +
                           uint64_t{j.k_begin + k_begin} * Type::column_vectors * vector_bytes / Type::vector_k;
        const uint32_t element_bytes = vector_bytes / Type::vector_k;
        const extent e{k / Type::vector_k, k % Type::vector_k * element_bytes};
        const uint32_t rows = base::min(band_rows, j.rows - band * band_rows);
        for (uint32_t r = 0; r < rows; r += tile_rows) {
            const vtcm_byte *w[tile_rows];
            for (uint32_t i = 0; i < tile_rows; ++i)
                w[i] = j.weights + base::min(band * band_rows + r + i, j.rows - 1) * j.pitch + k_begin * element_bytes;
            tile<Type, tile_rows, C>::multiply(w, x, static_cast<size_t>(j.columns.column_bytes), e,
                                               j.lanes + r * vector_bytes);
        }
        for (uint32_t c = 0; c < C; ++c) add_lanes(column + c, j.lanes + c * band_rows * vector_bytes);
    }

    // 32 sums of 32 lanes each at `sums` to the results of one column.
    [[gnu::noinline]] void add_lanes(uint32_t column, const vtcm_byte *sums) const {
        f32x32 result = sum_32(*reinterpret_cast<const f32x32(*)[band_rows]>(sums));
        if constexpr (Type::scaled) {
            const float *largest = reinterpret_cast<const float *>(j.prepared + j.columns.largest);
            result = mul(result, splat<f32x32>(column_factor::of(largest[j.column + column]).inverse));
        }
        vtcm_f32 *out = j.out + column * j.out_pitch + band * band_rows;
        store(out, j.accumulate || k_begin > 0 ? hvx::add(load<f32x32>(out), result) : result);
    }
};

template <class Type> void multiply_rows(const block_job &j) {
    constexpr uint32_t segment_k = formats::segment_bytes * Type::vector_k / vector_bytes;
    for (uint32_t b = 0; b < j.bands; ++b) {
        for (uint32_t k = 0; k < j.k; k += segment_k) {
            const segment<Type> s{j, b, k, base::min(segment_k, j.k - k)};
            uint32_t c = 0;
            if constexpr (Type::most_columns == 4) {
                for (; c + 4 <= j.n_columns; c += 4) s.template multiply<4>(c);
            }
            for (; c + 2 <= j.n_columns; c += 2) s.template multiply<2>(c);
            for (; c < j.n_columns; ++c) s.template multiply<1>(c);
        }
    }
}

}  // namespace

void multiply_f16_dots(const block_job &j) { multiply_rows<f16_type>(j); }
void multiply_bf16_dots(const block_job &j) { multiply_rows<bf16_type>(j); }
void multiply_f32_dots(const block_job &j) { multiply_rows<f32_type>(j); }

}  // namespace hexane::matmul
