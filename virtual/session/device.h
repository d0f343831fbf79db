// virtual/session/device.h -- what this process is: the described device and its own part of it. Set once by the first message.
#pragma once

#include <stdint.h>

#include "virtual/description/device_description.h"

namespace hexane::virt {

struct session_device {
    device_description description;
    uint64_t window_bytes = 0;              // what can really be mapped at once
    hexane::arch library_arch = arch::v79;  // of the NPU library that was opened: the dialect of its descriptors
    uint32_t hvx_votes = 0;                 // power votes for the vector units
};

session_device &this_device();

}  // namespace hexane::virt
