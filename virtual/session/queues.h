// virtual/session/queues.h -- the NPU's ends of the host's queues.
#pragma once

#include <stdint.h>

#include "platform/AEEStdErr.h"
#include "virtual/channel/owned_fd.h"

namespace hexane::virt::queues {

// The host exported a queue: from now on it can be imported by its id.
AEEResult add(uint64_t id, owned_fd memory, uint64_t bytes);
// The host is done with it. AEE_EBADPARM while it is still imported.
AEEResult forget(uint64_t id);

}  // namespace hexane::virt::queues
