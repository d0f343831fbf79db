// htp/clock.h -- time on the NPU: cycles for traces, microseconds for reports and deadlines.
#pragma once

#include <stdint.h>

#include "base/running_time.h"
#include "platform/HAP_perf.h"

namespace hexane::htp {

inline uint64_t cycles() { return HAP_perf_get_pcycles(); }
inline uint32_t cycle_count() { return static_cast<uint32_t>(cycles()); }
inline uint64_t microseconds() { return HAP_perf_qtimer_count_to_us(HAP_perf_get_qtimer_count()); }

// A time after which a wait gives up; what the NPU slept through does not count. The clock is read only every 1024th question, so that it can
// stand in a polling loop.
class deadline {
  public:
    explicit deadline(uint64_t us) : us_(us) {}
    bool expired() {
        if (++asked_ % 1024) return false;
        const uint64_t now = microseconds();
        if (asked_ == 1024) waited_ = {now, longest_gap_us};
        return waited_.at(now) >= us_;
    }

  private:
    uint64_t us_;
    // Far above the time between two questions, also of a thread that others keep from its processor.
    static constexpr uint64_t longest_gap_us = 500'000;
    base::running_time waited_{0, 0};
    uint32_t asked_ = 0;
};

}  // namespace hexane::htp
