// virtual/session/cpu_level.cpp -- CPUID.
#include "virtual/session/cpu_level.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <initializer_list>

#include "virtual/session/log.h"

namespace hexane::virt {

namespace {

struct cpu_features {
    bool v2 = false, v3 = false, v4 = false, avx_vnni = false, avx512_vnni = false;
};

#if defined(__x86_64__)

constexpr bool has(uint32_t word, std::initializer_list<int> bits) {
    for (const int bit : bits) {
        if (!(word >> bit & 1)) return false;
    }
    return true;
}

// Register state that the operating system saves: AVX needs bits 1 and 2, AVX-512 bits 5 to 7 as well.
uint64_t saved_state() {
    uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

cpu_features detect_cpu() {
    cpu_features f;
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return f;
    f.v2 = has(c, {0, 9, 13, 19, 20, 23});                // SSE3 SSSE3 CMPXCHG16B SSE4.1 SSE4.2 POPCNT
    const bool avx_words = has(c, {12, 22, 27, 28, 29});  // FMA MOVBE OSXSAVE AVX F16C
    const uint64_t saved = avx_words ? saved_state() : 0;
    uint32_t b7 = 0, c7 = 0, d7 = 0, a71 = 0, c81 = 0;
    __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
    if (a >= 1) __get_cpuid_count(7, 1, &a71, &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &c81, &d);
    f.v3 = f.v2 && avx_words && (saved & 0x06) == 0x06 && has(b7, {3, 5, 8}) && has(c81, {5});  // BMI1 AVX2 BMI2 LZCNT
    f.v4 = f.v3 && (saved & 0xe6) == 0xe6 && has(b7, {16, 17, 28, 30, 31});                     // F DQ CD BW VL
    f.avx_vnni = f.v3 && has(a71, {4});
    f.avx512_vnni = f.v4 && has(c7, {11});
    return f;
}

#else
cpu_features detect_cpu() { return {}; }
#endif

}  // namespace

std::vector<library_level> usable_levels(library_level forced) {
#if defined(__aarch64__)
    (void)forced;
    return {library_level::arm64};
#else
    const cpu_features f = detect_cpu();
    const struct {
        library_level level;
        bool usable;
    } all[] = {{library_level::v4vnni, f.avx512_vnni},
               {library_level::v4, f.v4},
               {library_level::v3vnni, f.avx_vnni},
               {library_level::v3, f.v3},
               {library_level::v2, f.v2}};
    std::vector<library_level> usable;
    for (const auto &l : all) {
        if (forced != library_level::automatic && l.level > forced) continue;
        if (l.usable)
            usable.push_back(l.level);
        else if (l.level == forced)
            log_line("this processor lacks level=%s, a lower one is used", to_string(forced));
    }
    return usable;
#endif
}

}  // namespace hexane::virt
