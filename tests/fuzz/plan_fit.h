// tests/fuzz/plan_fit.h -- whether an accepted plan fits its hardware, by the layout functions that the kernel lays itself out with.
#pragma once

#include <string>

#include "abi/hardware.h"
#include "host/plan.h"
#include "ops/all_ops.h"

namespace hexane::fuzz {

// What does not fit, or is outside of what the params promise; empty when all is well. One overload for each params type of
// ops/all_ops.h: an op with new params does not compile here before it has one.
std::string misfit(const noop::kernel_params &p, const host::node &n, const hardware &hw);
std::string misfit(const binary_params &p, const host::node &n, const hardware &hw);
std::string misfit(const scale::kernel_params &p, const host::node &n, const hardware &hw);
std::string misfit(const rms_norm::kernel_params &p, const host::node &n, const hardware &hw);
std::string misfit(const glu_params &p, const host::node &n, const hardware &hw);
std::string misfit(const copy_params &p, const host::node &n, const hardware &hw);
std::string misfit(const set_rows::kernel_params &p, const host::node &n, const hardware &hw);
std::string misfit(const rope_params &p, const host::node &n, const hardware &hw);
std::string misfit(const mul_mat::kernel_params &p, const host::node &n, const hardware &hw);

}  // namespace hexane::fuzz
