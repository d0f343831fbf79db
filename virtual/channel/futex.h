// virtual/channel/futex.h -- sleeping on a 32-bit word, shared between processes or private to one, and monotonic time.
#pragma once

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "base/running_time.h"

namespace hexane::virt {

inline uint64_t now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

// A moment of CLOCK_MONOTONIC; `never` has none.
struct time_limit {
    uint64_t ns = UINT64_MAX;
    static time_limit never() { return {}; }
    static time_limit after_us(uint64_t us) { return {now_ns() + us * 1000}; }
    bool is_never() const { return ns == UINT64_MAX; }
    bool passed() const { return !is_never() && now_ns() >= ns; }
    // Of a limit that is one.
    std::chrono::nanoseconds left() const {
        const uint64_t now = now_ns();
        return std::chrono::nanoseconds(now >= ns ? 0 : ns - now);
    }
    // For poll(): rounded up, capped; -1 without a limit.
    int poll_ms() const {
        if (is_never()) return -1;
        const uint64_t now = now_ns();
        if (now >= ns) return 0;
        const uint64_t ms = (ns - now + 999'999) / 1'000'000;
        return ms > 60'000 ? 60'000 : static_cast<int>(ms);
    }
};

// Waits in slices until wait(time_limit of the slice) is true, or `us` of time in which this process could run have passed: false. So a
// process that was stopped, and the one that it waits for, have the rest of the time afterwards.
template <class Wait> bool wait_while_running(uint64_t us, Wait wait) {
    constexpr uint64_t slice_us = 100'000;
    base::running_time waited(now_ns() / 1000, 4 * slice_us);
    for (;;) {
        const uint64_t spent = waited.at(now_ns() / 1000);
        if (spent >= us) return false;
        if (wait(time_limit::after_us(us - spent < slice_us ? us - spent : slice_us))) return true;
    }
}

// Sleeps while `word` holds `value`, until a wake or the limit; may return early, so the caller looks again.
inline void futex_wait_shared(std::atomic<uint32_t> &word, uint32_t value, time_limit limit) {
    timespec until{static_cast<time_t>(limit.ns / 1'000'000'000u), static_cast<long>(limit.ns % 1'000'000'000u)};
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, limit.is_never() ? nullptr : &until, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

inline void futex_wake_shared(std::atomic<uint32_t> &word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline void spin_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace hexane::virt
