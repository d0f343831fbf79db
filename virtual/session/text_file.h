// virtual/session/text_file.h -- files of /proc as text.
#pragma once

#include <string>

namespace hexane::virt {

// The whole file; empty when it cannot be read.
std::string read_text_file(const char *path);

}  // namespace hexane::virt
