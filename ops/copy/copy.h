// ops/copy/copy.h -- dst = src, element by element in index order, converted to the type of dst.
//
// src  any shape, any strides
// dst  any shape with as many elements, any strides
// f32, f16, bf16 in all pairs, f32 <-> i32 (towards zero), and any type to itself.
//
// CPY writes into a view of its second source, CONT and DUP into a tensor of their own; the kernel sees src[0] and dst
// alone.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"

namespace hexane {

struct copy_params {
    uint32_t n_threads;          // >= 1
    uint32_t elements_per_unit;  // at most; a multiple of 128; blocks, for quantised types
    uint32_t depth;              // units in flight per worker
    static constexpr auto fields() {
        return field_list{HEX_FIELD(copy_params, n_threads), HEX_FIELD(copy_params, elements_per_unit),
                          HEX_FIELD(copy_params, depth)};
    }
};

struct cpy {
    static constexpr op_id id = op_id::cpy;
    static constexpr const char *name = "CPY";
    using kernel_params = copy_params;
};

struct cont {
    static constexpr op_id id = op_id::cont;
    static constexpr const char *name = "CONT";
    using kernel_params = copy_params;
};

struct dup {
    static constexpr op_id id = op_id::dup;
    static constexpr const char *name = "DUP";
    using kernel_params = copy_params;
};

}  // namespace hexane
