// virtual/faulty/corruption.h -- a response that is not what the session sent.
#pragma once

#include <stdint.h>

namespace hexane::virt {

// Spoils a batch_response of `*bytes` bytes: its magic, its sequence, its code, or all behind the first part, which is what is left
// of it then. A failure never becomes a success: nobody could tell.
void corrupt_response(uint8_t *message, uint32_t *bytes, uint64_t dice);

}  // namespace hexane::virt
