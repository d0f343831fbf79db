// ops/glu/plan.cpp -- one plan for the GLU family: both halves are operands with the strides of their tensor.
#include <utility>

#include "ops/glu/glu.h"
#include "plan/row_plan.h"

namespace hexane::plan {

template <> plan_or<op::glu_params> plan<op::glu>(const node &n, const hardware &hw) {
    const tensor_shape &a = n.src[0], &dst = n.dst;
    const bool split = n.has_src(1);
    const tensor_shape &b = split ? n.src[1] : a;
    if (auto r = check_operands({&a, &b}, dst, hw)) return *r;
    if (!is_float(a) || b.type != a.type || dst.type != a.type) return reject{"types are not all f32, f16 or bf16"};
    tensor_shape x = a, g = b;
    if (!split) x.ne[0] = g.ne[0] = a.ne[0] / 2;
    if (!x.same_shape(dst) || !g.same_shape(dst)) return reject{"sources and destination differ in shape"};

    const auto cut = plan_rows({&dst, &x, &g}, row_kind::free, hw);
    if (!cut.accepted()) return reject{cut.reason()};
    op::glu_params p{};
    p.blocks = cut.params().blocks;
    p.loops = cut.params().loops;
    if (!split) {
        p.g_offset = static_cast<uint32_t>(x.ne[0] * a.nb[0]);
        if (n.param_i32(1) != 0) std::swap(p.x_offset, p.g_offset);
    }
    p.alpha = n.param_f32(2);
    p.limit = n.param_f32(3);
    return {p, cut.vtcm_bytes()};
}

template <> std::string describe<op::glu>(const op::glu_params &p) {
    return "x at +" + std::to_string(p.x_offset) + ", g at +" + std::to_string(p.g_offset) + ", alpha " +
           std::to_string(p.alpha) + ", limit " + std::to_string(p.limit) + ", " + to_string(p.blocks);
}

}  // namespace hexane::plan
