// virtual/session/cpu_level.cpp
#include "virtual/session/cpu_level.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hexane::virt {

#if defined(__x86_64__)

namespace {

// The 256-bit form of the dot product instructions, CPUID leaf 7.1 EAX bit 4.
bool has_avx_vnni() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax >> 4 & 1);
}

}  // namespace

std::vector<library_level> usable_levels(library_level forced) {
    if (forced != library_level::automatic) return {forced};
    __builtin_cpu_init();
    // These ask the operating system too (XCR0).
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    std::vector<library_level> levels;
    if (v4 && __builtin_cpu_supports("avx512vnni")) levels.push_back(library_level::v4vnni);
    if (v4) levels.push_back(library_level::v4);
    if (v3 && has_avx_vnni()) levels.push_back(library_level::v3vnni);
    if (v3) levels.push_back(library_level::v3);
    levels.push_back(library_level::v2);
    return levels;
}

#else

std::vector<library_level> usable_levels(library_level forced) {
    return {forced == library_level::automatic ? library_level::arm64 : forced};
}

#endif

}  // namespace hexane::virt
