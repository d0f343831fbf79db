// virtual/session/cpu_level.h -- which builds of the NPU library this processor can run.
#pragma once

#include <vector>

#include "virtual/description/device_description.h"

namespace hexane::virt {

// Best first. With a level forced, that one and lower ones.
std::vector<library_level> usable_levels(library_level forced);

}  // namespace hexane::virt
