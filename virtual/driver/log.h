// virtual/driver/log.h -- one line on stderr per event that a developer must know of.
#pragma once

namespace hexane::virt {

// The line gets a prefix and an end; written in one system call.
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace hexane::virt
