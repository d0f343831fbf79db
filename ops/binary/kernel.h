// ops/binary/kernel.h -- what the two kernels of binary ops share.
#pragma once

#include "kernels/stream_rows.h"
#include "ops/binary/binary.h"

namespace hexane::kernels {

// Works on a unit: operand 1 is src0, operand 2 is src1.
using binary_body = void (*)(const row_unit<3> &);

// The body for the type of src0, that of src1 (the same, or f32), and whether rows of src1 are one element for all.
using choose_binary_body = binary_body (*)(data_type a, data_type b, bool splat);

// That of MUL, for ops that end with it.
binary_body product_body(data_type a, data_type b, bool splat);

// Streams the rows of src0, src1 and dst through the body that `choose` names.
status run_binary(context &ctx, const op::binary_params &p, const operands &io, choose_binary_body choose);

}  // namespace hexane::kernels
