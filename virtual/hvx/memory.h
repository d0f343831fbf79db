// virtual/hvx/memory.h -- predicated stores and gathers.
#pragma once

#include "virtual/hvx/lanes.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace hexane::virtual_hvx {
HEX_Q6 void store_where(HVX_Vector *to, HVX_Vector bytes, HVX_Vector value) {
#if defined(__AVX512BW__)
    union parts {
        HVX_Vector whole;
        __m512i part[2];
    };
    const parts mask = {bytes}, data = {value};
    for (int i = 0; i < 2; ++i)
        _mm512_mask_storeu_epi8(reinterpret_cast<char *>(to) + 64 * i, _mm512_movepi8_mask(mask.part[i]), data.part[i]);
#else
    // Byte by byte: bytes outside the predicate may belong to another thread.
    const auto mask = (b_lanes)bytes, data = (b_lanes)value;
    auto *out = reinterpret_cast<int8_t *>(to);
    for (int i = 0; i < 128; ++i)
        if (mask[i]) out[i] = data[i];
#endif
}
}  // namespace hexane::virtual_hvx

// REQUIRES: `to` 128-byte aligned. Only the bytes of the predicate are written.
HEX_Q6 void Q6_vmem_QRIV(HVX_VectorPred q, HVX_Vector *to, HVX_Vector s) {
    hexane::virtual_hvx::store_where(to, q.bytes, s);
}
HEX_Q6 void Q6_vmem_QnRIV(HVX_VectorPred q, HVX_Vector *to, HVX_Vector s) {
    hexane::virtual_hvx::store_where(to, ~q.bytes, s);
}

// The base is an address: a register of 32 bits on the device, of 64 here. `m` is the size of the region in bytes minus
// one; an element that lies outside is not read.
HEX_Q6 void Q6_vgather_ARMVw(HVX_Vector *to, uintptr_t base, Word32 m, HVX_Vector offsets) {
    auto *out = reinterpret_cast<char *>(to);
    for (int i = 0; i < 32; ++i) {
        const auto offset = static_cast<uint32_t>(offsets[i]);
        if (uint64_t{offset} + 3 <= static_cast<uint32_t>(m))
            __builtin_memcpy(out + 4 * i, reinterpret_cast<const char *>(base) + offset, 4);
    }
}
// Halfwords by 32-bit offsets: even elements by the words of lo, odd ones by those of hi.
HEX_Q6 void Q6_vgather_ARMWw(HVX_Vector *to, uintptr_t base, Word32 m, HVX_VectorPair offsets) {
    auto *out = reinterpret_cast<char *>(to);
    for (int i = 0; i < 64; ++i) {
        const auto offset = static_cast<uint32_t>(i % 2 == 0 ? offsets.lo[i / 2] : offsets.hi[i / 2]);
        if (uint64_t{offset} + 1 <= static_cast<uint32_t>(m))
            __builtin_memcpy(out + 2 * i, reinterpret_cast<const char *>(base) + offset, 2);
    }
}
