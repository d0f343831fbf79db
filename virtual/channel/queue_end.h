// virtual/channel/queue_end.h -- one side's end of a dspqueue: checks, waiting, translation of buffers.
//
// The same code serves the host (writes requests, reads responses) and the NPU (the other way round); AEE codes are the side's own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/dspqueue.h"
#include "virtual/channel/packet_ring.h"

namespace hexane::virt {

// What a side knows about mapped memory.
class buffer_table {
  public:
    virtual ~buffer_table() = default;
    // Checks a buffer that is about to be sent and completes its size. AEE_ENOSUCHMAP, AEE_EBADPARM, or 0.
    virtual AEEResult check(dspqueue_buffer *buffer) = 0;
    // Sets the pointer of a buffer that was received to this process's address; null when there is none.
    virtual void translate(dspqueue_buffer *buffer) = 0;
};

// How long a call may wait.
struct patience {
    time_limit limit;
    AEEResult when_over;
    static patience none() { return {{0}, AEE_EWOULDBLOCK}; }
    static patience us(uint32_t timeout_us) {
        return {timeout_us == DSPQUEUE_TIMEOUT_NONE ? time_limit::never() : time_limit::after_us(timeout_us),
                AEE_EEXPIRED};
    }
};

// Where a read puts a packet; every pointer but the counts' may be null when its maximum is 0.
struct packet_sink {
    uint32_t *flags;
    uint32_t max_buffers;
    uint32_t *num_buffers;
    dspqueue_buffer *buffers;
    uint32_t max_message_length;
    uint32_t *message_length;
    uint8_t *message;
};

enum class queue_side { host, npu };

// Thread-safe. Every call returns soon after fail().
class queue_end {
  public:
    // `memory` and `buffers` outlive this.
    queue_end(queue_memory *memory, queue_side side, buffer_table &buffers);
    ~queue_end();

    AEEResult write(uint32_t flags, uint32_t num_buffers, const dspqueue_buffer *buffers, uint32_t message_length,
                    const uint8_t *message, patience p);
    AEEResult read(const packet_sink &sink, patience p);
    AEEResult peek(uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length, patience p);

    // From now on every call, waiting ones included, returns `error`; the first error stays. Callable from any thread.
    void fail(AEEResult error);
    AEEResult error() const { return error_.load(std::memory_order_acquire); }

    // Starts the thread that calls `packet` when there is something to read and `error` once after a failure.
    void start_callbacks(dspqueue_t queue, dspqueue_callback_t packet, dspqueue_callback_t error, void *context);
    // Fails with `reason` and waits for the callback thread. REQUIRES: not called from a callback.
    void stop(AEEResult reason);

  private:
    AEEResult await_packet(patience p, record_header *header);
    AEEResult await_space(patience p, uint32_t record);
    template <class Ready> bool spin(Ready ready);
    void serve_callbacks(dspqueue_t queue, dspqueue_callback_t packet, dspqueue_callback_t error, void *context);

    packet_ring out_;
    packet_ring in_;
    buffer_table &buffers_;
    std::atomic<AEEResult> error_{AEE_SUCCESS};
    std::timed_mutex write_lock_;
    std::timed_mutex read_lock_;
    std::atomic<int> spin_credit_{8};
    std::atomic<uint32_t> waits_{0};
    std::thread callback_thread_;
};

}  // namespace hexane::virt
