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
    // For poll(): rounded up, capped; -1 without a limit.
    int poll_ms() const {
        if (is_never()) return -1;
        const uint64_t now = now_ns();
        if (now >= ns) return 0;
        const uint64_t ms = (ns - now + 999'999) / 1'000'000;
        return ms > 60'000 ? 60'000 : static_cast<int>(ms);
    }
};

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
