// kernels/convert_elements.cpp -- one conversion is one function: its loop has the vector registers to itself.
#include "kernels/convert_elements.h"

#include "kernels/float_rows.h"

namespace hexane::kernels {

namespace {

// A step in two parts, so that a loop ends some steps while it begins others. `together`: the steps that are begun at a time, with which
// clang fills the most slots.
struct widen_in_parts {
    [[maybe_unused]] static constexpr uint32_t together = 4, in_bytes = hvx::vector_bytes,
                                               out_bytes = 2 * hvx::vector_bytes;
    using begun = hvx::by_halves::widening;
    HEX_HVX static begun begin(const vtcm_byte *src) {
        return hvx::by_halves::begin_to_f32(hvx::load<hvx::f16x64>(src));
    }
    HEX_HVX static void end(vtcm_byte *dst, begun x) {
        elements<data_type::f32>::store(dst, 0, hvx::by_halves::end_to_f32(x), whole_step{});
    }
};
struct narrow_in_parts {
    [[maybe_unused]] static constexpr uint32_t together = 3, in_bytes = 2 * hvx::vector_bytes,
                                               out_bytes = hvx::vector_bytes;
    using begun = hvx::by_halves::narrowing;
    HEX_HVX static begun begin(const vtcm_byte *src) {
        const hvx::f32x32x2 x = elements<data_type::f32>::load(src, 0, whole_step{});
        return hvx::by_halves::begin_to_f16(x.lo, x.hi);
    }
    HEX_HVX static void end(vtcm_byte *dst, begun x) { hvx::store(dst, hvx::by_halves::end_to_f16(x)); }
};

// `groups` times `together` steps. REQUIRES: groups > 0.
template <class Parts>
HEX_HVX void convert_groups(vtcm_byte *__restrict dst, const vtcm_byte *__restrict src, uint32_t groups) {
    typename Parts::begun step[Parts::together];
    for (uint32_t i = 0; i < Parts::together; ++i) step[i] = Parts::begin(src + i * Parts::in_bytes);
    src += Parts::together * Parts::in_bytes;
    // Written as the compiler shall leave it: its own pipelining copies what lives from one iteration to the next.
#pragma clang loop unroll(disable) pipeline(disable)
    for (uint32_t group = 1; group < groups; ++group) {
        for (uint32_t i = 0; i < Parts::together; ++i) {
            Parts::end(dst + i * Parts::out_bytes, step[i]);
            step[i] = Parts::begin(src + i * Parts::in_bytes);
        }
        src += Parts::together * Parts::in_bytes;
        dst += Parts::together * Parts::out_bytes;
    }
    for (uint32_t i = 0; i < Parts::together; ++i) Parts::end(dst + i * Parts::out_bytes, step[i]);
}

template <data_type To, data_type From> struct parts_of;
template <> struct parts_of<data_type::f32, data_type::f16> : widen_in_parts {};
template <> struct parts_of<data_type::f16, data_type::f32> : narrow_in_parts {};
template <data_type To, data_type From>
concept converted_in_parts = hvx::converts_by_halves && requires { parts_of<To, From>::together; };

// Steps with both halves, counted, so that a device overlaps them; then perhaps one with the lower half.
template <data_type To, data_type From>
HEX_HVX void convert_steps(vtcm_byte *__restrict dst, const vtcm_byte *__restrict src, uint32_t n) {
    uint32_t whole = (n + step_elements / 2 - 1) / step_elements;
    const bool lower = n > whole * step_elements;
    if constexpr (converted_in_parts<To, From>) {
        using parts = parts_of<To, From>;
        if (const uint32_t groups = whole / parts::together) {
            convert_groups<parts>(dst, src, groups);
            dst += groups * parts::together * parts::out_bytes;
            src += groups * parts::together * parts::in_bytes;
            whole -= groups * parts::together;
        }
    }
#pragma clang loop unroll(disable)
    for (uint32_t k = 0; k < whole; ++k) {
        elements<To>::store(dst, 0, elements<From>::load(src, 0, whole_step{}), whole_step{});
        dst += step_elements * elements<To>::bytes;
        src += step_elements * elements<From>::bytes;
    }
    if (lower) elements<To>::store(dst, 0, elements<From>::load(src, 0, lower_step{}), lower_step{});
}
template <data_type To, data_type From>
[[gnu::noinline]] void convert_floats(vtcm_byte *__restrict dst, const vtcm_byte *__restrict src, uint32_t n) {
    convert_steps<To, From>(dst, src, n);
}

// Both are one vector to one vector.
[[gnu::noinline]] void truncate_floats(vtcm_byte *dst, const vtcm_byte *src, uint32_t n) {
    map_vectors<hvx::i32x32>(
        single_body{}, dst, vectors_in<data_type::f32>(n),
        [](hvx::i32x32 x)
            __attribute__((always_inline)) { return hvx::to_i32_truncated(hvx::bits_as<hvx::f32x32>(x)); },
        src);
}
[[gnu::noinline]] void convert_integers(vtcm_byte *dst, const vtcm_byte *src, uint32_t n) {
    map_vectors<hvx::f32x32>(
        short_body{}, dst, vectors_in<data_type::f32>(n),
        [](hvx::f32x32 x) __attribute__((always_inline)) { return hvx::to_f32(hvx::bits_as<hvx::i32x32>(x)); }, src);
}

}  // namespace

void convert_elements(data_type to, vtcm_byte *dst, data_type from, const vtcm_byte *src, uint32_t n) {
    if (to == data_type::i32) return truncate_floats(dst, src, n);
    if (from == data_type::i32) return convert_integers(dst, src, n);
    with_float_type(to, [&]<data_type To>() {
        with_float_type(from, [&]<data_type From>() {
            if constexpr (To != From) convert_floats<To, From>(dst, src, n);
        });
    });
}

}  // namespace hexane::kernels
