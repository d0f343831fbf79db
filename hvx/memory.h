// hvx/memory.h -- loads, stores and gathers.
#pragma once

#include "hvx/integer.h"
#include "hvx/types.h"

namespace hexane::hvx {

namespace detail {
typedef HVX_Vector aligned_bytes __attribute__((may_alias));
typedef HVX_Vector any_bytes __attribute__((may_alias, aligned(1)));
}  // namespace detail

// vmem. REQUIRES: 128-byte aligned.
template <storable V> HEX_HVX V load(const void *from) { return {*static_cast<const detail::aligned_bytes *>(from)}; }
template <storable V> HEX_HVX void store(void *to, V x) { *static_cast<detail::aligned_bytes *>(to) = x.v; }

// vmemu: any address.
template <storable V> HEX_HVX V load_unaligned(const void *from) {
    return {*static_cast<const detail::any_bytes *>(from)};
}
template <storable V> HEX_HVX void store_unaligned(void *to, V x) { *static_cast<detail::any_bytes *>(to) = x.v; }

// Stores the first `bytes` bytes and touches no other. Any address; bytes in 0..128. Two predicated vmem on the device.
template <storable V> HEX_HVX void store_first(void *to, uint32_t bytes, V x) {
#if HEX_HVX_DEVICE
    if (bytes == 0) return;
    const uint32_t offset = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to)) & (vector_bytes - 1);
    const uint32_t end = offset + bytes;
    auto *line = reinterpret_cast<HVX_Vector *>(reinterpret_cast<uintptr_t>(to) & ~uintptr_t{vector_bytes - 1});
    const HVX_Vector rotated = Q6_V_vror_VR(x.v, static_cast<int32_t>(vector_bytes - offset));
    const HVX_VectorPred before = Q6_Q_vsetq_R(static_cast<int32_t>(offset));
    if (end <= vector_bytes) {
        Q6_vmem_QRIV(Q6_Q_and_QQn(Q6_Q_vsetq2_R(static_cast<int32_t>(end)), before), line, rotated);
    } else {
        Q6_vmem_QnRIV(before, line, rotated);
        Q6_vmem_QRIV(Q6_Q_vsetq_R(static_cast<int32_t>(end - vector_bytes)), line + 1, rotated);
    }
#elif defined(__AVX512BW__)
    const uint64_t below_64 = bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
    const uint64_t from_64 = bytes <= 64 ? 0 : bytes >= 128 ? ~uint64_t{0} : (uint64_t{1} << (bytes - 64)) - 1;
    union {
        HVX_Vector whole;
        __m512i half[2];
    } data = {x.v};
    _mm512_mask_storeu_epi8(to, below_64, data.half[0]);
    _mm512_mask_storeu_epi8(static_cast<char *>(to) + 64, from_64, data.half[1]);
#else
    __builtin_memcpy(to, &x.v, bytes);
#endif
}

// dst[2i] = halfword at base + lo[i], dst[2i + 1] = halfword at base + hi[i], for i in 0..31; offsets are in bytes,
// each below region_bytes - 1. Q6_vgather_ARMWw. REQUIRES: base and dst in VTCM, dst 128-byte aligned. The gather runs
// on its own: before anything but gathered<V>(dst) reads dst, the result is not there.
HEX_HVX void gather_halves(void *dst, const void *base, uint32_t region_bytes, u32x32 lo, u32x32 hi) {
    Q6_vgather_ARMWw(static_cast<HVX_Vector *>(dst), reinterpret_cast<uintptr_t>(base),
                     static_cast<int32_t>(region_bytes - 1), Q6_W_vcombine_VV(hi.v, lo.v));
}

// The same with words: dst[i] = word at base + offsets[i]. Q6_vgather_ARMVw.
HEX_HVX void gather_words(void *dst, const void *base, uint32_t region_bytes, u32x32 offsets) {
    Q6_vgather_ARMVw(static_cast<HVX_Vector *>(dst), reinterpret_cast<uintptr_t>(base),
                     static_cast<int32_t>(region_bytes - 1), offsets.v);
}

// Waits for the gathers into dst and returns what they brought. A vector load of the destination is the hardware's
// fence; the compiler must not move it, hence volatile.
template <storable V> HEX_HVX V gathered(const void *dst) {
    return {*static_cast<const volatile detail::aligned_bytes *>(dst)};
}

// A small structure in cached memory, for scalar use. On Hexagon by one load, where the compiler makes one of each member; a
// PC broadcasts members from memory. REQUIRES: aligned to 8.
template <class T> HEX_HVX T load_at_once(const T *from) {
    static_assert(sizeof(T) == 8 && alignof(T) == 8);
#if HEX_HVX_DEVICE
    return __builtin_bit_cast(T, *reinterpret_cast<const uint64_t *>(from));
#else
    return *from;
#endif
}

}  // namespace hexane::hvx
