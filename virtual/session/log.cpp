// virtual/session/log.cpp
#include "virtual/session/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

namespace hexane::virt {

namespace {
char the_session[64] = "?";
thread_local char the_thread[16] = "?";
}  // namespace

void set_session_name(const char *name) { snprintf(the_session, sizeof the_session, "%s", name); }
const char *session_name() { return the_session; }
void set_thread_name(const char *name) { snprintf(the_thread, sizeof the_thread, "%s", name); }
void name_this_thread(const char *name) {
    set_thread_name(name);
    prctl(PR_SET_NAME, the_thread, 0, 0, 0);
}
const char *thread_name() { return the_thread; }

void log_line_v(const char *prefix, const char *format, va_list arguments) {
    char line[1024];
    size_t used =
        static_cast<size_t>(snprintf(line, sizeof line, "hexane-dsp[%s %s]: %s", the_session, the_thread, prefix));
    const int n = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    used = std::min(used + static_cast<size_t>(std::max(n, 0)), sizeof line - 2);
    while (used && line[used - 1] == '\n') --used;
    line[used] = '\n';
    (void)!write(STDERR_FILENO, line, used + 1);
}

void log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_line_v("", format, arguments);
    va_end(arguments);
}

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    log_line_v("fatal: ", format, arguments);
    va_end(arguments);
    abort();  // stops a debugger here
}

}  // namespace hexane::virt
