// ops/copy/fit.cpp -- whether a plan of the copies fits its hardware.
#include "ops/copy/copy.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::copy_params &p, const node &n, const hardware &hw) {
    const uint32_t from = block_bytes(n.src[0].dtype()), to = block_bytes(n.dst.dtype());
    if (p.blocks.depth < 2 || p.blocks.depth > rows::max_depth) return "units in flight";
    if (p.kind == op::copy_kind::runs) {
        if (p.blocks.cols < rows::col_granule || p.blocks.cols % rows::col_granule != 0) return "runs";
        if (product_of(n.dst) >> 32 != 0) return "more elements than the kernel counts";
        return check_threads(p.blocks.n_threads, op::copy_runs_bytes(p.blocks, from, to), hw);
    }
    const rows::nest nest = plan::nest_of(p.boxes, plan::shapes_of({&n.dst, &n.src[0]}));
    if (nest.stride[0][0] != to || nest.stride[1][1] != from) return "nothing to transpose";
    if (units_of(nest, p.blocks) != p.boxes.units) return "the number of units wraps";
    const auto layout = op::transpose_layout::of(p.blocks, from, to, n.src[0].type != n.dst.type);
    return check_threads(p.blocks.n_threads, wide{layout.bytes} * p.blocks.depth, hw);
}

}  // namespace hexane::fuzz
