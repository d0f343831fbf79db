// ops/glu/kernel.cpp -- both halves through VTCM, one pass in registers.
#include "hvx/activation.h"
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/glu/glu.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;

// How the rows of a variant are worked on where loops are short (hvx/types.h).
enum class loop_kind : uint8_t {
    plain,    // a loop of vectors
    parts,    // f32 rows in two loops, the first one leaves first_part(x) in the destination; other rows by calls
    by_calls  // a function for each vector: so many constants that no loop can keep them in registers
};

// What a variant does with x and g, built once per op from the params.
struct relu_gate {
    static constexpr loop_kind kind = loop_kind::plain;
    explicit relu_gate(const op::glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const {
        const auto zero = hvx::zero<f32x32>();
        // 0 even where g is infinite or NaN; but a NaN gate is not a closed one.
        return hvx::select(hvx::greater(x, zero), hvx::mul(x, g), hvx::detail::select_number(x, zero));
    }
};

// x * sigmoid(u(x)) * g
template <class Activation> struct sigmoid_gate {
    static constexpr loop_kind kind = loop_kind::parts;
    explicit sigmoid_gate(const op::glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(Activation::of(x), g); }
    HEX_HVX f32x32 first_part(f32x32 x) const { return hvx::on_device::inverse_power(Activation::inner(x)); }
    HEX_HVX f32x32 second_part(f32x32 power, f32x32 x, f32x32 g) const {
        return hvx::mul(hvx::on_device::times_sigmoid(x, power), g);
    }
};
struct silu {
    HEX_HVX static f32x32 of(f32x32 x) { return hvx::silu(x); }
    HEX_HVX static f32x32 inner(f32x32 x) { return x; }
};
struct gelu {
    HEX_HVX static f32x32 of(f32x32 x) { return hvx::gelu_tanh(x); }
    HEX_HVX static f32x32 inner(f32x32 x) { return hvx::argument_of_gelu(x); }
};
struct gelu_quick {
    HEX_HVX static f32x32 of(f32x32 x) { return hvx::gelu_quick(x); }
    HEX_HVX static f32x32 inner(f32x32 x) { return hvx::argument_of_gelu_quick(x); }
};

struct oai_gate {
    static constexpr loop_kind kind = loop_kind::parts;
    float alpha, limit;
    explicit oai_gate(const op::glu_params &p) : alpha(p.alpha), limit(p.limit) {}

    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const {
        const f32x32 most = hvx::splat<f32x32>(limit);
        const f32x32 gate = hvx::at_most(x, most);
        const f32x32 swish = hvx::mul(gate, hvx::sigmoid(hvx::mul(gate, hvx::splat<f32x32>(alpha))));
        return hvx::mul(swish, up(g, most));
    }
    HEX_HVX f32x32 first_part(f32x32 x) const {
        const f32x32 gate = hvx::min_of_numbers(hvx::splat<f32x32>(limit), x);
        return hvx::on_device::inverse_power(hvx::mul(gate, hvx::splat<f32x32>(alpha)));
    }
    HEX_HVX f32x32 second_part(f32x32 power, f32x32 x, f32x32 g) const {
        const f32x32 most = hvx::splat<f32x32>(limit);
        const f32x32 swish =
            hvx::mul(hvx::neg(hvx::min_of_numbers(most, x)), hvx::on_device::minus_one_over_one_plus(power));
        return hvx::detail::select_number(x, hvx::mul(swish, up(g, most)));
    }

  private:
    HEX_HVX static f32x32 up(f32x32 g, f32x32 most) {
        return hvx::add(hvx::clamp(g, hvx::neg(most), most), hvx::splat<f32x32>(1.0f));
    }
};

struct gelu_erf_gate {
    static constexpr loop_kind kind = loop_kind::by_calls;
    explicit gelu_erf_gate(const op::glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(hvx::gelu_erf(x), g); }
};

template <data_type T, class Gate> [[gnu::noinline]] void gate_rows(const row_unit &u, const op::glu_params &p) {
    using V = vector_of<T>;
    const Gate f(p);
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            single_body{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x, V g) __attribute__((always_inline)) { return hvx::elementwise(f, x, g); }, u.in(1, r), u.in(2, r));
}

// One vector, and of a 16-bit one only the even or the odd elements: they have the same constants, which the compiler
// would keep from the ones to the others.
template <data_type T, class Gate>
[[gnu::noinline]] void gate_vector(vtcm_byte *out, const vtcm_byte *x, const vtcm_byte *g, const Gate &gate) {
    using V = vector_of<T>;
    hvx::store(out, hvx::elementwise_in_turn(gate, hvx::load<V>(x), hvx::load<V>(g)));
}
template <data_type T, class Gate>
[[gnu::noinline]] void gate_even(vtcm_byte *out, const vtcm_byte *x, const vtcm_byte *g, const Gate &gate) {
    using V = vector_of<T>;
    const f32x32 result = gate(hvx::widen_lanes(hvx::load<V>(x)).lo, hvx::widen_lanes(hvx::load<V>(g)).lo);
    hvx::store(out, hvx::narrow_lanes<V>({result, result}));
}
template <data_type T, class Gate>
[[gnu::noinline]] void gate_odd(vtcm_byte *out, const vtcm_byte *x, const vtcm_byte *g, const Gate &gate) {
    using V = vector_of<T>;
    const f32x32 result = gate(hvx::widen_lanes(hvx::load<V>(x)).hi, hvx::widen_lanes(hvx::load<V>(g)).hi);
    hvx::store(out, hvx::merge_odd(hvx::load<V>(out), hvx::narrow_lanes<V>({result, result})));
}
template <data_type T, class Gate> void gate_rows_by_calls(const row_unit &u, const op::glu_params &p) {
    const Gate gate(p);
    const uint32_t bytes = vectors_in<T>(u.cols) * hvx::vector_bytes;
    for (uint32_t r = 0; r < u.rows; ++r)
        for (uint32_t at = 0; at < bytes; at += hvx::vector_bytes) {
            vtcm_byte *out = u.out(r) + at;
            const vtcm_byte *x = u.in(1, r) + at, *g = u.in(2, r) + at;
            if constexpr (T == data_type::f32 || Gate::kind == loop_kind::parts) {
                gate_vector<T>(out, x, g, gate);
            } else {
                gate_even<T>(out, x, g, gate);
                gate_odd<T>(out, x, g, gate);
            }
        }
}

// f32 rows in two loops: in functions of their own, so that neither keeps the constants of the other.
template <class Gate> [[gnu::noinline]] void first_parts(const row_unit &u, const op::glu_params &p) {
    const Gate g(p);
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<f32x32>(
            longest_body{}, u.out(r), vectors_in<data_type::f32>(u.cols),
            [=](f32x32 x) __attribute__((always_inline)) { return g.first_part(x); }, u.in(1, r));
}
template <class Gate> [[gnu::noinline]] void second_parts(const row_unit &u, const op::glu_params &p) {
    const Gate g(p);
    for (uint32_t r = 0; r < u.rows; ++r)
        update_vectors<f32x32>(
            medium_body{}, u.out(r), vectors_in<data_type::f32>(u.cols),
            [=](f32x32 part, f32x32 x, f32x32 y) __attribute__((always_inline)) { return g.second_part(part, x, y); },
            u.in(1, r), u.in(2, r));
}
template <class Gate> void gate_rows_in_parts(const row_unit &u, const op::glu_params &p) {
    first_parts<Gate>(u, p);
    second_parts<Gate>(u, p);
}

using gate_body = void (*)(const row_unit &, const op::glu_params &);

template <data_type T, class Gate> constexpr gate_body body_of() {
    if constexpr (!hvx::short_loops || Gate::kind == loop_kind::plain) {
        return gate_rows<T, Gate>;
    } else if constexpr (Gate::kind == loop_kind::parts && T == data_type::f32) {
        return gate_rows_in_parts<Gate>;
    } else {
        return gate_rows_by_calls<T, Gate>;
    }
}

template <class Gate>
constexpr of_float<gate_body> bodies = {body_of<data_type::f32, Gate>(), body_of<data_type::f16, Gate>(),
                                        body_of<data_type::bf16, Gate>()};

struct row {
    op_id id;
    const of_float<gate_body> &bodies;
};
constexpr row table[] = {
    {op::reglu::id, bodies<relu_gate>},           {op::geglu::id, bodies<sigmoid_gate<gelu>>},
    {op::swiglu::id, bodies<sigmoid_gate<silu>>}, {op::swiglu_oai::id, bodies<oai_gate>},
    {op::geglu_erf::id, bodies<gelu_erf_gate>},   {op::geglu_quick::id, bodies<sigmoid_gate<gelu_quick>>},
};
static_assert(covers(table, op::glu::members{}));

}  // namespace

template <> status run_member<op::glu>(op_id id, context &ctx, const op::glu_params &p, const operands &io) {
    const operand *a = io.src[0], *b = io.src[1] ? io.src[1] : a;
    const gate_body body = row_of(table, id).bodies[a->type];
    return stream_rows(ctx, row_nest(p.loops, {{io.dst[0]}, {a, p.x_offset}, {b, p.g_offset}}), p.blocks,
                       [&](const row_unit &u) { body(u, p); });
}

}  // namespace hexane::kernels
