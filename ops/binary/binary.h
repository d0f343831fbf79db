// ops/binary/binary.h -- dst = src0 (+ - * /) src1, element by element; src1 repeats to the shape of src0 as
// ggml_can_repeat says.
//
// src0 [n0, n1, n2, n3]  f32, f16 or bf16, any strides
// src1 [m0, m1, m2, m3]  the type of src0, or f32; each m divides its n; any strides
// dst  [n0, n1, n2, n3]  the type of src0, any strides; may be src0 or src1 itself
// Computed in f32, rounded once. Division by zero gives infinities and NaN as IEEE 754 has them.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

struct binary_params {
    rows::blocks blocks;
    static constexpr auto fields() { return field_list{HEX_FIELD(binary_params, blocks)}; }
};

struct add {
    static constexpr op_id id{2};
    static constexpr const char *name = "ADD";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = binary_params;
};

struct sub {
    static constexpr op_id id{3};
    static constexpr const char *name = "SUB";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = binary_params;
};

struct mul {
    static constexpr op_id id{4};
    static constexpr const char *name = "MUL";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = binary_params;
};

struct div {
    static constexpr op_id id{5};
    static constexpr const char *name = "DIV";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = binary_params;
};

}  // namespace hexane::op
