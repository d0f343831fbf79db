// host/profile.h -- GGML_HEXAGON_PROFILE: one debug line per batch and per step.
#pragma once

#include <string>

#include "host/batch_queue.h"

namespace hexane::host {

class op_table;
struct step;

// "HTP0 profile-op OPBATCH|----|n-ops 412|...|usec 18231 cycles 29504512 mhz 1618.4"; with traces also how many records
// were kept per thread and how many found no room.
void profile_batch(const std::string &device, const wait_result &r);

// "HTP0 profile-op MUL_MAT|<names>|<dims>|<types>|<strides>|<plan>|usec 61 cycles 98765 mhz 1619.1 dma 1200000 weights
// 1179648 out 8192".
void profile_op(const std::string &device, const step &s, const op_table &ops, const op_desc &op,
                const op_report &report);

}  // namespace hexane::host
