// ops/rms_norm_mul/fit.cpp -- whether a plan of RMS_NORM+MUL fits its hardware.
#include "ops/rms_norm_mul/rms_norm_mul.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::rms_norm_mul::kernel_params &p, const node &n, const hardware &hw) {
    if (p.blocks.cols != n.dst.ne[0]) return "rows in pieces";
    return misfit_of_rows({&n.dst, &n.src[0], &n.src[1]}, p.loops, p.blocks, hw);
}

}  // namespace hexane::fuzz
