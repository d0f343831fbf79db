// virtual/session/qurt.cpp -- QuRT over pthreads and futexes.
#include "platform/qurt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/strict_mode.h"

using namespace hexane::virt;

namespace {

// PC code needs more stack than Hexagon code, and signal frames with wide vectors even more.
constexpr size_t least_stack_bytes = 256u << 10;
constexpr unsigned short fastrpc_priority = 192;  // of the thread that serves invocations

struct qurt_thread {
    qurt_thread_t id = 0;
    pthread_t handle{};
    char name[16]{};
    unsigned short priority = fastrpc_priority;
    void (*entry)(void *) = nullptr;
    void *argument = nullptr;
    int status = 0;
};

struct thread_table {
    std::mutex lock;
    std::map<qurt_thread_t, std::shared_ptr<qurt_thread>> threads;
    qurt_thread_t last_id = 1;  // 1 is the thread that serves invocations
};
thread_table &the_threads() {
    static thread_table &t = *new thread_table;
    return t;
}

thread_local qurt_thread *current = nullptr;

void *run_thread(void *data) {
    current = static_cast<qurt_thread *>(data);
    name_this_thread(current->name);
    current->entry(current->argument);
    return nullptr;
}

std::shared_ptr<qurt_thread> find_thread(qurt_thread_t id) {
    thread_table &t = the_threads();
    const std::lock_guard guard(t.lock);
    const auto found = t.threads.find(id);
    return found == t.threads.end() ? nullptr : found->second;
}

int sleep_us(unsigned long long usec) {
    timespec left{static_cast<time_t>(usec / 1'000'000), static_cast<long>(usec % 1'000'000) * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {}
    return QURT_EOK;
}

}  // namespace

HEX_EXPORT int qurt_thread_create(qurt_thread_t *thread, qurt_thread_attr_t *attr, void (*entry)(void *),
                                  void *argument) {
    if (!thread || !attr || !entry || attr->priority == 0 || attr->priority > 254) return QURT_EINVALID;
    if (!attr->stack_addr || attr->stack_size == 0 || reinterpret_cast<uintptr_t>(attr->stack_addr) % 8) {
        log_line("qurt_thread_create: the caller provides the stack, 8-aligned");
        return QURT_EINVALID;
    }
    auto t = std::make_shared<qurt_thread>();
    std::copy_n(attr->name, sizeof t->name - 1, t->name);
    t->priority = attr->priority;
    t->entry = entry;
    t->argument = argument;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::max<size_t>(least_stack_bytes, attr->stack_size));
    thread_table &table = the_threads();
    const std::lock_guard guard(table.lock);
    const int error = pthread_create(&t->handle, &attributes, run_thread, t.get());
    pthread_attr_destroy(&attributes);
    if (error) return QURT_EMEM;
    t->id = ++table.last_id;
    table.threads.emplace(t->id, t);
    *thread = t->id;
    return QURT_EOK;
}

HEX_EXPORT int qurt_thread_join(unsigned int thread, int *status) {
    const auto t = find_thread(thread);
    if (!t) return QURT_ENOTHREAD;
    if (pthread_join(t->handle, nullptr) != 0) return QURT_EFAILED;
    if (status) *status = t->status;
    thread_table &table = the_threads();
    const std::lock_guard guard(table.lock);
    table.threads.erase(thread);
    return QURT_EOK;
}

HEX_EXPORT void qurt_thread_exit(int status) {
    if (current) current->status = status;
    pthread_exit(nullptr);
}

HEX_EXPORT qurt_thread_t qurt_thread_get_id(void) {
    if (!current) return 1;
    const std::lock_guard guard(the_threads().lock);  // the id is set after the thread has begun
    return current->id;
}

HEX_EXPORT int qurt_thread_get_priority(qurt_thread_t thread) {
    if (thread == 1) return fastrpc_priority;
    const auto t = find_thread(thread);
    return t ? t->priority : QURT_EFATAL;
}

HEX_EXPORT int qurt_thread_set_priority(qurt_thread_t thread, unsigned short priority) {
    const auto t = find_thread(thread);
    if (!t || priority == 0 || priority > 254) return QURT_EINVALID;
    t->priority = priority;
    return QURT_EOK;
}

HEX_EXPORT int qurt_futex_wait(void *lock, int value) {
    const long r = syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
    if (strict::is_on()) strict::may_delay();
    return r == 0 || errno == EINTR ? QURT_EOK : QURT_EVAL;
}

HEX_EXPORT int qurt_futex_wake(void *lock, int n_to_wake) {
    if (strict::is_on()) strict::may_delay();
    return static_cast<int>(syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, n_to_wake, nullptr, nullptr, 0));
}

HEX_EXPORT int qurt_sysenv_get_max_hw_threads(qurt_sysenv_max_hthreads_t *max) {
    max->max_hthreads = this_device().description.n_threads;
    return QURT_EOK;
}

HEX_EXPORT int qurt_hvx_get_units(void) { return static_cast<int>(this_device().description.n_threads << 8); }
HEX_EXPORT int qurt_hvx_lock(unsigned char mode) { return mode == 1 ? QURT_EOK : QURT_EVAL; }
HEX_EXPORT int qurt_hvx_unlock(void) { return QURT_EOK; }

HEX_EXPORT int qurt_mem_cache_clean(qurt_addr_t, qurt_size_t, int op, int type) {
    const bool known = op >= QURT_MEM_CACHE_FLUSH && op <= QURT_MEM_CACHE_FLUSH_INVALIDATE_ALL &&
                       (type == QURT_MEM_DCACHE || type == QURT_MEM_ICACHE);
    return known ? QURT_EOK : QURT_EINVALID;
}

// There are no event counters here; they read 0.
HEX_EXPORT void qurt_pmu_set(int, unsigned int) {}
HEX_EXPORT unsigned int qurt_pmu_get(int) { return 0; }
HEX_EXPORT void qurt_pmu_enable(int) {}

HEX_EXPORT int qurt_sleep(unsigned long long usec) { return sleep_us(usec); }
HEX_EXPORT int qurt_timer_sleep(unsigned long long usec) { return sleep_us(usec); }
HEX_EXPORT int HAP_timer_sleep(unsigned long long usec) { return sleep_us(usec); }
