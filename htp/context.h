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

// Who divides work: the devices of a group and their threads, or the threads of one device, where each device needs all of the result.
// A group has one device as yet.
enum class over : uint8_t { devices, threads };

// Owned by the session; valid while the op runs. VTCM is as much as the plan uses, undefined at the start of an op, and laid out by
// the op's own layout function, which the planner called with the same arguments.
struct context {
    // body(worker &, this worker's part of VTCM, its units), which returns a status.
    // Divides `units` among `who` and calls the body once on each of `n_threads` threads that has any; workers take `worker_bytes` of
    // VTCM each, one after the other. Shares are contiguous and end on multiples of `granule`. The failure of the lowest worker wins.
    // Results must not depend on how the units are divided. REQUIRES: 1 <= n_threads <= work.threads(),
    // n_threads * worker_bytes <= vtcm.size(); not from within a body.
    template <class Body> status each_share(over who, uint32_t n_threads, uint32_t worker_bytes, uint32_t units,
                                            const Body &body, const base::fastdiv &granule = {}) {
        return run_shares({who, n_threads, worker_bytes, units, granule, &body,
                           [](const void *b, worker &w, vtcm_byte *vtcm, base::range share) {
                               return (*static_cast<const Body *>(b))(w, vtcm, share);
                           }});
    }

    hardware hw;
    base::span<vtcm_byte> vtcm;  // 128-byte aligned; touched by DMA and vector instructions only
    base::span<uint8_t>
        scratch;  // hw.scratch_bytes of cached DDR, 128-byte aligned; for what kernels read by scalar loads
    work_queue &work;
    cache_tracker &cache;

  private:
    struct shares {
        over who;
        uint32_t n_threads, worker_bytes, units;
        const base::fastdiv &granule;
        const void *body;
        status (*call)(const void *body, worker &, vtcm_byte *, base::range);
    };
    status run_shares(const shares &s);
};

}  // namespace hexane::htp
