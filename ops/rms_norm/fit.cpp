// ops/rms_norm/fit.cpp -- whether a plan of RMS_NORM fits its hardware.
#include "ops/rms_norm/rms_norm.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::rms_norm::kernel_params &p, const node &n, const hardware &hw) {
    return misfit_of_rows({&n.dst, &n.src[0]}, p.loops, p.blocks, hw);
}

}  // namespace hexane::fuzz
