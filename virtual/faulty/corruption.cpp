// virtual/faulty/corruption.cpp
#include "virtual/faulty/corruption.h"

#include <string.h>

#include "abi/batch.h"

namespace hexane::virt {

namespace {

constexpr status_code unknown_code = static_cast<status_code>(77);

void wrong_code(batch_response *r, uint64_t dice) {
    constexpr status_code codes[] = {status_code::internal, status_code::bad_message, status_code::dma_failed,
                                     unknown_code};
    r->code = codes[dice % 4];
    r->op_index = static_cast<uint32_t>(dice >> 8);  // of an op that does not exist, nearly always
    memset(r->reason, 'x', sizeof r->reason);        // without an end
}

}  // namespace

void corrupt_response(uint8_t *message, uint32_t *bytes, uint64_t dice) {
    if (dice % 4 == 3 || *bytes != sizeof(batch_response)) {
        memset(message + *bytes / 2, 0xa5, *bytes - *bytes / 2);
        *bytes /= 2;
        return;
    }
    batch_response r;
    memcpy(&r, message, sizeof r);
    switch (dice % 4) {
        case 0: r.magic ^= 1u << (dice >> 8) % 32; break;
        case 1: r.sequence += (dice & 4) ? 1 : -1; break;  // of the neighbour's batch
        case 2: wrong_code(&r, dice >> 2); break;
    }
    memcpy(message, &r, sizeof r);
}

}  // namespace hexane::virt
