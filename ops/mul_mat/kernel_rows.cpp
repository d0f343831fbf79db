// ops/mul_mat/kernel_rows.cpp -- rows of F16, BF16 and F32 weights times f32 columns.
//
// Lane n of a vector is row n of the band, as with tiles, so that no sum has to be folded across lanes. A segment of 32
// rows is transposed once, to one f32 vector per k, and then serves all columns:
//
//     rows in VTCM    r0: k0 k1 k2 ...          segment    k0: r0 r1 .. r31
//                     r1: k0 k1 k2 ...    ->               k1: r0 r1 .. r31
//
// Even and odd k have a sum of their own, which are added at the end of a segment; segments are fixed (layout.h), so
// the result depends on no plan.
#include "hvx/convert.h"
#include "hvx/memory.h"
#include "hvx/permute.h"
#include "hvx/prefetch.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using namespace hvx;

// -- transposing 32 vectors of 32 words

constexpr uint32_t words = 32;  // per vector; also the rows of a band

// Bit Bytes/4 of the vector's number and of the word's number change places, for N vectors.
template <int Bytes, uint32_t N> HEX_HVX void exchange(u32x32 (&v)[N], uint32_t distance) {
    for (uint32_t i = 0; i < N; ++i) {
        if (i & distance) continue;
        const auto p = exchange_blocks<Bytes>(v[i], v[i + distance]);
        v[i] = p.lo;
        v[i + distance] = p.hi;
    }
}

// Rows of 32 words, row r at rows(r), into scratch[32]: eight rows at a time, the first three of five exchanges.
template <class Rows> HEX_HVX void transpose_eights(vtcm_byte *scratch, Rows &&rows) {
    for (uint32_t first = 0; first < words; first += 8) {
        u32x32 v[8];
        for (uint32_t i = 0; i < 8; ++i) v[i] = load<u32x32>(rows(first + i));
        exchange<4>(v, 1);
        exchange<8>(v, 2);
        exchange<16>(v, 4);
        for (uint32_t i = 0; i < 8; ++i) store(scratch + (first + i) * vector_bytes, v[i]);
    }
}

// The other two exchanges. Calls put(i, v): v[j] has word i + 8j of every row.
template <class Put> HEX_HVX void transpose_rest(const vtcm_byte *scratch, Put &&put) {
    for (uint32_t i = 0; i < 8; ++i) {
        u32x32 v[4];
        for (uint32_t j = 0; j < 4; ++j) v[j] = load<u32x32>(scratch + (i + 8 * j) * vector_bytes);
        exchange<32>(v, 1);
        exchange<64>(v, 2);
        put(i, v);
    }
}

// -- types of weights: how many k are in a vector of a row, and how words of transposed rows become vectors by k at
// `to`

HEX_HVX void put_k(vtcm_byte *to, uint32_t k, f32x32 v) { store(to + k * vector_bytes, v); }

struct f32_rows {
    static constexpr uint32_t vector_k = 32, element_bytes = 4;
    HEX_HVX static void put(vtcm_byte *to, uint32_t i, const u32x32 (&v)[4]) {
        for (uint32_t j = 0; j < 4; ++j) put_k(to, i + 8 * j, bits_as<f32x32>(v[j]));
    }
};

// Word i has elements 2i and 2i + 1.
struct f16_rows {
    static constexpr uint32_t vector_k = 64, element_bytes = 2;
    HEX_HVX static void put(vtcm_byte *to, uint32_t i, const u32x32 (&v)[4]) {
        for (uint32_t j = 0; j < 4; j += 2) {
            const uint32_t k = 2 * (i + 8 * j);
            const auto d = deal_halves(bits_as<f16x64>(v[j]), bits_as<f16x64>(v[j + 1]));
            const f32x32x2 even = to_f32(d.lo), odd = to_f32(d.hi);
            put_k(to, k, even.lo);
            put_k(to, k + 1, odd.lo);
            put_k(to, k + 16, even.hi);
            put_k(to, k + 17, odd.hi);
        }
    }
};

// A bf16 is the upper half of an f32.
struct bf16_rows {
    static constexpr uint32_t vector_k = 64, element_bytes = 2;
    HEX_HVX static void put(vtcm_byte *to, uint32_t i, const u32x32 (&v)[4]) {
        for (uint32_t j = 0; j < 4; ++j) {
            const uint32_t k = 2 * (i + 8 * j);
            put_k(to, k, bits_as<f32x32>(shift_left(v[j], 16)));
            put_k(to, k + 1, bits_as<f32x32>(bit_and(v[j], splat<u32x32>(0xffff0000u))));
        }
    }
};

// `k` elements from `k_begin` of the block on, for band `b`, to one vector per k. Rows that do not exist repeat the
// last one; their results are not stored. What lies behind the end of a row gets into vectors of k that nobody reads.
template <class Type> void transpose_segment(const block_job &j, uint32_t b, uint32_t k_begin, uint32_t k) {
    const uint32_t last_row = j.rows - 1;
    vtcm_byte *scratch = j.lanes + segment_k * vector_bytes;
    for (uint32_t done = 0; done < k; done += Type::vector_k) {
        const vtcm_byte *from = j.weights + (k_begin + done) * Type::element_bytes;
        transpose_eights(scratch, [&](uint32_t r) {
            const vtcm_byte *row = from + base::min(b * band_rows + r, last_row) * j.pitch;
            prefetch(row + 2 * vector_bytes);
            return row;
        });
        transpose_rest(scratch,
                       [&](uint32_t i, const u32x32(&v)[4]) { Type::put(j.lanes + done * vector_bytes, i, v); });
    }
}

// -- multiplying

// One segment against C columns of f32, `pitch` apart; results go to or are added to out.
template <uint32_t C>
void multiply_segment(const vtcm_byte *lanes, const float *x, size_t pitch, uint32_t k, vtcm_f32 *out,
                      uint32_t out_pitch, bool accumulate) {
    f32x32 even[C], odd[C];
    for (uint32_t c = 0; c < C; ++c) even[c] = odd[c] = zero<f32x32>();
    const auto column = [&](uint32_t c, uint32_t i)
                            __attribute__((always_inline)) { return splat<f32x32>(x[c * pitch + i]); };
    for (uint32_t i = 0; i + 2 <= k; i += 2) {
        const f32x32 w0 = load<f32x32>(lanes + i * vector_bytes), w1 = load<f32x32>(lanes + (i + 1) * vector_bytes);
        for (uint32_t c = 0; c < C; ++c) {
            even[c] = mul_add(even[c], w0, column(c, i));
            odd[c] = mul_add(odd[c], w1, column(c, i + 1));
        }
    }
    if (k % 2 != 0) {
        const f32x32 w = load<f32x32>(lanes + (k - 1) * vector_bytes);
        for (uint32_t c = 0; c < C; ++c) even[c] = mul_add(even[c], w, column(c, k - 1));
    }
    for (uint32_t c = 0; c < C; ++c) {
        const f32x32 sum = add(even[c], odd[c]);
        store(out + c * out_pitch, accumulate ? add(load<f32x32>(out + c * out_pitch), sum) : sum);
    }
}

template <class Type> void multiply_rows(const block_job &j) {
    const size_t pitch = static_cast<size_t>(j.columns.pitch / sizeof(float));
    for (uint32_t b = 0; b < j.bands; ++b) {
        for (uint32_t k_begin = 0; k_begin < j.k; k_begin += segment_k) {
            const uint32_t k = base::min(segment_k, j.k - k_begin);
            transpose_segment<Type>(j, b, k_begin, k);
            const uint64_t segment = (j.k_begin + k_begin) / segment_k * j.columns.segment_bytes;
            const float *x = reinterpret_cast<const float *>(j.prepared + segment) + j.column * pitch;
            vtcm_f32 *out = j.out + b * band_rows;
            const bool accumulate = j.accumulate || k_begin > 0;
            uint32_t c = 0;
            for (; c + 4 <= j.n_columns; c += 4)
                multiply_segment<4>(j.lanes, x + c * pitch, pitch, k, out + c * j.out_pitch, j.out_pitch, accumulate);
            for (; c < j.n_columns; ++c)
                multiply_segment<1>(j.lanes, x + c * pitch, pitch, k, out + c * j.out_pitch, j.out_pitch, accumulate);
        }
    }
}

}  // namespace

// Where rows are multiplied along k, nothing of this is compiled.
void multiply_f16_rows(const block_job &j) {
    if (!rows_along_k) multiply_rows<f16_rows>(j);
}
void multiply_bf16_rows(const block_job &j) {
    if (!rows_along_k) multiply_rows<bf16_rows>(j);
}
void multiply_f32_rows(const block_job &j) {
    if (!rows_along_k) multiply_rows<f32_rows>(j);
}

}  // namespace hexane::matmul
