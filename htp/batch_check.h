// htp/batch_check.h -- everything that is checked about a batch, once, before its first op runs.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/hardware.h"
#include "base/span.h"
#include "htp/op_info.h"
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

// Checks counts against sizes, indices against counts, that every element of a tensor lies within its buffer (of one in tiles: the bytes that it states), and that an op has its
// sources and no more VTCM than there is. `find_op` gives null for an op that the library does not have. Pure; never reads outside
// [data, data + bytes). Not checked: the params, which the kernel takes from the planner of the same ABI digest.
status check_batch(uint8_t *data, uint64_t bytes, const batch_request &request, const hardware &hw,
                   const op_info *(*find_op)(op_id), batch_view *out);

}  // namespace hexane::htp
