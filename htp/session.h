// htp/session.h -- one FastRPC session of the NPU library: its memory, its threads, its queue.
#pragma once

#include <stdint.h>

#include "abi/session_interface.h"
#include "htp/batch_check.h"
#include "htp/buffer_window.h"
#include "htp/context.h"
#include "htp/pulse.h"
#include "htp/vtcm.h"
#include "platform/dspqueue.h"
#include "platform/qurt.h"

namespace hexane::htp {

// Lives from method::open to method::close. The FastRPC thread calls the public functions, one at a time; the main thread runs
// batches between start() and stop(). All memory is taken in start(): nothing is allocated while batches run.
class session {
  public:
    static session *create();  // null when out of memory
    void destroy();

    // What this core has; `abi_digest` tells whether plug-in and library are of one build.
    hwinfo_result hwinfo() const;

    // AEE codes, as FastRPC methods return them.
    int start(const start_args &args);
    int stop();
    int unmap(uint32_t fd);

  private:
    status allocate_memory();
    void free_memory();
    int start_threads(const start_args &args);

    static void main_entry(void *self);
    void serve_queue();
    void serve_burst(const batch_request &first, const dspqueue_buffer &slot);
    int read_request(batch_request *request, dspqueue_buffer *slot, uint32_t timeout_us);
    void answer(const batch_request &request, const dspqueue_buffer &slot);

    status run_batch(const batch_request &request, const dspqueue_buffer &slot, batch_response *response);
    status run_checked(const batch_view &batch, batch_response *response);
    status run_ops(const batch_view &batch, batch_response *response);
    status run_one(const batch_view &batch, uint32_t index);
    void resolve(const batch_view &batch, const op_desc &op, operands *io, operand *storage) const;
    void begin_traces(const batch_view &batch);
    void end_traces(batch_response *response);
    void report(const batch_view &batch, uint32_t index, uint64_t began_us, uint64_t began_cycles);

    hardware hw_{};
    uint32_t session_id_ = 0;
    bool started_ = false;
    uint32_t stopping_ = 0;
    dspqueue_t queue_ = nullptr;
    qurt_thread_t main_thread_ = 0;

    vtcm_holder vtcm_;
    buffer_window window_;
    work_queue work_;
    pulse pulse_;
    cache_tracker cache_;
    trace_log traces_[max_threads];
    dma_queue queues_[max_threads];
    uint64_t buffer_addresses_[max_batch_buffers]{};

    // One block: stacks of the threads, DMA rings, scratch.
    uint8_t *memory_ = nullptr;
    uint8_t *main_stack_ = nullptr;
    uint8_t *pulse_stack_ = nullptr;
    uint8_t *worker_stacks_ = nullptr;
    uint8_t *rings_ = nullptr;
    uint8_t *scratch_ = nullptr;
};

}  // namespace hexane::htp
