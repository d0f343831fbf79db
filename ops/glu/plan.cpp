// ops/glu/plan.cpp -- one plan for the GLU family: both halves are operands with the strides of their tensor.
#include <utility>

#include "ops/glu/glu.h"
#include "plan/row_plan.h"

namespace hexane::plan {

namespace {

plan_or<op::glu_params> plan_glu(const node &n, const hardware &hw) {
    const tensor_shape &a = n.src[0], &dst = n.dst;
    const bool split = n.has_src(1);
    const tensor_shape &b = split ? n.src[1] : a;
    if (auto r = check_operands({&a, &b}, dst, hw)) return *r;
    if (!is_float(a) || b.type != a.type || dst.type != a.type) return reject{"types are not all f32, f16 or bf16"};
    tensor_shape x = a, g = b;
    if (!split) x.ne[0] = g.ne[0] = a.ne[0] / 2;
    if (!x.same_shape(dst) || !g.same_shape(dst)) return reject{"sources and destination differ in shape"};

    const rows::shape shapes[] = {shape_of(dst), shape_of(x), shape_of(g)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const auto blocks = cut(nest, rows::row_kind::free, hw);
    if (!blocks) return reject{"VTCM is too small"};
    op::glu_params p{};
    p.blocks = *blocks;
    if (!split) {
        p.g_offset = static_cast<uint32_t>(x.ne[0] * a.nb[0]);
        if (n.param_i32(1) != 0) std::swap(p.x_offset, p.g_offset);
    }
    p.alpha = n.param_f32(2);
    p.limit = n.param_f32(3);
    return {p, vtcm_bytes_of(nest, *blocks)};
}

std::string describe_glu(const op::glu_params &p) {
    return "x at +" + std::to_string(p.x_offset) + ", g at +" + std::to_string(p.g_offset) + ", " + to_string(p.blocks);
}

}  // namespace

template <> plan_or<op::glu_params> plan<op::reglu>(const node &n, const hardware &hw) { return plan_glu(n, hw); }
template <> plan_or<op::glu_params> plan<op::geglu>(const node &n, const hardware &hw) { return plan_glu(n, hw); }
template <> plan_or<op::glu_params> plan<op::swiglu>(const node &n, const hardware &hw) { return plan_glu(n, hw); }
template <> plan_or<op::glu_params> plan<op::swiglu_oai>(const node &n, const hardware &hw) { return plan_glu(n, hw); }
template <> plan_or<op::glu_params> plan<op::geglu_erf>(const node &n, const hardware &hw) { return plan_glu(n, hw); }
template <> plan_or<op::glu_params> plan<op::geglu_quick>(const node &n, const hardware &hw) { return plan_glu(n, hw); }

template <> std::string describe<op::reglu>(const op::glu_params &p) { return describe_glu(p); }
template <> std::string describe<op::geglu>(const op::glu_params &p) { return describe_glu(p); }
template <> std::string describe<op::swiglu>(const op::glu_params &p) { return describe_glu(p); }
template <> std::string describe<op::swiglu_oai>(const op::glu_params &p) {
    return "alpha " + std::to_string(p.alpha) + ", limit " + std::to_string(p.limit) + ", " + describe_glu(p);
}
template <> std::string describe<op::geglu_erf>(const op::glu_params &p) { return describe_glu(p); }
template <> std::string describe<op::geglu_quick>(const op::glu_params &p) { return describe_glu(p); }

}  // namespace hexane::plan
