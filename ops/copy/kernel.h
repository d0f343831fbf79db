// ops/copy/kernel.h -- the two ways of the copy kernel.
#pragma once

#include "kernels/kernel.h"
#include "ops/copy/copy.h"

namespace hexane::kernels {

// The copies of op::copy_kind::transpose; see kernel_transpose.cpp.
status copy_transposed(context &ctx, const op::copy_params &p, const operand &src, const operand &dst);

}  // namespace hexane::kernels
