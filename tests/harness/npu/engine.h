// tests/harness/npu/engine.h -- a DMA engine for tests. It executes descriptors and notes every breach of the discipline.
//
// Descriptors are decoded here from the documented bit layouts, independently of the encoder in htp/. Late transfers are strict mode's
// (virtual/strict/late_transfers.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/arch.h"
#include "tests/harness/npu/low_memory.h"
#include "tests/harness/npu/npu_run.h"

namespace hexane::testing {

// A descriptor's meaning.
struct decoded_transfer {
    bool two_d = false;
    uint64_t src = 0, dst = 0;
    uint32_t row_bytes = 0, rows = 1, src_stride = 0, dst_stride = 0;
    bool bypass = false;    // both sides go around the caches
    std::string malformed;  // empty if the bits are right for the arch
};
decoded_transfer decode_descriptor(const uint32_t *words, arch a);

// Settings for everything that is pushed from now on, by any thread. `memory` empty: addresses are not checked.
void reset_engine(arch a, engine_mode mode, std::vector<memory_range> memory);

// What was found first since the last reset; empty if nothing.
std::string first_breach();
void note_breach(const std::string &what);

// Descriptors linked since the last reset, in the order of linking; recorded if `keep` was asked for.
void keep_descriptors(bool keep);
std::vector<decoded_transfer> kept_descriptors();

// Addresses of the cache lines that were cleaned and invalidated since the last call.
std::vector<uint64_t> take_flushed_lines();

}  // namespace hexane::testing
