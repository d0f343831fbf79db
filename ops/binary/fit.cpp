// ops/binary/fit.cpp -- whether a plan of the binary ops fits its hardware.
#include "ops/binary/binary.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::binary_params &p, const node &n, const hardware &hw) {
    return misfit_of_rows({&n.dst, &n.src[0], &n.src[1]}, p.loops, p.blocks, hw);
}

}  // namespace hexane::fuzz
