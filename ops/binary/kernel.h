// ops/binary/kernel.h -- what the two kernels of binary ops share.
#pragma once

#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/binary/binary.h"

namespace hexane::kernels {

// Works on a unit: operand 1 is src0, operand 2 is src1.
using binary_body = void (*)(const row_unit &);

// The bodies for one type of src0: with rows of src1, or with one element for all of a row; src1 of the same type or f32.
struct binary_bodies {
    binary_body with_rows, with_splats, with_f32_rows, with_f32_splats;

    // The one for src1: of the type of src0, or f32.
    binary_body with(bool same_type, bool splat) const {
        if (same_type) return splat ? with_splats : with_rows;
        return splat ? with_f32_splats : with_f32_rows;
    }
};

extern const of_float<binary_bodies> product_bodies;   // kernel.cpp; for ops that end with a product, too
extern const of_float<binary_bodies> quotient_bodies;  // kernel_divide.cpp

}  // namespace hexane::kernels
