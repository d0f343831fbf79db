// host/batch_queue.h -- batches on their way to a session and back: slots in pinned shared memory, announced through a
// dspqueue.
//
// The session answers in order. Slots are used from the first one whenever nothing is in flight, so that small graphs
// stay in cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "abi/batch.h"
#include "host/batch_builder.h"
#include "host/batch_patience.h"
#include "host/fastrpc.h"
#include "host/shared_memory.h"

namespace hexane::host {

// A batch in flight.
struct flight {
    uint64_t sequence;
    uint32_t slot;
    uint32_t first;  // the caller's number of its first op
    uint32_t n_ops;
};

// How waiting for a response ended.
enum class wait_end {
    answered,
    died,     // the session's process is gone; `code` says how the queue told
    unheard,  // the queue fails with `code`, whatever the process does
    stuck,    // no op finished within the deadline
    silent,   // nor any heartbeat: the session cannot run
    garbled,  // an answer to another question
};

struct wait_result {
    wait_end end;
    int code = 0;  // of dspqueue_read
    flight batch{};
    batch_response response{};
};

// Used with the device locked.
class batch_queue {
  public:
    batch_queue(const fastrpc &rpc, const batch_limits &limits) : rpc_(rpc), limits_(limits) {}
    ~batch_queue() { (void)destroy({}); }

    // The dspqueue and its id for start_args; then the slots. AEE codes. REQUIRES: a session is open on `domain`.
    int create(int domain, uint64_t *queue_id);
    int map_slots(int domain);
    // The queue is closed and the slots are unmapped. The driver closes no queue that the other side still has: for a process
    // that was just killed that is tried again until `limit`. An AEE code, of the closing.
    int destroy(std::chrono::milliseconds limit);

    bool full() const { return flights_.size() == limits_.depth; }
    bool idle() const { return flights_.empty(); }

    // Where the next batch is to be written. REQUIRES: not full().
    uint8_t *next_slot() { return slots_.base() + next_slot_ * limits_.slot_bytes; }
    uint64_t next_sequence() const { return sequence_ + 1; }
    // Sends what was written to next_slot(). An AEE code.
    int send(uint64_t bytes, uint32_t first, uint32_t n_ops);

    // Waits for the oldest batch. REQUIRES: not idle(). Reports and traces of the batch stay readable until its slot is
    // used again.
    wait_result wait(std::chrono::seconds deadline, bool spin);

    // REQUIRES: not idle().
    const flight &oldest() const { return flights_.front(); }
    // What the session has told about the batch so far.
    batch_signs signs_of(const flight &f) const;
    // True if the session may have done something for what is in flight. Asked after its death, too.
    bool begun() const;
    // The session's process has ended, or its queue has. REQUIRES: idle().
    bool peer_gone();
    const uint8_t *slot(const flight &f) const { return slots_.base() + f.slot * limits_.slot_bytes; }

  private:
    int close(std::chrono::milliseconds limit);
    int read(batch_response *response, uint32_t *bytes, bool spin);

    const fastrpc &rpc_;
    batch_limits limits_;
    shared_memory slots_;
    dspqueue_t queue_ = nullptr;
    int domain_ = -1;
    bool mapped_ = false;
    uint64_t sequence_ = 0;
    uint32_t next_slot_ = 0;
    std::deque<flight> flights_;
};

}  // namespace hexane::host
