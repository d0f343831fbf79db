// host/batch_patience.h -- when to give a session up that works on a batch.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/running_time.h"

namespace hexane::host {

// What the session tells while it works (abi/batch.h).
struct batch_signs {
    uint32_t progress;   // ops finished
    uint32_t heartbeat;  // goes up while the session's processor runs
};

// The deadline counts time in which both sides could run and no op was finished. A host that was stopped does not count the gap. A session
// without a heartbeat cannot run: it is waited for longer, but not for ever.
class batch_patience {
  public:
    using clock = std::chrono::steady_clock;
    // A heartbeat is looked for this often; calls of look() may be more frequent, and should not be much rarer.
    static constexpr std::chrono::milliseconds interval{100};

    batch_patience(std::chrono::seconds deadline, clock::time_point now, batch_signs signs)
        : deadline_(deadline), seen_(signs), looked_(now), time_(in_us(now), in_us(4 * interval)) {}

    // False when patience is at its end.
    bool look(clock::time_point now, batch_signs signs) {
        if (signs.progress != seen_.progress) {
            *this = batch_patience(deadline_, now, signs);
        } else if (now - looked_ >= interval) {
            const std::chrono::microseconds passed(time_.step(in_us(now)));
            (signs.heartbeat != seen_.heartbeat ? worked_ : silent_) += passed;
            seen_ = signs;
            looked_ = now;
        }
        return worked_ <= deadline_ && worked_ + silent_ <= deadline_ + silence_limit();
    }

    // It is not known to have run at all for as long as this on top of the deadline.
    std::chrono::seconds silence_limit() const {
        return std::min<std::chrono::seconds>(2 * deadline_, std::chrono::seconds(60));
    }
    // What came to an end was this longer limit.
    bool was_silent() const { return worked_ <= deadline_; }

  private:
    static uint64_t in_us(clock::time_point t) { return in_us(t.time_since_epoch()); }
    static uint64_t in_us(clock::duration d) {
        return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(d).count());
    }

    std::chrono::seconds deadline_;
    batch_signs seen_;
    clock::time_point looked_;
    base::running_time time_;
    std::chrono::microseconds worked_{0}, silent_{0};
};

}  // namespace hexane::host
