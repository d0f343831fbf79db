// ops/binary/kernel.cpp -- rows through VTCM; a src1 that repeats is a row or an element that many rows share. Division
// is in kernel_divide.cpp.
#include "ops/binary/kernel.h"
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;

struct sum {
    template <hvx::storable V> HEX_HVX static V of(V a, V b) { return hvx::add(a, b); }
};
struct difference {
    template <hvx::storable V> HEX_HVX static V of(V a, V b) { return hvx::sub(a, b); }
};
struct product {
    template <hvx::storable V> HEX_HVX static V of(V a, V b) { return hvx::mul(a, b); }
};
// Rows of one type.
template <class Function, data_type T> [[gnu::noinline]] void rows_with_rows(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [](V x, V y) __attribute__((always_inline)) { return Function::of(x, y); }, u.in(1, r), u.in(2, r));
}

template <class Function, data_type T> [[gnu::noinline]] void rows_with_splats(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const V y = splat_element<T>(u.in(2, r));
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return Function::of(x, y); }, u.in(1, r));
    }
}

// Rows of a 16-bit type with rows of f32.
template <class Function, data_type T> [[gnu::noinline]] void rows_with_f32_rows(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const vtcm_byte *a = u.in(1, r), *b = u.in(2, r);
        vtcm_byte *out = u.out(r);
        for_each_step(u.cols, [=](uint32_t i, auto step) __attribute__((always_inline)) {
            const auto x = hvx::widen_lanes(hvx::load<V>(a + i * elements<T>::bytes));
            const auto y = hvx::by_parity(elements<data_type::f32>::load(b, i, step));
            hvx::store(out + i * elements<T>::bytes,
                       hvx::narrow_lanes<V>({Function::of(x.lo, y.lo), Function::of(x.hi, y.hi)}));
        });
    }
}

template <class Function, data_type T> [[gnu::noinline]] void rows_with_f32_splats(const row_unit &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const f32x32 y = splat_element<data_type::f32>(u.in(2, r));
        const auto with_y = [=](f32x32 x) __attribute__((always_inline)) { return Function::of(x, y); };
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return hvx::elementwise(with_y, x); }, u.in(1, r));
    }
}

template <class Function, data_type T> constexpr binary_bodies bodies_of_type() {
    if constexpr (T == data_type::f32) {
        return {rows_with_rows<Function, T>, rows_with_splats<Function, T>, nullptr, nullptr};
    } else {
        return {rows_with_rows<Function, T>, rows_with_splats<Function, T>, rows_with_f32_rows<Function, T>,
                rows_with_f32_splats<Function, T>};
    }
}
template <class Function>
constexpr of_float<binary_bodies> bodies = {bodies_of_type<Function, data_type::f32>(),
                                            bodies_of_type<Function, data_type::f16>(),
                                            bodies_of_type<Function, data_type::bf16>()};

}  // namespace

constexpr of_float<binary_bodies> product_bodies = bodies<product>;

namespace {

struct row {
    op_id id;
    const of_float<binary_bodies> &bodies;
};
constexpr row table[] = {
    {op::add::id, bodies<sum>},
    {op::sub::id, bodies<difference>},
    {op::mul::id, product_bodies},
    {op::div::id, quotient_bodies},
};
static_assert(covers(table, op::binary::members{}));

}  // namespace

template <>
status run_member<op::binary>(op_id id, context &ctx, const op::binary_params &p, const operands &io) {
    const operand &a = *io.src[0], &b = *io.src[1];
    const row_nest nest(p.loops, {{io.dst[0]}, {&a}, {&b}});
    const binary_bodies &of = row_of(table, id).bodies[a.type];
    const bool splat = nest.splat(2);
    return stream_rows(ctx, nest, p.blocks, of.with(a.type == b.type, splat));
}

}  // namespace hexane::kernels
