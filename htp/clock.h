// htp/clock.h -- time on the NPU: cycles for traces, microseconds for reports and deadlines.
#pragma once

#include <stdint.h>

#include "platform/HAP_perf.h"

namespace hexane::htp {

inline uint64_t cycles() { return HAP_perf_get_pcycles(); }
inline uint32_t cycle_count() { return static_cast<uint32_t>(cycles()); }
inline uint64_t microseconds() { return HAP_perf_qtimer_count_to_us(HAP_perf_get_qtimer_count()); }

// A moment after which a wait gives up. The clock is read only every 1024th question, so that it can stand in a polling loop.
class deadline {
  public:
    explicit deadline(uint64_t us) : us_(us) {}
    bool expired() {
        if (++asked_ % 1024) return false;
        if (!end_) end_ = microseconds() + us_;
        return microseconds() >= end_;
    }

  private:
    uint64_t us_;
    uint64_t end_ = 0;
    uint32_t asked_ = 0;
};

}  // namespace hexane::htp
