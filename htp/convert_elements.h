// htp/convert_elements.h -- packed elements from one type to another.
#pragma once

#include "htp/float_rows.h"

namespace hexane::htp {

namespace detail {

// Steps with both halves, counted, so that a device overlaps them; then perhaps one with the lower half.
template <data_type To, data_type From>
HEX_HVX void convert_steps(uint8_t *__restrict dst, const uint8_t *__restrict src, uint32_t n) {
    const uint32_t whole = (n + step_elements / 2 - 1) / step_elements;
#pragma clang loop unroll(disable)
    for (uint32_t k = 0; k < whole; ++k) {
        elements<To>::store(dst, 0, elements<From>::load(src, 0, whole_step{}), whole_step{});
        dst += step_elements * elements<To>::bytes;
        src += step_elements * elements<From>::bytes;
    }
    if (n > whole * step_elements)
        elements<To>::store(dst, 0, elements<From>::load(src, 0, lower_step{}), lower_step{});
}
template <data_type To, data_type From>
[[gnu::noinline]] inline void convert_floats(uint8_t *dst, const uint8_t *src, uint32_t n) {
    convert_steps<To, From>(dst, src, n);
}

// Both are one vector to one vector.
[[gnu::noinline]] inline void truncate_floats(uint8_t *dst, const uint8_t *src, uint32_t n) {
    map_vectors<hvx::i32x32>(
        single_body{}, dst, vectors_in<data_type::f32>(n),
        [](hvx::i32x32 x)
            __attribute__((always_inline)) { return hvx::to_i32_truncated(hvx::bits_as<hvx::f32x32>(x)); },
        src);
}
[[gnu::noinline]] inline void convert_integers(uint8_t *dst, const uint8_t *src, uint32_t n) {
    map_vectors<hvx::f32x32>(
        short_body{}, dst, vectors_in<data_type::f32>(n),
        [](hvx::f32x32 x) __attribute__((always_inline)) { return hvx::to_f32(hvx::bits_as<hvx::i32x32>(x)); }, src);
}

}  // namespace detail

// dst[i] = src[i] in type `to`, for n packed elements. Floats are rounded to nearest even, integers towards zero. Both
// buffers begin on a line, do not overlap, and may be touched up to the end of their last one. REQUIRES: two different
// ones of f32, f16 and bf16, or f32 and i32.
inline void convert_elements(data_type to, uint8_t *dst, data_type from, const uint8_t *src, uint32_t n) {
    if (to == data_type::i32) return detail::truncate_floats(dst, src, n);
    if (from == data_type::i32) return detail::convert_integers(dst, src, n);
    with_float_type(to, [&]<data_type To>() {
        with_float_type(from, [&]<data_type From>() {
            if constexpr (To != From) detail::convert_floats<To, From>(dst, src, n);
        });
    });
}

}  // namespace hexane::htp
