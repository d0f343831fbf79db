// tests/harness/npu/npu_run.h -- runs one kernel in the test's own process, on a work queue and a DMA engine made for tests.
//
// The same sources as in the NPU library: runtime, dispatch, kernels. Only the platform below them differs: threads are the PC's, and the
// engine distrusts the kernel (engine.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/batch.h"
#include "abi/data_type.h"
#include "abi/hardware.h"
#include "tests/harness/npu/low_memory.h"

namespace hexane::testing {

enum class engine_mode {
    in_place,  // as the virtual NPU's fast mode: at push, and contiguous reads are served where they are
    late,      // at pop; the destination holds NaN until then, and neither it nor the source may change meanwhile
};

struct npu_tensor {
    uint64_t address = 0;  // 0: absent
    uint64_t bytes = 0;
    uint32_t ne[4] = {};
    uint32_t nb[4] = {};
    data_type type{};
    bool tiled = false;
};

struct npu_job {
    op_id op;
    const uint8_t *params;  // kernel_params_bytes
    uint64_t vtcm_bytes;    // of the plan
    npu_tensor src[max_op_sources];
    npu_tensor dst;
    hardware hw;
    engine_mode engine;
    std::vector<memory_range> memory;  // what transfers may touch, besides VTCM
};

struct npu_outcome {
    status_code code = status_code::ok;
    std::string reason;
    uint64_t value = 0;
    std::string discipline;  // first thing that the engine or the guards found wrong; empty if nothing
    uint64_t weight_bytes = 0;
};

// VTCM is exactly what the plan uses, before a guard page, and full of NaN patterns; scratch too.
npu_outcome run_on_npu(const npu_job &job);

}  // namespace hexane::testing
