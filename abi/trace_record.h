// abi/trace_record.h -- one trace event as a session records it.
#pragma once

#include <stdint.h>

namespace hexane {

// Event ids of the specification (hex-profile.h); values are those that existing trace readers know.
enum class trace_event : uint16_t {
    dma = 0,
    l2flush = 1,
    init = 2,
    buffers = 3,
    fence = 4,
    hvx_comp = 20,
    hvx_act_quant = 21,
    hvx_act_prep = 22,
    hvx_weight_dequant = 23,
    hvx_weight_prep = 24,
    hvx_out_proc = 25,
    hmx_comp = 40,
};

enum class trace_edge : uint16_t { start = 0, stop = 1 };

// Event, edge and info are separate fields: info keeps all 16 bits.
struct trace_record {
    uint32_t cycles;  // low half of the session's cycle counter
    trace_event event;
    trace_edge edge;
    uint16_t info;      // progress: row, block or chunk index, modulo 65536
    uint16_t op_index;  // op within its batch
    uint32_t reserved;
};
static_assert(sizeof(trace_record) == 16);

}  // namespace hexane
