// virtual/session/npu_library.h -- finding and loading the library of a module URI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/remote.h"
#include "virtual/description/device_description.h"

namespace hexane::virt {

using skel_entry = int (*)(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);

// Builds of the NPU library that this machine runs, best first.
std::vector<library_level> usable_levels(library_level forced);

// Loads `library` (libggml-htp-v79.so means the native build of it; other names mean themselves) from this process's folder or from
// ADSP_LIBRARY_PATH, and finds `entry`. Sets the dialect of the DMA engine. Null after one log line.
skel_entry load_npu_library(std::string_view library, const char *entry);

}  // namespace hexane::virt
