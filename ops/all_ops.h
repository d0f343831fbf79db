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
#include "ops/rope/rope.h"
#include "ops/scale/scale.h"
#include "ops/set_rows/set_rows.h"

namespace hexane {

using all_ops = op_list<noop, add, sub, mul, div, scale, rms_norm, reglu, geglu, swiglu, swiglu_oai, geglu_erf,
                        geglu_quick, cpy, cont, dup, mul_mat, set_rows, rope, rope_back>;

inline constexpr uint64_t abi_digest = all_ops::abi_digest();

}  // namespace hexane
