// ops/row_wise/plan.cpp -- rows or pieces of rows over threads.
#include "ops/row_wise/row_wise.h"
#include "plan/row_plan.h"

namespace hexane::plan {

template <> plan_or<op::row_wise::kernel_params> plan<op::row_wise>(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &dst = n.dst;
    if (auto r = check_operands({&src}, dst, hw)) return *r;
    if (!is_float(src) || dst.type != src.type) return reject{"types are not both f32, f16 or bf16"};
    if (!src.same_shape(dst)) return reject{"source and destination differ in shape"};
    const auto cut = plan_rows({&dst, &src}, row_kind::free, hw);
    if (!cut.accepted()) return reject{cut.reason()};
    return {{cut.params().loops, cut.params().blocks}, cut.vtcm_bytes()};
}

template <> std::string describe<op::row_wise>(const op::row_wise::kernel_params &p) { return to_string(p.blocks); }

}  // namespace hexane::plan
