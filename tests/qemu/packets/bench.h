// tests/qemu/packets/bench.h -- one op on one thread, without a session, and what it executed.
//
// Kernels and runtime are those of the device library for v73, the same machine code but for float instructions
// (integers_for_floats.sed). Results mean nothing; what is executed depends on no result.
#pragma once

#include "abi/hardware.h"
#include "plan/plan.h"
#include "virtual/qemu/counters.h"

namespace hexane::packets {

inline constexpr hardware v73 = {.arch = arch::v73,
                                 .n_threads = 1,
                                 .n_hmx = 0,
                                 .vtcm_bytes = 8u << 20,
                                 .scratch_bytes = session_scratch_bytes,
                                 .window_bytes = 3000ull << 20};

// A dense matrix of ne1 rows; quantised ones in tiles.
plan::tensor_shape matrix(data_type type, int64_t ne0, int64_t ne1);

// Plans `n` and runs it. What the DMA engine does is not counted, its queue is. Ends the program where there is no plan or the op fails.
template <class Op> virt::executed run_op(plan::node n);

// What the DMA engine has executed so far, to be taken off, with what it costs to know that. calibrate() first.
virt::executed executed_by_dma();
void calibrate();

}  // namespace hexane::packets
