// ops/rms_norm/plan.cpp -- whole rows over threads; rows that do not fit VTCM in pieces, twice.
#include "ops/rms_norm/rms_norm.h"
#include "plan/row_plan.h"

namespace hexane::plan {

template <> plan_or<op::rms_norm::kernel_params> plan<op::rms_norm>(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &dst = n.dst;
    if (auto r = check_operands({&src}, dst, hw)) return *r;
    if (!is_float(src) || dst.type != src.type) return reject{"types are not both f32, f16 or bf16"};
    if (!src.same_shape(dst)) return reject{"source and destination differ in shape"};
    const auto cut = plan_rows({&dst, &src}, row_kind::whole, hw);
    if (!cut.accepted()) return reject{cut.reason()};
    return {{cut.params().loops, cut.params().blocks, n.param_f32(0), 1.0f / static_cast<float>(dst.ne[0])},
            cut.vtcm_bytes()};
}

template <> std::string describe<op::rms_norm>(const op::rms_norm::kernel_params &p) {
    return "eps " + std::to_string(p.eps) + ", " + to_string(p.blocks);
}

}  // namespace hexane::plan
