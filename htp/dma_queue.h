// htp/dma_queue.h -- strict-FIFO queue of transfers over the DMA engine of one hardware thread.
//
// Every push is matched by one pop, in order. pop() returns where the bytes are; a kernel uses that address and never its own
// idea of it. A transfer that exceeds a field of the architecture's descriptor is split into several descriptors here; it is
// still one push and one pop.
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "htp/dma_addr.h"
#include "htp/dma_descriptor.h"
#include "htp/status.h"
#include "htp/trace.h"
#include "htp/vtcm_byte.h"
#include "platform/dma.h"

namespace hexane::htp {

// Which account the bytes of a transfer go to (abi/batch.h, op_report).
enum class traffic : uint8_t { read, weights, write };

// `rows` pieces of `row_bytes` each; piece i goes from src + i * src_stride to dst + i * dst_stride. Strides are ignored for one row.
// REQUIRES: rows >= 1, row_bytes >= 1, source and destination do not overlap.
struct transfer {
    dma_addr_t dst;
    dma_addr_t src;
    uint32_t row_bytes;
    uint32_t rows = 1;
    uint32_t dst_stride = 0;
    uint32_t src_stride = 0;
    traffic kind = traffic::read;
    // The reader needs the bytes at `dst` itself, because it writes there or assembles several transfers into one buffer. Without it
    // a read may be served in place, and pop() tells.
    bool land_at_dst = false;
};

// Bytes that one worker's queue moved, by account, since the counters were last taken.
struct dma_bytes {
    uint64_t read = 0;
    uint64_t weights = 0;
    uint64_t write = 0;
};

class dma_queue {
  public:
    static constexpr uint32_t capacity = 128;       // transfers in flight
    static constexpr uint32_t n_descriptors = 256;  // descriptors in flight; a split transfer waits for free ones

    // Places the descriptor ring at `ring`. REQUIRES: ring_bytes() bytes, line-aligned, in DDR below 4 GiB. Not thread-safe: one
    // thread at a time uses a queue.
    static constexpr uint32_t ring_bytes() { return (n_descriptors + 1) * dma_descriptor_bytes; }
    void init(arch a, uint8_t *ring, trace_log *trace);

    // Starts a transfer. Never fails and never drops: it waits for descriptors when the ring is full.
    // REQUIRES: in_flight() < capacity; the source stays as it is and the destination untouched until the matching pop.
    void push(const transfer &t);

    // Waits for the oldest transfer and returns where its bytes are: the destination in VTCM or DDR, or, in the virtual NPU's fast
    // mode, a line-aligned contiguous read at its source. REQUIRES: in_flight() > 0.
    const vtcm_byte *pop();

    // Pops everything in flight.
    void flush();

    uint32_t in_flight() const { return pushed_ - popped_; }

    // True once a transfer missed its deadline; the work queue turns it into status_code::dma_failed.
    bool failed() const { return failed_; }

    // Returns the byte counters and sets them to zero.
    dma_bytes take_bytes();

  private:
    struct entry {
        uint32_t where;  // address of the bytes when done
        uint32_t last;   // sequence number of the last descriptor of this transfer
    };

    uint32_t *claim_slot();
    uint32_t link(uint32_t *descriptor, dma_addr_t dst, platform::dma_hint hint);
    void wait_descriptor(uint32_t sequence);
    uint32_t push_linear(dma_addr_t dst, dma_addr_t src, uint64_t bytes, platform::dma_hint hint);
    uint32_t push_rows(const transfer &t);
    uint32_t push_boxes(const transfer &t);
    void account(const transfer &t);

    dma_codec codec_{};
    uint8_t *ring_ = nullptr;  // n_descriptors slots, and a zeroed one that the first link starts from
    uint32_t tail_ = 0;        // address of the descriptor linked last
    uint32_t linked_ = 0;      // descriptors linked so far; slot = sequence % n_descriptors
    uint32_t completed_ = 0;   // descriptors known to be done, always a prefix of the linked ones
    uint32_t pushed_ = 0;
    uint32_t popped_ = 0;
    bool failed_ = false;
    entry entries_[capacity]{};
    dma_bytes bytes_{};
    trace_log *trace_ = nullptr;
};

}  // namespace hexane::htp
