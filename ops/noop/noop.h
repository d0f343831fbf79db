// ops/noop/noop.h -- dst = src, unchanged: the smallest op that goes the whole way, and the template of `./hexane new-op`.
//
// src  [n]  any plain type, contiguous
// dst  [n]  same type, contiguous
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/digest.h"
#include "abi/op_id.h"

namespace hexane::op {

struct noop {
    static constexpr op_id id{1};
    static constexpr const char *name = "NOOP";
    static constexpr uint32_t n_sources = 1;

    struct kernel_params {
        uint32_t n_threads;        // >= 1
        uint32_t bytes;            // of the whole tensor
        uint32_t bytes_per_block;  // a multiple of 128; two blocks per thread fit VTCM
        uint32_t reserved;
        static constexpr auto fields() {
            return field_list{HEX_FIELD(kernel_params, n_threads), HEX_FIELD(kernel_params, bytes),
                              HEX_FIELD(kernel_params, bytes_per_block)};
        }
    };
};

// VTCM of one worker: two blocks.
constexpr uint64_t noop_worker_bytes(const noop::kernel_params &p) { return 2 * uint64_t{p.bytes_per_block}; }

}  // namespace hexane::op
