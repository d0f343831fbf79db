// tests/harness/npu/threads.cpp -- QuRT's threads, futexes and clocks over the PC's, as far as the runtime uses them.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

#include "platform/HAP_farf.h"
#include "platform/HAP_perf.h"
#include "platform/qurt.h"

namespace {

std::mutex mutex;
std::map<unsigned, std::thread> threads;
unsigned next_id = 1;

uint64_t nanoseconds() {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

}  // namespace

extern "C" {

int qurt_thread_create(qurt_thread_t *thread, qurt_thread_attr_t *, void (*entry)(void *), void *argument) {
    const std::lock_guard<std::mutex> lock(mutex);
    *thread = next_id++;
    threads.emplace(*thread, std::thread(entry, argument));
    return QURT_EOK;
}

int qurt_thread_join(unsigned int thread, int *status) {
    std::unique_lock<std::mutex> lock(mutex);
    const auto found = threads.find(thread);
    if (found == threads.end()) return QURT_ENOTHREAD;
    std::thread joined = std::move(found->second);
    threads.erase(found);
    lock.unlock();
    joined.join();
    *status = 0;
    return QURT_EOK;
}

qurt_thread_t qurt_thread_get_id(void) { return 0; }
int qurt_thread_get_priority(qurt_thread_t) { return 100; }
int qurt_hvx_lock(unsigned char) { return QURT_EOK; }
int qurt_hvx_unlock(void) { return QURT_EOK; }

int qurt_futex_wait(void *lock, int value) {
    return static_cast<int>(syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0));
}
int qurt_futex_wake(void *lock, int n) {
    return static_cast<int>(syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0));
}

// The system timer runs at 19.2 MHz.
unsigned long long HAP_perf_get_qtimer_count(void) { return nanoseconds() / 625 * 12; }
unsigned long long HAP_perf_qtimer_count_to_us(unsigned long long count) { return count * 10 / 192; }
unsigned long long HAP_perf_get_pcycles(void) { return nanoseconds(); }

void HAP_debug_v2(int, const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "%s:%d: ", file, line);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
}

}  // extern "C"
