// ops/copy/plan.cpp -- one plan for CPY, CONT and DUP: equal runs of the element sequence over threads.
#include "host/row_plan.h"
#include "ops/copy/copy.h"

namespace hexane::host {

namespace {

bool converts(const tensor_shape &src, const tensor_shape &dst) {
    if (src.type == dst.type || (is_float(src) && is_float(dst))) return true;
    return (src.is(data_type::f32) && dst.is(data_type::i32)) || (src.is(data_type::i32) && dst.is(data_type::f32));
}

bool blocks_dense(const tensor_shape &t) { return block_elements(t.dtype()) == 1 || t.rows_dense(); }

plan_or<copy_params> plan_copy(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &dst = n.dst;
    if (auto r = check_operands({&src, &dst}, hw)) return *r;
    if (!converts(src, dst)) return reject{"no conversion between these types"};
    if (src.elements() != dst.elements()) return reject{"source and destination differ in size"};
    if (!blocks_dense(src) || !blocks_dense(dst)) return reject{"blocks of a quantised row have gaps"};
    const uint64_t elements = static_cast<uint64_t>(dst.elements()) / block_elements(dst.dtype());
    const auto r = cut_runs(elements, block_bytes(src.dtype()) + block_bytes(dst.dtype()), hw);
    if (!r) return reject{"VTCM is too small"};
    return copy_params{r->n_threads, r->elements_per_unit, r->depth};
}

std::string describe_copy(const copy_params &p) {
    return std::to_string(p.elements_per_unit) + " elements per unit, " + std::to_string(p.depth) + " in flight, " +
           std::to_string(p.n_threads) + " threads";
}

}  // namespace

template <> plan_or<copy_params> plan<cpy>(const node &n, const hardware &hw) { return plan_copy(n, hw); }
template <> plan_or<copy_params> plan<cont>(const node &n, const hardware &hw) { return plan_copy(n, hw); }
template <> plan_or<copy_params> plan<dup>(const node &n, const hardware &hw) { return plan_copy(n, hw); }

template <> std::string describe<cpy>(const copy_params &p) { return describe_copy(p); }
template <> std::string describe<cont>(const copy_params &p) { return describe_copy(p); }
template <> std::string describe<dup>(const copy_params &p) { return describe_copy(p); }

}  // namespace hexane::host
