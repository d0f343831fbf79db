// virtual/session/queues.h -- queues that the host exported to this process.
#pragma once

#include <stdint.h>

#include "platform/AEEStdErr.h"
#include "virtual/channel/owned_fd.h"

namespace hexane::virt::queues {

AEEResult add(uint64_t id, owned_fd memory, uint64_t bytes);
AEEResult forget(uint64_t id);

}  // namespace hexane::virt::queues
