// virtual/session/modules.h -- opened modules and calls into them.
#pragma once

#include <stdint.h>

#include <vector>

#include "platform/AEEStdErr.h"
#include "virtual/channel/control_socket.h"

namespace hexane::virt::modules {

// AEE codes as the NPU gives them; `answer` gets the answer's payload.
AEEResult open(const control_packet &request, std::vector<uint8_t> *answer);
AEEResult close(const control_packet &request);
AEEResult invoke(const control_packet &request, std::vector<uint8_t> *answer);

}  // namespace hexane::virt::modules
