// virtual/qemu/locks.cpp -- mutexes and condition variables over futexes.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "virtual/qemu/system_call.h"

using namespace hexane::virt;

namespace {

long wait(uint32_t *futex, uint32_t value, const timespec *until = nullptr) {
    return system_call(SYS_futex, word(futex), FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME,
                       static_cast<long>(value), word(until), 0, static_cast<long>(FUTEX_BITSET_MATCH_ANY));
}

void wake(uint32_t *futex, int n) { system_call(SYS_futex, word(futex), FUTEX_WAKE_PRIVATE, n); }

int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
    const uint32_t seen = __atomic_load_n(&condition->sequence, __ATOMIC_ACQUIRE);
    pthread_mutex_unlock(mutex);
    const long result = wait(&condition->sequence, seen, until);
    pthread_mutex_lock(mutex);
    return result == -ETIMEDOUT ? ETIMEDOUT : 0;
}

int notify(pthread_cond_t *condition, int n) {
    __atomic_fetch_add(&condition->sequence, 1, __ATOMIC_RELEASE);
    wake(&condition->sequence, n);
    return 0;
}

}  // namespace

extern "C" {

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    uint32_t expected = 0;
    return __atomic_compare_exchange_n(&mutex->word, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ? 0
                                                                                                               : EBUSY;
}

// Drepper, "Futexes are tricky", mutex 2.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (pthread_mutex_trylock(mutex) == 0) return 0;
    while (__atomic_exchange_n(&mutex->word, 2u, __ATOMIC_ACQUIRE) != 0) wait(&mutex->word, 2);
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (__atomic_exchange_n(&mutex->word, 0u, __ATOMIC_RELEASE) == 2) wake(&mutex->word, 1);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *) { return 0; }

int pthread_cond_signal(pthread_cond_t *condition) { return notify(condition, 1); }
int pthread_cond_broadcast(pthread_cond_t *condition) { return notify(condition, INT_MAX); }
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { return wait_for(condition, mutex, nullptr); }
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
    return wait_for(condition, mutex, until);
}
int pthread_cond_destroy(pthread_cond_t *) { return 0; }

}  // extern "C"
