// host/log.cpp
#include "host/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "ggml.h"

namespace hexane::host {

namespace {

std::atomic<int> verbosity{0};

ggml_log_level ggml_level(log_level level) {
    switch (level) {
        case log_level::debug: return GGML_LOG_LEVEL_DEBUG;
        case log_level::info: return GGML_LOG_LEVEL_INFO;
        case log_level::warn: return GGML_LOG_LEVEL_WARN;
        case log_level::error: return GGML_LOG_LEVEL_ERROR;
    }
    return GGML_LOG_LEVEL_ERROR;
}

}  // namespace

void log_line(log_level level, const char *format, ...) noexcept {
    char line[1024] = "ggml-hex: ";
    constexpr int prefix = 10;
    va_list arguments;
    va_start(arguments, format);
    int length = std::vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    length += prefix;
    if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
    line[length] = '\n';
    line[length + 1] = 0;

    ggml_log_callback callback = nullptr;
    void *user_data = nullptr;
    ggml_log_get(&callback, &user_data);
    try {
        if (callback) callback(ggml_level(level), line, user_data);
    } catch (...) {
        // A callback that throws is the program's business; the line is lost.
    }
}

void set_verbosity(int level) { verbosity.store(level, std::memory_order_relaxed); }
bool verbose(int level) { return verbosity.load(std::memory_order_relaxed) >= level; }

}  // namespace hexane::host
