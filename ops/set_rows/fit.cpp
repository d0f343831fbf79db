// ops/set_rows/fit.cpp -- whether a plan of SET_ROWS fits its hardware.
#include "ops/set_rows/set_rows.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::set_rows::kernel_params &p, const node &n, const hardware &hw) {
    if (p.depth < 2 || p.depth > rows::max_depth / 2) return "units in flight";
    if (p.elements_per_unit == 0 || p.elements_per_unit % rows::col_granule != 0) return "elements of a unit";
    const wide pieces = (wide{static_cast<uint64_t>(n.src[0].ne[0])} + p.elements_per_unit - 1) / p.elements_per_unit;
    const wide row_count = product_of(n.src[0]) / static_cast<uint64_t>(n.src[0].ne[0]);
    if ((pieces * row_count) >> 32 != 0) return "more pieces than the kernel counts";
    return check_threads(p.n_threads, op::set_rows_worker_bytes(p, n.src[0].dtype(), n.dst.dtype()), hw);
}

}  // namespace hexane::fuzz
