// ops/binary/kernel_divide.cpp -- division, which no HVX has: long, so that it goes over f32 rows in two loops.
#include "hvx/divide.h"
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"
#include "ops/binary/kernel.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;
using hvx::f32x32x2;

// f32 rows in two loops, in functions of their own, so that neither keeps the constants of the other. The first one
// leaves finite_quotient in the destination.
[[gnu::noinline]] void finite_quotients(const row_unit &u) {
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<f32x32>(
            long_body{}, u.out(r), vectors_in<data_type::f32>(u.cols),
            [](f32x32 x, f32x32 y) __attribute__((always_inline)) { return hvx::by_newton::finite_quotient(x, y); },
            u.in(1, r), u.in(2, r));
}
[[gnu::noinline]] void special_quotients(const row_unit &u) {
    for (uint32_t r = 0; r < u.rows; ++r)
        update_vectors<f32x32>(
            single_body{}, u.out(r), vectors_in<data_type::f32>(u.cols),
            [](f32x32 finite, f32x32 x, f32x32 y)
                __attribute__((always_inline)) { return hvx::by_newton::with_special_quotients(finite, x, y); },
            u.in(1, r), u.in(2, r));
}
// Where loops are kept short (Hexagon); a PC divides in one.
[[maybe_unused]] void divide_in_parts(const row_unit &u) {
    finite_quotients(u);
    special_quotients(u);
}

// The same with one divisor per row.
[[gnu::noinline]] void finite_quotients_by_splats(const row_unit &u) {
    for (uint32_t r = 0; r < u.rows; ++r) {
        const f32x32 y = splat_element<data_type::f32>(u.in(2, r));
        map_vectors<f32x32>(
            long_body{}, u.out(r), vectors_in<data_type::f32>(u.cols),
            [=](f32x32 x) __attribute__((always_inline)) { return hvx::by_newton::finite_quotient(x, y); }, u.in(1, r));
    }
}
[[gnu::noinline]] void special_quotients_by(vtcm_byte *out, const vtcm_byte *a, const vtcm_byte *b, uint32_t n) {
    const f32x32 y = splat_element<data_type::f32>(b);
    update_vectors<f32x32>(
        single_body{}, out, vectors_in<data_type::f32>(n),
        [=](f32x32 finite, f32x32 x)
            __attribute__((always_inline)) { return hvx::by_newton::with_special_quotients(finite, x, y); },
        a);
}
[[maybe_unused]] void divide_by_splats_in_parts(const row_unit &u) {
    finite_quotients_by_splats(u);
    for (uint32_t r = 0; r < u.rows; ++r) special_quotients_by(u.out(r), u.in(1, r), u.in(2, r), u.cols);
}

// One vector after the other.
HEX_HVX f32x32x2 divide_in_turn(f32x32x2 x, f32x32x2 y) {
    f32x32 lo = hvx::div(x.lo, y.lo);
    hvx::in_turn(lo, x.hi);
    hvx::in_turn(lo, y.hi);
    return {lo, hvx::div(x.hi, y.hi)};
}

template <data_type T> [[gnu::noinline]] void divide_rows(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            single_body{}, u.out(r), vectors_in<T>(u.cols),
            [](V x, V y) __attribute__((always_inline)) {
                return hvx::elementwise_in_turn(
                    [](f32x32 a, f32x32 b) __attribute__((always_inline)) { return hvx::div(a, b); }, x, y);
            },
            u.in(1, r), u.in(2, r));
}

HEX_HVX f32x32 first_as_f32(f32x32 splat) { return splat; }
template <hvx::storable V> HEX_HVX f32x32 first_as_f32(V splat) { return hvx::widen_lanes(splat).lo; }

// B: the type of the divisor's one element.
template <data_type T, data_type B> [[gnu::noinline]] void divide_by_splats(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const f32x32 y = first_as_f32(splat_element<B>(u.in(2, r)));
        map_vectors<V>(
            single_body{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) {
                return hvx::elementwise_in_turn(
                    [=](f32x32 a) __attribute__((always_inline)) { return hvx::div(a, hvx::as_if_new(y)); }, x);
            },
            u.in(1, r));
    }
}

template <data_type T> [[gnu::noinline]] void divide_by_f32_rows(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const vtcm_byte *a = u.in(1, r), *b = u.in(2, r);
        vtcm_byte *out = u.out(r);
        for_each_step(u.cols, [=](uint32_t i, auto step) __attribute__((always_inline)) {
            const auto x = hvx::widen_lanes(hvx::load<V>(a + i * elements<T>::bytes));
            const auto y = hvx::by_parity(elements<data_type::f32>::load(b, i, step));
            hvx::store(out + i * elements<T>::bytes, hvx::narrow_lanes<V>(divide_in_turn(x, y)));
        });
    }
}

template <data_type T> constexpr binary_bodies bodies_of_type() {
    if constexpr (T != data_type::f32) {
        return {divide_rows<T>, divide_by_splats<T, T>, divide_by_f32_rows<T>, divide_by_splats<T, data_type::f32>};
    } else if constexpr (hvx::short_loops) {
        return {divide_in_parts, divide_by_splats_in_parts, nullptr, nullptr};
    } else {
        return {divide_rows<T>, divide_by_splats<T, T>, nullptr, nullptr};
    }
}

}  // namespace

const of_float<binary_bodies> quotient_bodies = {bodies_of_type<data_type::f32>(), bodies_of_type<data_type::f16>(),
                                                 bodies_of_type<data_type::bf16>()};

}  // namespace hexane::kernels
