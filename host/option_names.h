// host/option_names.h -- variables that look like ours and are none: a misspelt name would otherwise do nothing, silently.
#pragma once

#include <string>
#include <vector>

namespace hexane::host {

// A line for each name that begins with GGML_HEXAGON_ and that neither the plug-in nor the virtual Snapdragon reads, with the nearest
// name that is read.
std::vector<std::string> lines_about_names(const std::vector<std::string> &names);

// The names of the process's environment.
std::vector<std::string> environment_names();

}  // namespace hexane::host
