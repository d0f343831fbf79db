// virtual/channel/packet_ring.h -- one direction of a queue: a FIFO of packets in memory that two processes share.
//
// One reader and one writer at a time per side; queue_end serialises the threads of its process. Positions count bytes since the
// beginning and never wrap; a record is a header, the buffers and the message, padded to 8 bytes, and may run over the end of the ring.
#pragma once

#include <stdint.h>

#include <atomic>
#include <span>

#include "platform/dspqueue.h"
#include "virtual/channel/futex.h"

namespace hexane::virt {

// In shared memory. A side that waits counts itself in `*_waiters`; the other wakes it only then.
struct alignas(128) ring_state {
    std::atomic<uint64_t> written{0};
    std::atomic<uint32_t> data_event{0};  // futex: something was written
    std::atomic<uint32_t> data_waiters{0};
    alignas(128) std::atomic<uint64_t> read{0};
    std::atomic<uint32_t> space_event{0};  // futex: something was read
    std::atomic<uint32_t> space_waiters{0};
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(ring_state) == 256);

// In shared memory, followed by the bytes of the two rings.
struct queue_memory {
    uint32_t request_bytes;
    uint32_t response_bytes;
    std::atomic<uint32_t> imported;  // 1 while the NPU side has the queue
    alignas(128) ring_state request;
    ring_state response;

    static uint64_t bytes_for(uint32_t request_bytes, uint32_t response_bytes) {
        return sizeof(queue_memory) + uint64_t{request_bytes} + response_bytes;
    }
};

static_assert(sizeof(queue_memory) == 128 + 2 * sizeof(ring_state));

struct record_header {
    uint32_t bytes;  // of the record without padding
    uint16_t flags;
    uint8_t n_buffers;
    uint8_t sequence;
};
static_assert(sizeof(record_header) == 8);

// A process's view of one ring.
class packet_ring {
  public:
    packet_ring(ring_state &state, uint8_t *data, uint32_t bytes) : state_(state), data_(data), bytes_(bytes) {}

    uint32_t bytes() const { return bytes_; }
    static uint32_t record_bytes(size_t n_buffers, size_t message_bytes) {
        return static_cast<uint32_t>(sizeof(record_header) + n_buffers * sizeof(dspqueue_buffer) + message_bytes);
    }

    // Both look again at the shared positions, which the other side moves.
    bool has_packet() const;
    bool has_space(uint32_t record) const;

    // REQUIRES: has_space(record_bytes(...)).
    void put(uint32_t flags, std::span<const dspqueue_buffer> buffers, std::span<const uint8_t> message);

    // Header of the oldest packet; false when the memory holds nonsense. REQUIRES: has_packet().
    bool front(record_header *header) const;
    // Copies the oldest packet's contents and removes it. REQUIRES: front() succeeded with this header.
    void take(const record_header &header, dspqueue_buffer *buffers, uint8_t *message);

    // Sleeps until the other side did something or the limit passes, unless `ready` holds already.
    template <class Ready> void wait_for_data(Ready ready, time_limit limit) {
        wait(state_.data_event, state_.data_waiters, ready, limit);
    }
    template <class Ready> void wait_for_space(Ready ready, time_limit limit) {
        wait(state_.space_event, state_.space_waiters, ready, limit);
    }
    // Wakes every sleeper of both sides, so that they look at their state again.
    void wake_all();

  private:
    template <class Ready>
    static void wait(std::atomic<uint32_t> &event, std::atomic<uint32_t> &waiters, Ready ready, time_limit limit) {
        waiters.fetch_add(1, std::memory_order_seq_cst);
        const uint32_t seen = event.load(std::memory_order_seq_cst);
        if (!ready()) futex_wait_shared(event, seen, limit);
        waiters.fetch_sub(1, std::memory_order_seq_cst);
    }
    static void signal(std::atomic<uint32_t> &event, const std::atomic<uint32_t> &waiters);
    void copy_in(uint64_t position, const void *from, size_t bytes);
    void copy_out(uint64_t position, void *to, size_t bytes) const;

    ring_state &state_;
    uint8_t *data_;
    uint32_t bytes_;
    uint8_t sequence_ = 0;
};

}  // namespace hexane::virt
