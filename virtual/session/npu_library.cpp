// virtual/session/npu_library.cpp -- CPUID, file names, dlopen.
#include "virtual/session/npu_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <charconv>
#include <optional>

#include "virtual/session/device.h"
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

std::string own_directory() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    std::string text(path, n > 0 ? static_cast<size_t>(n) : 0);
    const size_t slash = text.rfind('/');
    return slash == text.npos ? "." : text.substr(0, slash);
}

// This process's folder, then what the host's search variable lists. The only separator is ';', as on a device.
std::vector<std::string> search_directories() {
    std::vector<std::string> directories{own_directory()};
    const char *path = getenv("DSP_LIBRARY_PATH");
    if (!path) path = getenv("ADSP_LIBRARY_PATH");
    for (std::string_view rest = path ? path : ""; !rest.empty();) {
        const size_t end = std::min(rest.find(';'), rest.size());
        if (end) directories.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return directories;
}

// Version NN of "lib<name>-vNN.so"; nothing for other names.
std::optional<uint32_t> arch_suffix(std::string_view library, std::string_view *stem) {
    const size_t dash = library.rfind("-v");
    if (dash == library.npos || library.size() < dash + 6 || library.substr(library.size() - 3) != ".so") return {};
    uint32_t version = 0;
    const char *begin = library.data() + dash + 2, *end = library.data() + library.size() - 3;
    const auto [stop, error] = std::from_chars(begin, end, version);
    if (error != std::errc{} || stop != end) return {};
    *stem = library.substr(0, dash);
    return version;
}

// The library speaks its own architecture's descriptors; hardware runs libraries of its own version and of older ones.
bool adopt_arch(uint32_t version, std::string_view library) {
    session_device &d = this_device();
    const auto a = static_cast<arch>(version);
    if (!is_known(a) || a > d.description.arch) {
        log_line("%.*s does not run on v%u", static_cast<int>(library.size()), library.data(),
                 static_cast<unsigned>(d.description.arch));
        return false;
    }
    d.library_arch = a;
    return true;
}

std::vector<std::string> candidate_names(std::string_view library, std::string_view stem, bool by_arch) {
    if (!by_arch) return {std::string(library)};
    std::vector<std::string> names;
    for (const library_level level : usable_levels(this_device().description.level)) {
        names.push_back(std::string(stem) + "-native-" + to_string(level) + ".so");
    }
    return names;
}

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

skel_entry load_npu_library(std::string_view library, const char *entry) {
    std::string_view stem;
    const auto version = arch_suffix(library, &stem);
    if (version && !adopt_arch(*version, library)) return nullptr;
    if (!version) this_device().library_arch = this_device().description.arch;
    std::string tried;
    for (const std::string &name : candidate_names(library, stem, version.has_value())) {
        for (const std::string &directory : search_directories()) {
            const std::string path = directory + "/" + name;
            if (access(path.c_str(), F_OK) != 0) {
                tried += " " + path;
                continue;
            }
            void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (!handle) {
                log_line("cannot load the NPU library: %s", dlerror());
                return nullptr;
            }
            void *found = dlsym(handle, entry);
            if (!found) log_line("%s has no entry %s", path.c_str(), entry);
            return reinterpret_cast<skel_entry>(found);
        }
    }
    log_line("no NPU library for %.*s; tried:%s", static_cast<int>(library.size()), library.data(), tried.c_str());
    return nullptr;
}

}  // namespace hexane::virt
