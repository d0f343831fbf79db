// htp/batch_check.h -- everything that is checked about a batch, once, before its first op runs.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "base/span.h"
#include "htp/status.h"

namespace hexane::htp {

// The arrays of a checked batch, in place in shared memory.
struct batch_view {
    batch_header *header = nullptr;
    base::span<const buffer_desc> buffers;
    base::span<const tensor_desc> tensors;
    base::span<const op_desc> ops;
    base::span<op_report> reports;    // empty unless the batch asked for them
    base::span<trace_record> traces;  // traces_per_thread records for each of n_threads threads, or empty
};

// Checks counts against sizes, indices against counts, and that every element of a tensor lies within its buffer.
// `knows_op` tells whether the library has an op. Pure; never reads outside [data, data + bytes).
status check_batch(uint8_t *data, uint64_t bytes, const batch_request &request, uint32_t n_threads,
                   bool (*knows_op)(op_id), batch_view *out);

}  // namespace hexane::htp
