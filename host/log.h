// host/log.h -- every line that the plug-in writes, through ggml's log callback.
#pragma once

namespace hexane::host {

enum class log_level { debug, info, warn, error };

// One line; "ggml-hex: " before it and the line end are added here. Any thread. Never throws. A line over 1 KiB is cut.
__attribute__((format(printf, 2, 3))) void log_line(log_level level, const char *format, ...) noexcept;

// GGML_HEXAGON_VERBOSE. Lines of level debug cost time and are written only when it is raised.
void set_verbosity(int level);
bool verbose(int level = 1);

}  // namespace hexane::host
