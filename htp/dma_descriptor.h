// htp/dma_descriptor.h -- DMA descriptors bit for bit, one format per architecture, and the limits of their fields.
//
// The encoder writes words rather than bit-fields, so that the layout does not depend on a compiler's bit-field rules.
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "htp/dma_addr.h"

namespace hexane::htp {

inline constexpr uint32_t dma_descriptor_bytes = 32;  // a slot holds either kind; 1-D ones use the first half

// Largest values that the fields of a descriptor hold.
struct dma_limits {
    uint32_t linear_bytes;  // 1-D length
    uint32_t row_bytes;     // 2-D
    uint32_t rows;
    uint32_t stride;
};

// 2-D box, already within the limits.
struct dma_box {
    dma_addr_t dst, src;
    uint32_t row_bytes, rows, dst_stride, src_stride;
};

namespace dma_word1 {
inline constexpr uint32_t size_2d = 1u << 24;     // desc_size field
inline constexpr uint32_t dst_bypass = 1u << 28;  // go around the caches
inline constexpr uint32_t src_bypass = 1u << 29;
inline constexpr uint32_t done = 1u << 31;
inline constexpr uint32_t bypass = dst_bypass | src_bypass;
}  // namespace dma_word1

template <arch A> struct dma_format {
    static constexpr bool wide_fields = A != arch::v73;  // v75 and later: 24-bit row size and strides
    static constexpr dma_limits limits =
        wide_fields ? dma_limits{0xffffff, 0xffffff, 0xffff, 0xffffff} : dma_limits{0xffffff, 0xffff, 0xffff, 0xffff};

    static void encode_linear(uint32_t *w, dma_addr_t dst, dma_addr_t src, uint32_t bytes) {
        w[0] = 0;
        w[1] = bytes | dma_word1::bypass;
        w[2] = static_cast<uint32_t>(src.value());
        w[3] = static_cast<uint32_t>(dst.value());
    }

    static void encode_box(uint32_t *w, const dma_box &b) {
        w[0] = 0;
        w[2] = static_cast<uint32_t>(b.src.value());
        w[3] = static_cast<uint32_t>(b.dst.value());
        if constexpr (wide_fields) {
            w[1] = b.dst_stride | dma_word1::size_2d | dma_word1::bypass;
            w[4] = 9;  // descriptor type: 2-D with 32-bit addresses
            if constexpr (A == arch::v81) {
                const uint32_t src_upper = static_cast<uint32_t>(b.src.value() >> 32) & 0xff;
                const uint32_t dst_upper = static_cast<uint32_t>(b.dst.value() >> 32) & 0xff;
                if (src_upper | dst_upper) w[4] = 10 | src_upper << 8 | dst_upper << 16;  // 40-bit addresses
            }
            w[5] = b.row_bytes | (b.rows & 0xff) << 24;
            w[6] = b.rows >> 8 | b.src_stride << 8;
            w[7] = 0;
        } else {
            w[1] = dma_word1::size_2d | dma_word1::bypass;
            w[4] = 0;
            w[5] = b.row_bytes | b.rows << 16;
            w[6] = b.src_stride | b.dst_stride << 16;
            w[7] = 0;
        }
    }
};

#if defined(__hexagon__)

// A device library speaks one architecture's format; the compiler sees through it.
class dma_codec {
  public:
#if __HEXAGON_ARCH__ >= 81
    using format = dma_format<arch::v81>;
#elif __HEXAGON_ARCH__ >= 79
    using format = dma_format<arch::v79>;
#elif __HEXAGON_ARCH__ >= 75
    using format = dma_format<arch::v75>;
#else
    using format = dma_format<arch::v73>;
#endif
    void select(arch) {}
    const dma_limits &limits() const { return format::limits; }
    void linear(uint32_t *w, dma_addr_t dst, dma_addr_t src, uint32_t bytes) const {
        format::encode_linear(w, dst, src, bytes);
    }
    void box(uint32_t *w, const dma_box &b) const { format::encode_box(w, b); }
};

#else

// A PC library has all of them and picks by what the session reports.
class dma_codec {
  public:
    void select(arch a) {
        switch (a) {
            case arch::v73: use<arch::v73>(); break;
            case arch::v75: use<arch::v75>(); break;
            case arch::v79: use<arch::v79>(); break;
            case arch::v81: use<arch::v81>(); break;
        }
    }
    const dma_limits &limits() const { return *limits_; }
    void linear(uint32_t *w, dma_addr_t dst, dma_addr_t src, uint32_t bytes) const { linear_(w, dst, src, bytes); }
    void box(uint32_t *w, const dma_box &b) const { box_(w, b); }

  private:
    template <arch A> void use() {
        limits_ = &dma_format<A>::limits;
        linear_ = dma_format<A>::encode_linear;
        box_ = dma_format<A>::encode_box;
    }
    const dma_limits *limits_ = nullptr;
    void (*linear_)(uint32_t *, dma_addr_t, dma_addr_t, uint32_t) = nullptr;
    void (*box_)(uint32_t *, const dma_box &) = nullptr;
};

#endif

}  // namespace hexane::htp
