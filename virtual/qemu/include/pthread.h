// pthread.h -- the C library of the session program for Hexagon: threads by clone(), locks by futex.
//
// The part of POSIX that the session's sources and libc++ use. No cancellation, and destructors of keys run at a thread's end only.
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct hexane_thread;
typedef hexane_thread *pthread_t;

struct pthread_attr_t {
    size_t stack_bytes;
};
struct pthread_mutex_t {
    uint32_t word;  // 0 free, 1 held, 2 held with waiters
};
struct pthread_cond_t {
    uint32_t sequence;
};
struct pthread_mutexattr_t {
    int type;
};
typedef uint32_t pthread_once_t;
typedef unsigned pthread_key_t;

#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_RECURSIVE 1

extern "C" {

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
// The memory of a detached thread stays until the process ends.
int pthread_detach(pthread_t thread);
[[noreturn]] void pthread_exit(void *result);
pthread_t pthread_self();
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);
int pthread_attr_destroy(pthread_attr_t *attributes);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_destroy(pthread_mutex_t *mutex);

int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
// `until` is a moment of CLOCK_REALTIME.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until);
int pthread_cond_destroy(pthread_cond_t *condition);

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

// Declared for libc++'s inline functions; nobody calls them here.
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_once(pthread_once_t *once, void (*call)());

}  // extern "C"
