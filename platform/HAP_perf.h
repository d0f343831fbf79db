// platform/HAP_perf.h -- counters and time on the NPU.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <HAP_perf.h>
#else

#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

// Microseconds of a number of ticks of the 19.2 MHz system timer.
unsigned long long HAP_perf_qtimer_count_to_us(unsigned long long count);
unsigned long long HAP_perf_get_time_us(void);
int HAP_timer_sleep(unsigned long long usec);

#if defined(__hexagon__)
inline unsigned long long HAP_perf_get_qtimer_count(void) {
    unsigned long long count;
    asm volatile("%0 = c31:30" : "=r"(count));
    return count;
}
// Under qemu-hexagon both counters read 0: never divide by a difference.
inline unsigned long long HAP_perf_get_pcycles(void) {
    unsigned long long count;
    asm volatile("%0 = c15:14" : "=r"(count));
    return count;
}
#else
unsigned long long HAP_perf_get_qtimer_count(void);
unsigned long long HAP_perf_get_pcycles(void);
#endif

}  // extern "C"

#endif  // HEXANE_WITH_SDK
