// htp/convert_elements.h -- packed elements from one type to another.
#pragma once

#include "htp/float_rows.h"

namespace hexane::htp {

namespace detail {

template <data_type To, data_type From> inline void convert_floats(uint8_t *dst, const uint8_t *src, uint32_t n) {
    for_each_step(
        n, [&](uint32_t i, auto step) { elements<To>::store(dst, i, elements<From>::load(src, i, step), step); });
}

// f32 to i32 and back are both one vector to one vector.
template <class From, class Convert>
inline void convert_words(uint8_t *dst, const uint8_t *src, uint32_t n, Convert &&convert) {
    for (uint32_t byte = 0; byte < n * 4; byte += hvx::vector_bytes)
        hvx::store(dst + byte, convert(hvx::load<From>(src + byte)));
}

}  // namespace detail

// dst[i] = src[i] in type `to`, for n packed elements. Floats are rounded to nearest even, integers towards zero. Both
// buffers begin on a line and may be touched up to the end of their last one. REQUIRES: both types are f32, f16 or
// bf16, or one is f32 and the other i32.
inline void convert_elements(data_type to, uint8_t *dst, data_type from, const uint8_t *src, uint32_t n) {
    if (to == data_type::i32)
        return detail::convert_words<hvx::f32x32>(dst, src, n, [](hvx::f32x32 x) { return hvx::to_i32_truncated(x); });
    if (from == data_type::i32)
        return detail::convert_words<hvx::i32x32>(dst, src, n, [](hvx::i32x32 x) { return hvx::to_f32(x); });
    with_float_type(to, [&]<data_type To>() {
        with_float_type(from, [&]<data_type From>() { detail::convert_floats<To, From>(dst, src, n); });
    });
}

}  // namespace hexane::htp
