// virtual/session/dma_copy.cpp -- one memcpy where the bytes lie together, element loops for gathers and scatters.
#include "virtual/session/dma_copy.h"

#include <string.h>

namespace hexane::virt {

namespace {

// Rows of a size that the compiler knows become single loads and stores; operands whose elements are not dense are gathered like this.
template <size_t RowBytes> void copy_elements(uint8_t *dst, const uint8_t *src, const dma_work &w) {
    for (uint32_t row = 0; row < w.rows; ++row) {
        memcpy(dst, src, RowBytes);
        dst += w.dst_stride;
        src += w.src_stride;
    }
}

}  // namespace

void copy_rows(const dma_work &w) {
    auto *dst = reinterpret_cast<uint8_t *>(w.dst);
    const auto *src = reinterpret_cast<const uint8_t *>(w.src);
    if (w.is_contiguous()) {
        memcpy(dst, src, uint64_t{w.rows} * w.row_bytes);
        return;
    }
    switch (w.row_bytes) {
        case 1: return copy_elements<1>(dst, src, w);
        case 2: return copy_elements<2>(dst, src, w);
        case 4: return copy_elements<4>(dst, src, w);
        case 8: return copy_elements<8>(dst, src, w);
        case 16: return copy_elements<16>(dst, src, w);
        case 32: return copy_elements<32>(dst, src, w);
        case 64: return copy_elements<64>(dst, src, w);
        case 128: return copy_elements<128>(dst, src, w);
        default: break;
    }
    for (uint32_t row = 0; row < w.rows; ++row)
        memcpy(dst + uint64_t{row} * w.dst_stride, src + uint64_t{row} * w.src_stride, w.row_bytes);
}

}  // namespace hexane::virt
