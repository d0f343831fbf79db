// virtual/session/log.h -- lines on stderr that carry session and thread.
#pragma once

#include <stdarg.h>

namespace hexane::virt {

// What log lines begin with: "hexane-dsp[<session> <thread>]: ". Called once, before threads exist.
void set_session_name(const char *name);
const char *session_name();

// Name of the calling thread in log lines; at most 15 characters.
void set_thread_name(const char *name);
// The same, for debuggers as well. Not for the main thread, whose name is the process's.
void name_this_thread(const char *name);
const char *thread_name();

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_line_v(const char *prefix, const char *format, va_list arguments);

// A line, then the end of the process: what the NPU code did cannot go on.
[[noreturn]] void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace hexane::virt
