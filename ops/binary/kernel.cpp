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
template <class Function, data_type T> [[gnu::noinline]] void rows_with_rows(const row_unit<3> &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [](V x, V y) __attribute__((always_inline)) { return Function::of(x, y); }, u.in(1, r), u.in(2, r));
}

template <class Function, data_type T> [[gnu::noinline]] void rows_with_splats(const row_unit<3> &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const V y = splat_element<T>(u.in(2, r));
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return Function::of(x, y); }, u.in(1, r));
    }
}

// Rows of a 16-bit type with rows of f32.
template <class Function, data_type T> [[gnu::noinline]] void rows_with_f32_rows(const row_unit<3> &u) {
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

template <class Function, data_type T> [[gnu::noinline]] void rows_with_f32_splats(const row_unit<3> &u) {
    using V = vector_of<T>;
    for (uint32_t r = 0; r < u.rows; ++r) {
        const f32x32 y = splat_element<data_type::f32>(u.in(2, r));
        const auto with_y = [=](f32x32 x) __attribute__((always_inline)) { return Function::of(x, y); };
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return hvx::elementwise(with_y, x); }, u.in(1, r));
    }
}

template <class Function, data_type T> binary_body body_for(data_type b, bool splat) {
    if constexpr (T != data_type::f32) {
        if (b != T) return splat ? rows_with_f32_splats<Function, T> : rows_with_f32_rows<Function, T>;
    }
    return splat ? rows_with_splats<Function, T> : rows_with_rows<Function, T>;
}

template <class Function> binary_body choose(data_type a, data_type b, bool splat) {
    binary_body body = nullptr;
    with_float_type(a, [&]<data_type T>() { body = body_for<Function, T>(b, splat); });
    return body;
}

}  // namespace

binary_body product_body(data_type a, data_type b, bool splat) { return choose<product>(a, b, splat); }

status run_binary(context &ctx, const op::binary_params &p, const operands &io, choose_binary_body choose) {
    const operand &a = *io.src[0], &b = *io.src[1], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(a), shape_of(b)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const dma_addr_t base[] = {dst.base, a.base, b.base};
    return stream_rows(ctx, nest, p.blocks, base, choose(a.type, b.type, nest.splat(2)));
}

template <> status run<op::add>(context &ctx, const op::binary_params &p, const operands &io) {
    return run_binary(ctx, p, io, choose<sum>);
}
template <> status run<op::sub>(context &ctx, const op::binary_params &p, const operands &io) {
    return run_binary(ctx, p, io, choose<difference>);
}
template <> status run<op::mul>(context &ctx, const op::binary_params &p, const operands &io) {
    return run_binary(ctx, p, io, product_body);
}

}  // namespace hexane::kernels
