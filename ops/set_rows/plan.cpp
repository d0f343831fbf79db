// ops/set_rows/plan.cpp -- source rows over threads; what the indices are only the kernel knows.
#include <algorithm>

#include "ops/set_rows/set_rows.h"
#include "plan/row_plan.h"

namespace hexane::plan {

template <> plan_or<op::set_rows::kernel_params> plan<op::set_rows>(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &index = n.src[1], &dst = n.dst;
    if (auto r = check_operands({&src, &index}, dst, hw)) return *r;
    const bool quantises = src.is(data_type::f32) && (dst.is(data_type::q8_0) || dst.is(data_type::q4_0));
    if (!quantises && (!is_float(src) || !is_float(dst)))
        return reject{"types are not f32, f16 or bf16, or f32 to q8_0 or q4_0"};
    if (quantises && dst.ne[0] % block_elements(dst.dtype()) != 0) return reject{"rows are not whole blocks"};
    if (!index.is(data_type::i64) && !index.is(data_type::i32)) return reject{"index is neither i64 nor i32"};
    if (!src.rows_dense() || !dst.rows_dense()) return reject{"rows have gaps"};
    if (src.ne[0] != dst.ne[0] || src.ne[2] != dst.ne[2] || src.ne[3] != dst.ne[3])
        return reject{"source and destination differ in shape"};
    if (index.ne[0] != src.ne[1] || index.ne[3] != 1) return reject{"index has not one entry per row"};
    if (src.ne[2] % index.ne[1] != 0 || src.ne[3] % index.ne[2] != 0)
        return reject{"index does not repeat to the shape of the source"};

    const uint32_t element_bytes = block_bytes(src.dtype()) + op::set_rows_result_bytes(dst.dtype());
    const auto r = cut_runs(static_cast<uint64_t>(src.elements()), element_bytes, hw);
    if (!r) return reject{"VTCM is too small"};
    const auto by = [](int64_t n) { return base::fastdiv::by(static_cast<uint32_t>(n)); };
    const auto n0 = static_cast<uint32_t>(src.ne[0]);
    const op::set_rows::kernel_params p{.n_threads = r->n_threads,
                                        .elements_per_unit = r->elements_per_unit,
                                        .depth = r->depth,
                                        .rows_per_unit = std::max(r->elements_per_unit / n0, 1u),
                                        .index_ne2 = by(index.ne[1]),
                                        .index_ne3 = by(index.ne[2]),
                                        .pieces = by(base::ceil_div(n0, r->elements_per_unit)),
                                        .rows = by(src.ne[1]),
                                        .planes = by(src.ne[2])};
    return {p, p.n_threads * op::set_rows_worker_bytes(p, src.dtype(), dst.dtype())};
}

template <> std::string describe<op::set_rows>(const op::set_rows::kernel_params &p) {
    return std::to_string(p.elements_per_unit) + " elements per unit, " + std::to_string(p.depth) + " in flight, " +
           std::to_string(p.n_threads) + " threads, index " + std::to_string(p.index_ne2.divisor) + " x " +
           std::to_string(p.index_ne3.divisor);
}

}  // namespace hexane::plan
