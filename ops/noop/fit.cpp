// ops/noop/fit.cpp -- whether a plan of NOOP fits its hardware.
#include "ops/noop/noop.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::noop::kernel_params &p, const node &n, const hardware &hw) {
    if (p.bytes != product_of(n.dst) / block_elements(n.dst.dtype()) * block_bytes(n.dst.dtype())) return "bytes";
    if (p.bytes_per_block == 0 || p.bytes_per_block % line_bytes != 0) return "blocks";
    return check_threads(p.n_threads, op::noop_worker_bytes(p), hw);
}

}  // namespace hexane::fuzz
