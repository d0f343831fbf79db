// htp/pulse.h -- the sign of life of a session that works on a batch: a number in the batch's header that goes up.
//
// An op may take longer than the host's patience, or the whole machine may have slept. The host tells a session that works from one that
// cannot run by the pulse, and from one that never took the batch up by its first beat.
#pragma once

#include <stdint.h>

#include "htp/futex_lock.h"
#include "htp/status.h"
#include "platform/qurt.h"

namespace hexane::htp {

// A thread of its own, which sleeps while there is no batch. begin() and end() are called by the main thread.
class pulse {
  public:
    static constexpr uint32_t stack_bytes = 4096;

    // The lowest address of the thread's stack; it must outlive stop().
    status start(uint8_t *stack);
    void stop();

    // From now on `beats`, which the host polls, goes up; the first time at once. It must stay mapped until end().
    void begin(uint32_t *beats);
    // Nothing is written any more when it returns.
    void end();

  private:
    static void entry(void *self);
    void serve();
    void beat();

    futex_lock lock_;
    uint32_t *beats_ = nullptr;
    uint32_t state_ = 0;   // futex: resting, beating or stopping
    uint32_t asleep_ = 0;  // the thread waits for a batch: begin() has to wake it
    qurt_thread_t thread_ = 0;
    bool started_ = false;
};

}  // namespace hexane::htp
