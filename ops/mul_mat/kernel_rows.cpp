// ops/mul_mat/kernel_rows.cpp -- rows of F16, BF16 and F32 weights times f16 or f32 columns.
//
// A dot product is summed lane by lane over a segment of k, for 32 rows and two columns at a time; then the lanes of 32 rows are folded to one
// vector of 32 results. Segments and the order within them are fixed, so the result depends on no plan.
#include "hvx/convert.h"
#include "hvx/memory.h"
#include "ops/mul_mat/fold.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using namespace hvx;

// What a type of weights is made of: steps of `k` elements, a multiply-accumulate of one step, and one that ignores all but `left` elements of the
// weights, which may hold anything there. Columns are zero there.
struct f16_rows {
    static constexpr uint32_t k = 64, weight_bytes = 128, column_bytes = 128;
    static constexpr bool scaled = true;  // columns come with a factor
    using weights = f32x32x2;
    using column = f32x32x2;
    HEX_HVX static weights load_weights(const uint8_t *p) { return to_f32(load<f16x64>(p)); }
    HEX_HVX static weights load_weights(const uint8_t *p, uint32_t left) {
        return to_f32(keep(first_lanes<f16x64>(left), load<f16x64>(p)));
    }
    HEX_HVX static column load_column(const uint8_t *p) { return to_f32(load<f16x64>(p)); }
    HEX_HVX static f32x32 multiply(f32x32 sum, weights w, column x) { return mul_add(w.hi, x.hi, mul_add(w.lo, x.lo, sum)); }
};

struct bf16_rows {
    static constexpr uint32_t k = 64, weight_bytes = 128, column_bytes = 256;
    static constexpr bool scaled = false;
    using weights = f32x32x2;
    using column = f32x32x2;
    HEX_HVX static weights load_weights(const uint8_t *p) { return to_f32(load<bf16x64>(p)); }
    HEX_HVX static weights load_weights(const uint8_t *p, uint32_t left) {
        return to_f32(keep(first_lanes<bf16x64>(left), load<bf16x64>(p)));
    }
    HEX_HVX static column load_column(const uint8_t *p) { return {load<f32x32>(p), load<f32x32>(p + vector_bytes)}; }
    HEX_HVX static f32x32 multiply(f32x32 sum, weights w, column x) { return mul_add(w.hi, x.hi, mul_add(w.lo, x.lo, sum)); }
};

struct f32_rows {
    static constexpr uint32_t k = 32, weight_bytes = 128, column_bytes = 128;
    static constexpr bool scaled = false;
    using weights = f32x32;
    using column = f32x32;
    HEX_HVX static weights load_weights(const uint8_t *p) { return load<f32x32>(p); }
    HEX_HVX static weights load_weights(const uint8_t *p, uint32_t left) { return keep(first_lanes<f32x32>(left), load<f32x32>(p)); }
    HEX_HVX static column load_column(const uint8_t *p) { return load<f32x32>(p); }
    HEX_HVX static f32x32 multiply(f32x32 sum, weights w, column x) { return mul_add(w, x, sum); }
};

inline constexpr uint32_t rows_at_a_time = 4;  // x 2 columns are 8 sums; with what they are made of they fill the registers

// A segment of R rows against C columns; sums by lane go to lanes[c * 32 + r].
template <class Rows, uint32_t C>
void multiply_segment(const uint8_t *const (&rows)[rows_at_a_time], const uint8_t *columns, size_t column_pitch, uint32_t k, uint8_t *lanes) {
    f32x32 sum[rows_at_a_time][C];
    for (auto &row : sum)
        for (f32x32 &s : row) s = zero<f32x32>();
    const auto step = [&](uint32_t i, auto... left) __attribute__((always_inline)) {
        typename Rows::column x[C];
        for (uint32_t c = 0; c < C; ++c) x[c] = Rows::load_column(columns + c * column_pitch + i * Rows::column_bytes);
        for (uint32_t r = 0; r < rows_at_a_time; ++r) {
            const auto w = Rows::load_weights(rows[r] + i * Rows::weight_bytes, left...);
            for (uint32_t c = 0; c < C; ++c) sum[r][c] = Rows::multiply(sum[r][c], w, x[c]);
        }
    };
    uint32_t i = 0;
    for (; (i + 1) * Rows::k <= k; ++i) step(i);
    if (i * Rows::k < k) step(i, k - i * Rows::k);
    for (uint32_t r = 0; r < rows_at_a_time; ++r)
        for (uint32_t c = 0; c < C; ++c) store(lanes + (c * band_rows + r) * vector_bytes, sum[r][c]);
}

// Band `b` of the block against C columns from `column` on.
template <class Rows, uint32_t C> void multiply_band(const block_job &j, uint32_t b, uint32_t column) {
    const uint32_t last_row = j.rows - 1;
    const uint8_t *columns = j.prepared + (j.column + column) * j.columns.pitch + j.k_begin / Rows::k * Rows::column_bytes;
    const float *factors = reinterpret_cast<const float *>(j.prepared + j.columns.scales) + j.column + column;
    float *to = j.out + column * j.out_pitch + b * band_rows;
    bool accumulate = j.accumulate;
    for (uint32_t k = 0; k < j.k; k += segment_k) {
        const uint32_t steps = k / Rows::k;
        for (uint32_t r = 0; r < band_rows && b * band_rows + r <= last_row; r += rows_at_a_time) {
            const uint8_t *rows[rows_at_a_time];
            for (uint32_t i = 0; i < rows_at_a_time; ++i)
                rows[i] = j.weights + base::min(b * band_rows + r + i, last_row) * j.pitch + steps * Rows::weight_bytes;
            multiply_segment<Rows, C>(rows, columns + steps * Rows::column_bytes, j.columns.pitch, base::min(segment_k, j.k - k),
                                      j.lanes + r * vector_bytes);
        }
        for (uint32_t c = 0; c < C; ++c) {
            const uint8_t *lanes = j.lanes + c * band_rows * vector_bytes;
            f32x32 sum = fold<32>(
                0, [&](uint32_t r) { return load<f32x32>(lanes + r * vector_bytes); }, [](f32x32 x, f32x32 y) { return add(x, y); });
            if constexpr (Rows::scaled) sum = mul(sum, splat<f32x32>(factors[c]));
            float *out = to + c * j.out_pitch;
            store(out, accumulate ? add(load<f32x32>(out), sum) : sum);
        }
        accumulate = true;
    }
}

template <class Rows> void multiply_rows(const block_job &j) {
    for (uint32_t b = 0; b < j.bands; ++b) {
        uint32_t c = 0;
        for (; c + 2 <= j.n_columns; c += 2) multiply_band<Rows, 2>(j, b, c);
        if (c < j.n_columns) multiply_band<Rows, 1>(j, b, c);
    }
}
static_assert(multiply_layout::lane_columns == 2);

}  // namespace

void multiply_f16_rows(const block_job &j) { multiply_rows<f16_rows>(j); }
void multiply_bf16_rows(const block_job &j) { multiply_rows<bf16_rows>(j); }
void multiply_f32_rows(const block_job &j) { multiply_rows<f32_rows>(j); }

}  // namespace hexane::matmul
