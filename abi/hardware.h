// abi/hardware.h -- what a plan may count on.
#pragma once

#include <stdint.h>

#include "abi/arch.h"

namespace hexane {

// Plans are monotone in every field but arch: what one hardware accepts, one with more of anything accepts too.
struct hardware {
    hexane::arch arch = hexane::arch::v73;
    uint32_t n_threads = 1;   // worker threads, 1 .. max_threads
    uint32_t n_hmx = 0;       // matrix units
    uint32_t vtcm_bytes = 0;  // that a plan may use
    uint32_t scratch_bytes =
        0;  // cached DDR shared by the workers of the running op; scalar access is cheap here, unlike in VTCM
    uint64_t window_bytes = 0;  // address space for the buffers of one batch
    friend constexpr bool operator==(const hardware &, const hardware &) = default;
};

// Every session has this much; a session with less refuses to open, so a plan for support may use it.
inline constexpr uint32_t min_vtcm_bytes = 1u << 20;
inline constexpr uint32_t session_scratch_bytes = 4u << 20;

}  // namespace hexane
