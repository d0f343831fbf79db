// ops/rms_norm_mul/plan.cpp -- whole rows over threads; rows that do not fit VTCM are for the two ops.
#include "ops/rms_norm_mul/rms_norm_mul.h"
#include "plan/row_plan.h"

namespace hexane::plan {

namespace {

// With as many threads as have room for whole rows.
std::optional<plan_or<row_cut>> cut_whole(std::initializer_list<const tensor_shape *> operands, hardware hw) {
    for (; hw.n_threads > 0; --hw.n_threads) {
        auto cut = plan_rows(operands, row_kind::whole, hw);
        if (cut.accepted() && cut.params().blocks.cols == (*operands.begin())->ne[0]) return cut;
    }
    return std::nullopt;
}

}  // namespace

template <> plan_or<op::rms_norm_mul::kernel_params> plan<op::rms_norm_mul>(const node &n, const hardware &hw) {
    const tensor_shape &x = n.src[0], &weights = n.src[1], &dst = n.dst;
    if (auto r = check_operands({&x, &weights}, dst, hw)) return *r;
    if (!is_float(x) || dst.type != x.type) return reject{"types are not both f32, f16 or bf16"};
    if (weights.type != x.type && !weights.is(data_type::f32))
        return reject{"weights are neither of the type of the norm nor f32"};
    if (!x.same_shape(dst)) return reject{"source and destination differ in shape"};
    if (!repeats_to(weights, dst)) return reject{"weights do not repeat to the shape of the norm"};
    if (weights.ne[0] != dst.ne[0]) return reject{"weights repeat within a row"};
    const auto cut = cut_whole({&dst, &x, &weights}, hw);
    if (!cut) return reject{"VTCM is too small for whole rows"};
    const row_cut &c = cut->params();
    return {{c.loops, c.blocks, n.param_f32(0), 1.0f / static_cast<float>(dst.ne[0])}, cut->vtcm_bytes()};
}

template <> std::string describe<op::rms_norm_mul>(const op::rms_norm_mul::kernel_params &p) {
    return "eps " + std::to_string(p.eps) + ", " + to_string(p.blocks);
}

}  // namespace hexane::plan
