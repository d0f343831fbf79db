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
    rows::loops loops;  // of dst, src0, src1
    static constexpr auto fields() {
        return field_list{HEX_FIELD(binary_params, blocks), HEX_FIELD(binary_params, loops)};
    }
};

struct binary {
    using kernel_params = binary_params;
    using members = op_members<struct add, struct sub, struct mul, struct div>;
};

struct binary_member {
    using family = binary;
    using kernel_params = binary_params;
    static constexpr uint32_t n_sources = 2;
};
struct add : binary_member {
    static constexpr op_id id{2};
    static constexpr const char *name = "ADD";
};
struct sub : binary_member {
    static constexpr op_id id{3};
    static constexpr const char *name = "SUB";
};
struct mul : binary_member {
    static constexpr op_id id{4};
    static constexpr const char *name = "MUL";
};
struct div : binary_member {
    static constexpr op_id id{5};
    static constexpr const char *name = "DIV";
};

}  // namespace hexane::op
