// virtual/strict/schedule.h -- delays by a seed: the order in which threads come to their pushes, pops, flushes and barriers.
#pragma once

#include <stdint.h>

namespace hexane::virt::strict {

// Of one thread. The same seed and stream give the same choices.
class schedule {
  public:
    schedule(uint32_t seed, uint32_t stream);

    uint32_t next();
    // True once in `n` calls on average.
    bool once_in(uint32_t n) { return next() % n == 0; }
    // Nothing most of the time; else gives the processor away, or sleeps for up to a few hundred microseconds.
    void delay();

  private:
    uint64_t state_;
};

}  // namespace hexane::virt::strict
