// ops/all_ops.h -- the only list of ops. Registry, dispatch table, names, tests, the table in docs/ops.md and the ABI digest are folds
// over it. An op that is listed but has no kernel or no planner is a link error that names it.
#pragma once

#include "ops/binary/binary.h"
#include "ops/copy/copy.h"
#include "ops/glu/glu.h"
#include "ops/mul_mat/mul_mat.h"
#include "ops/noop/noop.h"
#include "ops/op_list.h"
#include "ops/rms_norm/rms_norm.h"
#include "ops/rms_norm_mul/rms_norm_mul.h"
#include "ops/rope/rope.h"
#include "ops/scale/scale.h"
#include "ops/set_rows/set_rows.h"

namespace hexane {

using all_ops = op_list<op::noop, op::add, op::sub, op::mul, op::div, op::scale, op::rms_norm, op::reglu, op::geglu,
                        op::swiglu, op::swiglu_oai, op::geglu_erf, op::geglu_quick, op::cpy, op::cont, op::dup,
                        op::mul_mat, op::set_rows, op::rope, op::rope_back, op::rms_norm_mul>;

inline constexpr uint64_t abi_digest = all_ops::abi_digest();

}  // namespace hexane
