// base/running_time.h -- how long something was waited for, without the time in which this side itself could not run.
#pragma once

#include <stdint.h>

namespace hexane::base {

// Adds up time between looks. A gap between two looks that is longer than `longest_gap` means that this side was stopped (a machine that
// slept, SIGSTOP, a debugger), and whatever it waits for most likely too: it counts as one `longest_gap`, so that both get the rest of
// their time afterwards. The waiter looks several times per `longest_gap`. Units are the caller's.
class running_time {
  public:
    constexpr running_time(uint64_t now, uint64_t longest_gap) : last_(now), longest_gap_(longest_gap) {}

    // What passed since the look before, as it counts.
    constexpr uint64_t step(uint64_t now) {
        const uint64_t gap = now > last_ ? now - last_ : 0;
        last_ = now;
        const uint64_t counts = gap < longest_gap_ ? gap : longest_gap_;
        total_ += counts;
        return counts;
    }
    // All that has passed, with a look now.
    constexpr uint64_t at(uint64_t now) {
        step(now);
        return total_;
    }

  private:
    uint64_t last_;
    uint64_t longest_gap_;
    uint64_t total_ = 0;
};

}  // namespace hexane::base
