// host/plan.cpp -- what planners ask of a shape.
#include "host/plan.h"

namespace hexane::host {

bool tensor_shape::contiguous() const {
    const uint32_t block = block_elements(dtype());
    uint64_t dense = block_bytes(dtype());
    if (ne[0] != block && nb[0] != dense) return false;
    dense *= static_cast<uint64_t>(ne[0]) / block;
    for (int i = 1; i < 4; ++i) {
        if (ne[i] == 1) continue;
        if (nb[i] != dense) return false;
        dense *= static_cast<uint64_t>(ne[i]);
    }
    return true;
}

uint64_t tensor_shape::extent_bytes() const {
    if (elements() == 0) return 0;
    const uint64_t blocks = (static_cast<uint64_t>(ne[0]) + block_elements(dtype()) - 1) / block_elements(dtype());
    uint64_t bytes = (blocks - 1) * nb[0] + block_bytes(dtype());
    for (int i = 1; i < 4; ++i) bytes += static_cast<uint64_t>(ne[i] - 1) * nb[i];
    return bytes;
}

}  // namespace hexane::host
