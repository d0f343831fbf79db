// htp/trace.h -- trace events of one thread, recorded into the batch that asked for them.
#pragma once

#include <stdint.h>

#include "abi/trace_record.h"
#include "htp/clock.h"

namespace hexane::htp {

// One thread's events of the running batch. Without a batch that wants traces an event costs one predictable branch.
class trace_log {
  public:
    // Records go to `records` until `capacity` is reached; later ones are counted, not kept.
    void begin_batch(trace_record *records, uint32_t capacity) {
        records_ = records;
        capacity_ = capacity;
        count_ = overflow_ = 0;
    }
    void end_batch() {
        records_ = nullptr;
        capacity_ = 0;
    }
    void set_op(uint16_t index) { op_index_ = index; }
    uint32_t count() const { return count_; }
    uint32_t overflow() const { return overflow_; }

    void record(trace_event event, trace_edge edge, uint32_t info) {
        if (!records_) [[likely]]
            return;
        if (count_ == capacity_) {
            ++overflow_;
            return;
        }
        records_[count_++] = {cycle_count(), event, edge, static_cast<uint16_t>(info), op_index_, 0};
    }

  private:
    trace_record *records_ = nullptr;
    uint32_t capacity_ = 0;
    uint32_t count_ = 0;
    uint32_t overflow_ = 0;
    uint16_t op_index_ = 0;
};

// Start event now, stop event at the end of the scope. `info` is progress: row, block or chunk index.
class trace_scope {
  public:
    trace_scope(trace_log &log, trace_event event, uint32_t info) : log_(log), event_(event), info_(info) {
        log_.record(event_, trace_edge::start, info_);
    }
    ~trace_scope() { log_.record(event_, trace_edge::stop, info_); }
    trace_scope(const trace_scope &) = delete;
    trace_scope &operator=(const trace_scope &) = delete;

  private:
    trace_log &log_;
    trace_event event_;
    uint32_t info_;
};

}  // namespace hexane::htp
