// ops/set_rows/set_rows.h -- dst row index[r, i2, i3] of plane (i2, i3) = src row r, converted to the type of dst.
//
// src    [n0, n1, n2, n3]   f32, f16 or bf16, dense rows
// index  [n1, m2, m3]       i64 or i32; i2 and i3 are taken modulo m2 and m3
// dst    [n0, rows, n2, n3] f32, f16 or bf16, or from f32 q8_0 or q4_0; dense rows; only the named rows are written
// An index outside [0, rows) fails the op with status_code::bad_index and the index as its value.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "abi/digest.h"
#include "abi/op_id.h"
#include "base/fastdiv.h"

namespace hexane::op {

struct set_rows {
    static constexpr op_id id{18};
    static constexpr const char *name = "SET_ROWS";
    static constexpr uint32_t n_sources = 2;

    struct kernel_params {
        uint32_t n_threads;          // >= 1
        uint32_t elements_per_unit;  // at most; a multiple of 128; below n0: rows in pieces
        uint32_t depth;              // units in flight per worker
        uint32_t rows_per_unit;      // at most
        base::fastdiv index_ne2;     // by m2
        base::fastdiv index_ne3;     // by m3
        base::fastdiv pieces;        // by the pieces of a row
        base::fastdiv rows, planes;  // by n1 and n2
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, n_threads), HEX_FIELD(kernel_params, elements_per_unit),
                              HEX_FIELD(kernel_params, depth),     HEX_FIELD(kernel_params, rows_per_unit),
                              HEX_FIELD(kernel_params, index_ne2), HEX_FIELD(kernel_params, index_ne3),
                              HEX_FIELD(kernel_params, pieces),    HEX_FIELD(kernel_params, rows),
                              HEX_FIELD(kernel_params, planes)};
        }
    };
};

// VTCM bytes of one element of a unit's result. Those of a block type are rounded up to two: at 128 elements and more
// this leaves the room that quantising needs behind its last block (kernels/quantize_blocks.h).
constexpr uint32_t set_rows_result_bytes(data_type t) { return block_elements(t) == 1 ? block_bytes(t) : 2; }

// VTCM of one worker: for each unit in flight, its elements as they come and as they go.
constexpr uint64_t set_rows_worker_bytes(const set_rows::kernel_params &p, data_type src, data_type dst) {
    return uint64_t{p.depth} * p.elements_per_unit * (block_bytes(src) + set_rows_result_bytes(dst));
}

}  // namespace hexane::op
