// htp/futex_lock.h -- a lock over the platform's futex, for what the FastRPC thread and the main thread share.
#pragma once

#include <stdint.h>

#include "platform/qurt.h"

namespace hexane::htp {

// 0 free, 1 held, 2 held with waiters (Drepper, "Futexes are tricky", mutex 2).
class futex_lock {
  public:
    void acquire() {
        uint32_t expected = 0;
        if (__atomic_compare_exchange_n(&word_, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
        while (__atomic_exchange_n(&word_, 2u, __ATOMIC_ACQUIRE) != 0) qurt_futex_wait(&word_, 2);
    }
    void release() {
        if (__atomic_exchange_n(&word_, 0u, __ATOMIC_RELEASE) == 2) qurt_futex_wake(&word_, 1);
    }

  private:
    uint32_t word_ = 0;
};

class lock_guard {
  public:
    explicit lock_guard(futex_lock &lock) : lock_(lock) { lock_.acquire(); }
    ~lock_guard() { lock_.release(); }
    lock_guard(const lock_guard &) = delete;
    lock_guard &operator=(const lock_guard &) = delete;

  private:
    futex_lock &lock_;
};

}  // namespace hexane::htp
