// platform/qurt.h -- the operating system of the NPU: threads, futexes, vector units, timers, caches.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <qurt.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

typedef unsigned int qurt_thread_t;
typedef uintptr_t qurt_addr_t;
typedef size_t qurt_size_t;

inline constexpr int QURT_EOK = 0;
inline constexpr int QURT_EVAL = 1;
inline constexpr int QURT_EMEM = 2;
inline constexpr int QURT_EINVALID = 4;
inline constexpr int QURT_EFAILED = 12;
inline constexpr int QURT_ENOTHREAD = 30;
inline constexpr int QURT_EFATAL = -1;

// Priority 1 is the highest, 254 the lowest usable one.
struct qurt_thread_attr_t {
    char name[16];  // NUL-terminated
    uint8_t tcb_partition;
    uint8_t stid_or_affinity;
    uint16_t priority;
    uint8_t asid_or_flags;
    uint8_t bus_priority;
    uint16_t timetest_id;
    uint32_t stack_size;
    void *stack_addr;  // lowest address, 8-aligned; the caller's, must outlive the join
    uint32_t detach_state;
};
#if UINTPTR_MAX == 0xffffffffu
static_assert(sizeof(qurt_thread_attr_t) == 36 && offsetof(qurt_thread_attr_t, stack_size) == 24);
#endif

inline void qurt_thread_attr_init(qurt_thread_attr_t *attr) {
    *attr = qurt_thread_attr_t{};
    attr->priority = 254;
    attr->bus_priority = 255;
    attr->timetest_id = 0xfffe;
}
// Keeps the first 15 characters.
inline void qurt_thread_attr_set_name(qurt_thread_attr_t *attr, const char *name) {
    size_t n = 0;
    for (; n + 1 < sizeof(attr->name) && name[n]; ++n) attr->name[n] = name[n];
    attr->name[n] = 0;
}
inline void qurt_thread_attr_set_stack_size(qurt_thread_attr_t *attr, uint32_t bytes) { attr->stack_size = bytes; }
inline void qurt_thread_attr_set_stack_addr(qurt_thread_attr_t *attr, void *lowest) { attr->stack_addr = lowest; }
inline void qurt_thread_attr_set_priority(qurt_thread_attr_t *attr, unsigned short priority) {
    attr->priority = priority;
}

int qurt_thread_create(qurt_thread_t *thread, qurt_thread_attr_t *attr, void (*entry)(void *), void *argument);
// 0, or QURT_ENOTHREAD for a thread that is already gone.
int qurt_thread_join(unsigned int thread, int *status);
void qurt_thread_exit(int status);
qurt_thread_t qurt_thread_get_id(void);
int qurt_thread_get_priority(qurt_thread_t thread);
int qurt_thread_set_priority(qurt_thread_t thread, unsigned short priority);

// Sleeps while *lock == value; may return without a wake, so the caller looks again.
int qurt_futex_wait(void *lock, int value);
// Returns how many were woken.
int qurt_futex_wake(void *lock, int n_to_wake);

struct qurt_sysenv_max_hthreads_t {
    unsigned int max_hthreads;
};
int qurt_sysenv_get_max_hw_threads(qurt_sysenv_max_hthreads_t *max);

// Bits 15:8 hold the number of 128-byte vector contexts, bits 7:0 that of 64-byte ones.
int qurt_hvx_get_units(void);
int qurt_hvx_lock(unsigned char mode);  // 0: 64-byte mode, 1: 128-byte mode
int qurt_hvx_unlock(void);

enum qurt_mem_cache_op_t : int {
    QURT_MEM_CACHE_FLUSH = 0,
    QURT_MEM_CACHE_INVALIDATE = 1,
    QURT_MEM_CACHE_FLUSH_INVALIDATE = 2,
    QURT_MEM_CACHE_FLUSH_ALL = 3,
    QURT_MEM_CACHE_FLUSH_INVALIDATE_ALL = 4,
};
enum qurt_mem_cache_type_t : int { QURT_MEM_ICACHE = 0, QURT_MEM_DCACHE = 1 };
int qurt_mem_cache_clean(qurt_addr_t address, qurt_size_t bytes, int op, int type);

void qurt_pmu_set(int reg, unsigned int value);
unsigned int qurt_pmu_get(int reg);
void qurt_pmu_enable(int on);

int qurt_sleep(unsigned long long usec);
int qurt_timer_sleep(unsigned long long usec);

}  // extern "C"

#endif  // HEXANE_WITH_SDK
