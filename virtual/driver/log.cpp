// virtual/driver/log.cpp
#include "virtual/driver/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>

namespace hexane::virt {

void log_line(const char *format, ...) {
    char line[1024];
    constexpr char prefix[] = "libcdsprpc-virtual: ";
    const size_t start = sizeof prefix - 1;
    std::copy(prefix, prefix + start, line);
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    const size_t end = std::min(start + static_cast<size_t>(std::max(n, 0)), sizeof line - 2);
    line[end] = '\n';
    (void)!write(STDERR_FILENO, line, end + 1);
}

}  // namespace hexane::virt
