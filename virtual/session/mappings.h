// virtual/session/mappings.h -- memory that the host made known, and where this process has mapped it.
#pragma once

#include <stdint.h>

#include "virtual/channel/owned_fd.h"
#include "virtual/channel/queue_end.h"

namespace hexane::virt::mappings {

// By the host's requests. AEE codes.
AEEResult add(int host_fd, owned_fd memory, uint64_t bytes, bool map_now);
AEEResult remove(int host_fd);

// Bytes that are mapped now, all kinds together.
uint64_t mapped_bytes();

// Checks and translates the buffers of packets.
buffer_table &packet_buffers();

}  // namespace hexane::virt::mappings
