// ops/copy/kernel.h -- the two ways of the copy kernel.
#pragma once

#include "htp/context.h"
#include "ops/copy/copy.h"

namespace hexane::htp {

// The copies of copy_kind::transpose; see kernel_transpose.cpp.
status copy_transposed(context &ctx, const copy_params &p, const operand &src, const operand &dst);

}  // namespace hexane::htp
