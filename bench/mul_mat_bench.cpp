// bench/mul_mat_bench.cpp -- the arithmetic of MUL_MAT alone: one band of weights after the other against prepared
// columns, one thread, no DMA, no session. One column reads weights from memory; many columns reuse a band that is in
// the cache.
//
//   mul_mat_bench [k]     columns, multiply-accumulates and bytes of weights per second, for each type of weights
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "ops/mul_mat/kernel.h"

namespace {

using namespace hexane;
using namespace hexane::matmul;

// Bytes at a vector's alignment.
class aligned_bytes {
  public:
    aligned_bytes(size_t bytes, int fill) : p_(static_cast<uint8_t *>(::operator new(bytes, std::align_val_t{4096}))) {
        std::memset(p_, fill, bytes);
    }
    ~aligned_bytes() { ::operator delete(p_, std::align_val_t{4096}); }
    aligned_bytes(const aligned_bytes &) = delete;
    aligned_bytes &operator=(const aligned_bytes &) = delete;
    uint8_t *data() const { return p_; }

  private:
    uint8_t *p_;
};

// What stands in for VTCM.
vtcm_byte *vtcm(const aligned_bytes &memory) { return reinterpret_cast<vtcm_byte *>(memory.data()); }

struct subject {
    const char *name;
    data_type type;
    block_kernel kernel;
};

constexpr subject subjects[] = {
    {"q4_0 tiles", data_type::q4_0, multiply_q4_0_tiles}, {"q8_0 tiles", data_type::q8_0, multiply_q8_0_tiles},
    {"f16 rows", data_type::f16, multiply_f16_rows},      {"bf16 rows", data_type::bf16, multiply_bf16_rows},
    {"f32 rows", data_type::f32, multiply_f32_rows},      {"f16 dots", data_type::f16, multiply_f16_dots},
    {"bf16 dots", data_type::bf16, multiply_bf16_dots},   {"f32 dots", data_type::f32, multiply_f32_dots},
};

double seconds(const auto &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Best of five: the machine may be shared.
void measure(const subject &s, uint32_t k, uint32_t columns) {
    const weight_kind kind = kind_of(s.type, true);
    const weight_block block = weight_block::of(kind, k);
    const uint32_t bands = static_cast<uint32_t>((columns > 1 ? 8u << 20 : 256u << 20) / block.band_bytes());
    const column_layout layout = column_layout::of(kind, k, columns);
    // 0x3c: a number of ordinary size in every type; subnormals would slow a PC down.
    const aligned_bytes weights(bands * block.band_bytes() + 65536, 0x3c), prepared(layout.bytes, 0x3c);
    const aligned_bytes out(columns * band_rows * 4, 0), lanes((segment_k + band_rows) * line_bytes, 0);
    block_job job{.weights = nullptr,
                  .pitch = static_cast<uint32_t>(block.pitch),
                  .bands = 1,
                  .rows = band_rows,
                  .k_begin = 0,
                  .k = k,
                  .column = 0,
                  .n_columns = columns,
                  .out = reinterpret_cast<vtcm_f32 *>(out.data()),
                  .out_pitch = band_rows,
                  .accumulate = false,
                  .tiles = nullptr,
                  .lanes = vtcm(lanes),
                  .prepared = prepared.data(),
                  .columns = layout};
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        best = std::min(best, seconds([&] {
                            for (uint32_t b = 0; b < bands; ++b) {
                                job.weights = vtcm(weights) + b * block.band_bytes();
                                s.kernel(job);
                            }
                        }));
    }
    const double macs = 1.0 * bands * band_rows * k * columns,
                 bytes = 1.0 * bands * static_cast<double>(block.band_bytes());
    std::printf("%-11s k %5u  columns %4u  %7.1f GMAC/s  %6.2f GB/s of weights\n", s.name, k, columns,
                macs / best * 1e-9, bytes / best * 1e-9);
}

}  // namespace

int main(int argc, char **argv) {
    const int k = argc > 1 ? std::atoi(argv[1]) : 2048;
    if (k < 32 || k % 32 != 0 || k > 65536) {
        std::fprintf(stderr, "mul_mat_bench: k is a multiple of 32 up to 65536, not '%s'\n", argv[1]);
        return 2;
    }
    for (const subject &s : subjects) {
        for (uint32_t columns : {1u, 4u, 64u, 512u}) measure(s, static_cast<uint32_t>(k), columns);
    }
    return 0;
}
