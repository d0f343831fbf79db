// tests/fuzz/plan_fit.h -- whether an accepted plan fits its hardware, by the layout functions that the kernel lays itself out with.
#pragma once

#include <string>

#include "abi/hardware.h"
#include "ops/all_ops.h"
#include "plan/plan.h"

namespace hexane::fuzz {

// What does not fit, or is outside of what the params promise; empty when all is well. One overload for each params type of
// ops/all_ops.h: an op with new params does not compile here before it has one.
std::string misfit(const op::noop::kernel_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::binary_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::scale::kernel_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::rms_norm::kernel_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::rms_norm_mul::kernel_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::glu_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::copy_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::set_rows::kernel_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::rope_params &p, const plan::node &n, const hardware &hw);
std::string misfit(const op::mul_mat::kernel_params &p, const plan::node &n, const hardware &hw);

}  // namespace hexane::fuzz
