// seam/platform/HAP_perf.h -- platform/HAP_perf.h for Hexagon code under qemu, whose counter registers read 0: the session process
// counts. Found before the device's header by the order of include folders.
#pragma once

#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

unsigned long long HAP_perf_qtimer_count_to_us(unsigned long long count);
unsigned long long HAP_perf_get_time_us(void);
int HAP_timer_sleep(unsigned long long usec);
unsigned long long HAP_perf_get_qtimer_count(void);
// Packets that the NPU library has executed, instead of cycles: virtual/qemu/packets.cpp.
unsigned long long HAP_perf_get_pcycles(void);

}  // extern "C"
