// htp/context.h -- what a kernel may use while its op runs.
#pragma once

#include <stdint.h>

#include "abi/hardware.h"
#include "base/span.h"
#include "htp/cache.h"
#include "htp/operand.h"
#include "htp/status.h"
#include "htp/trace.h"
#include "htp/vtcm_byte.h"
#include "htp/work_queue.h"

namespace hexane::htp {

// Owned by the session; valid while the op runs. VTCM is as much as the plan uses, undefined at the start of an op, and laid out by
// the op's own layout function, which the planner called with the same arguments.
struct context {
    hardware hw;
    base::span<vtcm_byte> vtcm;  // 128-byte aligned; touched by DMA and vector instructions only
    base::span<uint8_t>
        scratch;  // hw.scratch_bytes of cached DDR, 128-byte aligned; for what kernels read by scalar loads
    work_queue &work;
    cache_tracker &cache;
};

}  // namespace hexane::htp
