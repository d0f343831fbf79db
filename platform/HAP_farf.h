// platform/HAP_farf.h -- log lines of the NPU.
//
//   FARF(ERROR, "queue import failed: 0x%08x", error);
//
// HAP_debug_v2 is weak: an image without it drops the line.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <HAP_farf.h>
#else

#include "platform/npu_side.h"

extern "C" {

void HAP_debug_v2(int level, const char *file, int line, const char *format, ...)
    __attribute__((weak, format(printf, 4, 5)));
int HAP_setFARFRuntimeLoggingParams(unsigned int mask, const char *files[], unsigned short num_files);

}  // extern "C"

inline constexpr int HAP_LEVEL_LOW = 0;
inline constexpr int HAP_LEVEL_MEDIUM = 1;
inline constexpr int HAP_LEVEL_HIGH = 2;
inline constexpr int HAP_LEVEL_ALWAYS = 2;
inline constexpr int HAP_LEVEL_ERROR = 3;
inline constexpr int HAP_LEVEL_FATAL = 4;

#define FARF(level, ...)                                                                    \
    do {                                                                                    \
        if (HAP_debug_v2) HAP_debug_v2(HAP_LEVEL_##level, __FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

#endif  // HEXANE_WITH_SDK
