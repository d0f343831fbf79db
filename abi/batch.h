// abi/batch.h -- a batch of ops as it lies in shared memory, and the messages that announce and answer it.
//
// The host writes one batch into a slot of a shared buffer: a batch_header, then the arrays in the order
// buffers, tensors, ops, reports, trace records. It sends a batch_request with that slot as the packet's only buffer; the
// session checks every count and index once (htp/batch_check.h), runs the ops in order and answers with a batch_response.
// Little-endian, natural alignment, every struct a multiple of 8 bytes.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/status_code.h"
#include "abi/trace_record.h"

namespace hexane {

inline constexpr uint32_t max_op_sources = 10;
inline constexpr uint32_t max_op_results = 4;
inline constexpr uint32_t max_batch_buffers = 64;
inline constexpr uint32_t max_batch_tensors = 16384;
inline constexpr uint32_t max_batch_ops = 4096;
inline constexpr uint32_t kernel_params_bytes = 128;
inline constexpr uint16_t no_tensor = 0xffff;  // an operand that is absent

struct buffer_desc {
    uint64_t bytes;  // length of the mapping
    uint32_t fd;     // descriptor number as the FastRPC driver knows it
    uint32_t reserved;
    static constexpr auto fields() { return field_list{HEX_FIELD(buffer_desc, bytes), HEX_FIELD(buffer_desc, fd)}; }
};
static_assert(sizeof(buffer_desc) == 16);

enum tensor_flags : uint16_t {
    tensor_tiled = 1,   // data is in the tile layout of its type (formats/), not in ggml's block layout
    tensor_weight = 2,  // lies in a weight buffer: written by the host alone
};

// ne in elements, nb in bytes, as ggml has them; for a tiled tensor nb stays what it was in block layout.
struct tensor_desc {
    uint64_t offset;  // of the first byte, within its buffer
    uint64_t bytes;   // from the first byte to the last one that the op may touch
    uint32_t ne[4];
    uint32_t nb[4];
    uint32_t type;    // data_type
    uint16_t buffer;  // index into the batch's buffers
    uint16_t flags;   // tensor_flags
    static constexpr auto fields() {
        return field_list{HEX_FIELD(tensor_desc, offset), HEX_FIELD(tensor_desc, bytes), HEX_FIELD(tensor_desc, ne),
                          HEX_FIELD(tensor_desc, nb),     HEX_FIELD(tensor_desc, type),  HEX_FIELD(tensor_desc, buffer),
                          HEX_FIELD(tensor_desc, flags)};
    }
};
static_assert(sizeof(tensor_desc) == 56);

struct op_desc {
    op_id op;
    uint32_t reserved;
    uint16_t src[max_op_sources];  // indices into the batch's tensors, or no_tensor
    uint16_t dst[max_op_results];
    uint32_t vtcm_bytes;                                    // that the plan uses; the op sees no more
    alignas(8) uint8_t kernel_params[kernel_params_bytes];  // the op's own struct, planned by the host
    static constexpr auto fields() {
        return field_list{HEX_FIELD(op_desc, op), HEX_FIELD(op_desc, src), HEX_FIELD(op_desc, dst),
                          HEX_FIELD(op_desc, vtcm_bytes), HEX_FIELD(op_desc, kernel_params)};
    }
};
static_assert(sizeof(op_desc) == 168);

// What a session tells about each op of a batch that asked for it (batch_flags).
struct op_report {
    uint32_t usecs;
    uint32_t cycles;
    uint64_t dma_read_bytes;    // DDR -> VTCM, all traffic
    uint64_t dma_weight_bytes;  // the part of it that was pushed as weights
    uint64_t dma_write_bytes;   // VTCM -> DDR
    static constexpr auto fields() {
        return field_list{HEX_FIELD(op_report, usecs), HEX_FIELD(op_report, cycles),
                          HEX_FIELD(op_report, dma_read_bytes), HEX_FIELD(op_report, dma_weight_bytes),
                          HEX_FIELD(op_report, dma_write_bytes)};
    }
};
static_assert(sizeof(op_report) == 32);

enum batch_flags : uint32_t {
    batch_reports = 1,  // fill one op_report per op
    batch_traces = 2,   // record trace events
};

struct batch_header {
    uint32_t magic;
    uint32_t flags;     // batch_flags
    uint64_t sequence;  // same as in the request
    uint32_t n_buffers;
    uint32_t n_tensors;
    uint32_t n_ops;
    uint32_t traces_per_thread;  // capacity, in records, of each thread's part of the trace area
    uint32_t progress;           // ops finished so far: the session counts up while it works, the host only reads
    uint32_t
        heartbeat;  // 0 until the session takes the batch up, then counts up while it works, several times a second
    static constexpr auto fields() {
        return field_list{HEX_FIELD(batch_header, magic),
                          HEX_FIELD(batch_header, flags),
                          HEX_FIELD(batch_header, sequence),
                          HEX_FIELD(batch_header, n_buffers),
                          HEX_FIELD(batch_header, n_tensors),
                          HEX_FIELD(batch_header, n_ops),
                          HEX_FIELD(batch_header, traces_per_thread),
                          HEX_FIELD(batch_header, progress),
                          HEX_FIELD(batch_header, heartbeat)};
    }
};
static_assert(sizeof(batch_header) == 40);

inline constexpr uint32_t batch_magic = 0x48584e42;  // "HXNB"

// What the address of a batch is a multiple of, so that every struct in it is aligned.
inline constexpr uint64_t batch_alignment = 8;

// Byte offsets of the arrays of a batch, from its header; computed by both sides from the counts alone.
struct batch_layout {
    uint64_t buffers, tensors, ops, reports, traces, bytes;

    static constexpr batch_layout of(uint32_t flags, uint64_t n_buffers, uint64_t n_tensors, uint64_t n_ops,
                                     uint64_t traces) {
        batch_layout l{};
        l.buffers = sizeof(batch_header);
        l.tensors = l.buffers + n_buffers * sizeof(buffer_desc);
        l.ops = l.tensors + n_tensors * sizeof(tensor_desc);
        l.reports = l.ops + n_ops * sizeof(op_desc);
        l.traces = l.reports + ((flags & batch_reports) ? n_ops * sizeof(op_report) : 0);
        l.bytes = l.traces + ((flags & batch_traces) ? traces * sizeof(trace_record) : 0);
        return l;
    }
};

// Message of the request packet.
struct batch_request {
    uint32_t magic;
    uint32_t reserved;
    uint64_t sequence;
    static constexpr auto fields() {
        return field_list{HEX_FIELD(batch_request, magic), HEX_FIELD(batch_request, sequence)};
    }
};
static_assert(sizeof(batch_request) == 16);

inline constexpr uint32_t reason_bytes = 96;

// Message of the response packet. On failure the first failed op, the thread that failed and why; ops after it did not run.
struct batch_response {
    uint32_t magic;
    status_code code;
    uint64_t sequence;
    uint32_t op_index;
    uint32_t thread;
    uint64_t value;  // the number that the reason speaks of, e.g. the bad index
    uint64_t usecs;
    uint64_t cycles;
    uint32_t trace_counts[16];  // records kept, per thread
    uint32_t trace_overflow;    // records that found no room, all threads
    uint32_t reserved;
    char reason[reason_bytes];  // NUL-terminated
    static constexpr auto fields() {
        return field_list{HEX_FIELD(batch_response, magic),        HEX_FIELD(batch_response, code),
                          HEX_FIELD(batch_response, sequence),     HEX_FIELD(batch_response, op_index),
                          HEX_FIELD(batch_response, thread),       HEX_FIELD(batch_response, value),
                          HEX_FIELD(batch_response, usecs),        HEX_FIELD(batch_response, cycles),
                          HEX_FIELD(batch_response, trace_counts), HEX_FIELD(batch_response, trace_overflow),
                          HEX_FIELD(batch_response, reason)};
    }
};
static_assert(sizeof(batch_response) == 216);

}  // namespace hexane
