// tests/hvx/cpu_has_level.cpp -- exit code 0 if this CPU runs code of the level, 77 if not.
#include <cstdio>
#include <string_view>

static bool has(std::string_view level) {
#if defined(__x86_64__)
    if (level == "v2") return __builtin_cpu_supports("x86-64-v2");
    if (level == "v3") return __builtin_cpu_supports("x86-64-v3");
    if (level == "v3vnni") return __builtin_cpu_supports("x86-64-v3") && __builtin_cpu_supports("avxvnni");
    if (level == "v4") return __builtin_cpu_supports("x86-64-v4");
    if (level == "v4vnni") return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
    return false;
#else
    return level == "arm64";
#endif
}

int main(int argc, char **argv) {
    if (argc == 2 && has(argv[1])) return 0;
    std::printf("skipped: this CPU lacks level %s\n", argc == 2 ? argv[1] : "?");
    return 77;
}
