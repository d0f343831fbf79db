// virtual/session/compute_resource.h -- who holds VTCM.
#pragma once

#include <stdint.h>

namespace hexane::virt {

// The range touches VTCM.
bool is_vtcm(uint64_t address, uint64_t bytes);
// Somebody holds it: acquired, and in cached mode acquired for work.
bool vtcm_is_held();

// Where it is; null and 0 before it was acquired first.
struct vtcm_place {
    uint8_t *base;
    uint64_t bytes;
};
vtcm_place place_of_vtcm();

}  // namespace hexane::virt
