// virtual/session/modules.h -- NPU libraries that the host opened in this process, and calls into them.
#pragma once

#include <stdint.h>

#include <vector>

#include "platform/AEEStdErr.h"
#include "virtual/channel/control_message.h"

namespace hexane::virt::modules {

// Loads the library, finds the entry and calls its open method. An AEE code; the reason of a failure is logged.
AEEResult open(const open_request &request, uint32_t *module);
AEEResult close(uint32_t module);

// Calls a method with the buffers in `payload` (control_message.h, invoke_request); the answer's payload goes to `out`.
AEEResult invoke(const std::vector<uint8_t> &payload, std::vector<uint8_t> *out);

}  // namespace hexane::virt::modules
