// virtual/qemu/cxx_support.cpp -- the parts of the C++ library that are not in its headers: what libc++.so and libc++abi.so would hold.
//
// Without exceptions: what would throw ends the process with a line.
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "virtual/session/log.h"

// ---- the language

void *operator new(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) hexane::virt::die("out of memory: %zu bytes", bytes);
    return memory;
}
void *operator new[](size_t bytes) { return operator new(bytes); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }

extern "C" {

void __cxa_guard_release(uint64_t *guard);

// Guards of function-local statics: the first byte is the compiler's, set once the variable is there; the second word is a futex, 1 while
// a thread constructs it.
int __cxa_guard_acquire(uint64_t *guard) {
    auto *done = reinterpret_cast<uint8_t *>(guard);
    auto *busy = reinterpret_cast<uint32_t *>(guard) + 1;
    while (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (__atomic_exchange_n(busy, 1u, __ATOMIC_ACQUIRE) == 0) {
            if (!__atomic_load_n(done, __ATOMIC_ACQUIRE)) return 1;
            __cxa_guard_release(guard);  // it was constructed between the two looks
            return 0;
        }
        syscall(SYS_futex, busy, FUTEX_WAIT_PRIVATE, 1, nullptr);
    }
    return 0;
}
void __cxa_guard_release(uint64_t *guard) {
    auto *busy = reinterpret_cast<uint32_t *>(guard) + 1;
    __atomic_store_n(reinterpret_cast<uint8_t *>(guard), 1, __ATOMIC_RELEASE);
    __atomic_store_n(busy, 0u, __ATOMIC_RELEASE);
    syscall(SYS_futex, busy, FUTEX_WAKE_PRIVATE, INT_MAX);
}

[[noreturn]] void __cxa_pure_virtual() { hexane::virt::die("a pure virtual function was called"); }

}  // extern "C"

// ---- the library

namespace std {
void terminate() noexcept { hexane::virt::die("std::terminate"); }
}  // namespace std

_LIBCPP_BEGIN_NAMESPACE_STD

[[noreturn]] void __libcpp_verbose_abort(const char *format, ...) noexcept {
    va_list arguments;
    va_start(arguments, format);
    hexane::virt::log_line_v("fatal: ", format, arguments);
    va_end(arguments);
    abort();
}

void __throw_system_error(int error, const char *what) { hexane::virt::die("%s: error %d", what, error); }

template class basic_string<char>;

mutex::~mutex() noexcept {}
void mutex::lock() { pthread_mutex_lock(&__m_); }
bool mutex::try_lock() noexcept { return pthread_mutex_trylock(&__m_) == 0; }
void mutex::unlock() noexcept { pthread_mutex_unlock(&__m_); }

// As its inline functions expect: the mutex guards the flag, the condition says that the flag fell.
timed_mutex::timed_mutex() : __locked_(false) {}
timed_mutex::~timed_mutex() {}
void timed_mutex::lock() {
    unique_lock<mutex> guard(__m_);
    while (__locked_) __cv_.wait(guard);
    __locked_ = true;
}
bool timed_mutex::try_lock() noexcept {
    const lock_guard<mutex> guard(__m_);
    return !__locked_ && (__locked_ = true);
}
void timed_mutex::unlock() noexcept {
    const lock_guard<mutex> guard(__m_);
    __locked_ = false;
    __cv_.notify_one();
}

condition_variable::~condition_variable() {}
void condition_variable::notify_one() noexcept { pthread_cond_signal(&__cv_); }
void condition_variable::notify_all() noexcept { pthread_cond_broadcast(&__cv_); }
void condition_variable::wait(unique_lock<mutex> &lock) noexcept {
    pthread_cond_wait(&__cv_, lock.mutex()->native_handle());
}
void condition_variable::__do_timed_wait(unique_lock<mutex> &lock,
                                         chrono::time_point<chrono::system_clock, chrono::nanoseconds> until) noexcept {
    const timespec moment = std::__convert_to_timespec<timespec>(until.time_since_epoch());
    pthread_cond_timedwait(&__cv_, lock.mutex()->native_handle(), &moment);
}

// Of a thread's own data libc++ needs the functions that run at its end; nobody registers any here.
__thread_struct::__thread_struct() : __p_(nullptr) {}
__thread_struct::~__thread_struct() {}
__thread_specific_ptr<__thread_struct> &__thread_local_data() {
    static __thread_specific_ptr<__thread_struct> &data = *new __thread_specific_ptr<__thread_struct>;
    return data;
}
thread::~thread() {
    if (joinable()) terminate();
}
void thread::join() {
    pthread_join(__t_, nullptr);
    __t_ = nullptr;
}
void thread::detach() {
    pthread_detach(__t_);
    __t_ = nullptr;
}

__shared_count::~__shared_count() {}
__shared_weak_count::~__shared_weak_count() {}
// The owners together count as one weak owner; -1 is none.
void __shared_weak_count::__release_weak() noexcept {
    if (__libcpp_atomic_refcount_decrement(__shared_weak_owners_) == -1) __on_zero_shared_weak();
}
const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept { return nullptr; }

namespace chrono {
static nanoseconds read_clock(int clock) {
    timespec now;
    clock_gettime(clock, &now);
    return seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}
steady_clock::time_point steady_clock::now() noexcept { return time_point(read_clock(CLOCK_MONOTONIC)); }
system_clock::time_point system_clock::now() noexcept {
    return time_point(duration_cast<duration>(read_clock(CLOCK_REALTIME)));
}
}  // namespace chrono

_LIBCPP_END_NAMESPACE_STD
