// virtual/strict/schedule.cpp
#include "virtual/strict/schedule.h"

#include <sched.h>
#include <time.h>

namespace hexane::virt::strict {

schedule::schedule(uint32_t seed, uint32_t stream)
    : state_((uint64_t{seed} << 32 | stream) * 0x9e37'79b9'7f4a'7c15u + 1) {}

// Marsaglia's xorshift64; the upper half of the state is the better one.
uint32_t schedule::next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 32);
}

void schedule::delay() {
    const uint32_t choice = next();
    if (choice % 8 == 0) sched_yield();
    if (choice % 256 == 1) {
        const timespec pause{0, static_cast<long>(choice >> 8) % 200'000};
        nanosleep(&pause, nullptr);
    }
}

}  // namespace hexane::virt::strict
