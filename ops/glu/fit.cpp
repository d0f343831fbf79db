// ops/glu/fit.cpp -- whether a plan of the gated ops fits its hardware.
#include "ops/glu/glu.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

template <> std::string misfit(const op::glu_params &p, const node &n, const hardware &hw) {
    tensor_shape x = n.src[0], g = n.has_src(1) ? n.src[1] : n.src[0];
    const uint64_t room = x.extent_bytes(), room_g = g.extent_bytes();
    x.ne[0] = g.ne[0] = n.dst.ne[0];
    if (p.x_offset + x.extent_bytes() > room || p.g_offset + g.extent_bytes() > room_g)
        return "a half leaves its source";
    return misfit_of_rows({&n.dst, &x, &g}, p.loops, p.blocks, hw);
}

}  // namespace hexane::fuzz
