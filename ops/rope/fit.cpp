// ops/rope/fit.cpp -- whether a plan of ROPE fits its hardware.
#include "ops/rope/rope.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::rope_params &p, const node &n, const hardware &hw) {
    const auto n0 = static_cast<uint32_t>(n.dst.ne[0]);
    if (p.heads_per_unit < 1 || p.heads_per_unit > n.dst.ne[1]) return "heads of a unit";
    if (p.positions_per_unit < 1 || p.positions_per_unit > n.dst.ne[2]) return "positions of a unit";
    if (p.positions_per_unit > 1 && p.heads_per_unit != n.dst.ne[1])
        return "several positions with a part of their heads";
    if (p.depth < 2 || p.depth > rows::max_depth) return "units in flight";
    if (uint64_t{p.offset} + 2 * uint64_t{p.n_pairs} > n0) return "pairs leave the row";
    if (p.scale_first != p.scale_last && (p.ramp_begin < 0 || p.ramp_end <= p.ramp_begin)) return "ramp";
    if (op::rope_layout::frequency_bytes(p.n_pairs) > hw.scratch_bytes) return "frequencies exceed scratch";
    return check_threads(p.n_threads, op::rope_layout::worker_bytes(p, n0, block_bytes(n.dst.dtype())), hw);
}

}  // namespace hexane::fuzz
