// ops/noop/plan.cpp -- blocks that fit VTCM twice per thread.
#include "plan/plan.h"
#include "base/align.h"
#include "ops/noop/noop.h"

namespace hexane::plan {

template <> plan_or<op::noop::kernel_params> plan<op::noop>(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &dst = n.dst;
    if (const char *why = unaddressable(dst)) return reject{why};
    if (const char *why = unaddressable(src)) return reject{why};
    if (src.type != dst.type || !src.same_shape(dst)) return reject{"source and destination differ"};
    if (!src.contiguous() || !dst.contiguous()) return reject{"not contiguous"};
    if (dst.extent_bytes() * 2 > hw.window_bytes) return reject{"larger than the window"};

    op::noop::kernel_params p{};
    const uint32_t most_threads =
        hw.vtcm_bytes / (2 * line_bytes);  // more threads than blocks must not refuse what fewer accept
    if (most_threads == 0) return reject{"VTCM is too small"};
    p.n_threads = base::min(hw.n_threads, most_threads);
    p.bytes = static_cast<uint32_t>(dst.extent_bytes());
    p.bytes_per_block = base::align_down(hw.vtcm_bytes / (2 * p.n_threads), line_bytes);
    return {p, p.n_threads * op::noop_worker_bytes(p)};
}

template <> std::string describe<op::noop>(const op::noop::kernel_params &p) {
    return std::to_string(p.bytes) + " bytes in blocks of " + std::to_string(p.bytes_per_block) + ", " +
           std::to_string(p.n_threads) + " threads";
}

}  // namespace hexane::plan
