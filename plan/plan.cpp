// plan/plan.cpp -- what planners ask of a shape.
#include "plan/plan.h"

#include <algorithm>
#include <limits>

#include "base/saturating.h"

namespace hexane::plan {

bool tensor_shape::contiguous() const {
    const uint32_t block = block_elements(dtype());
    uint64_t dense = block_bytes(dtype());
    if (ne[0] != block && nb[0] != dense) return false;
    dense = base::saturating_mul(dense, static_cast<uint64_t>(ne[0]) / block);
    for (int i = 1; i < 4; ++i) {
        if (ne[i] == 1) continue;
        if (nb[i] != dense) return false;
        dense = base::saturating_mul(dense, static_cast<uint64_t>(ne[i]));
    }
    return true;
}

int64_t tensor_shape::product(int first) const {
    int64_t n = 1;
    for (int i = first; i < 4; ++i) {
        if (ne[i] == 0) return 0;
        if (__builtin_mul_overflow(n, ne[i], &n)) n = std::numeric_limits<int64_t>::max();
    }
    return n;
}

uint64_t tensor_shape::extent_bytes() const {
    if (elements() == 0) return 0;
    const uint64_t blocks = (static_cast<uint64_t>(ne[0]) + block_elements(dtype()) - 1) / block_elements(dtype());
    uint64_t bytes = base::saturating_add(base::saturating_mul(blocks - 1, nb[0]), block_bytes(dtype()));
    for (int i = 1; i < 4; ++i)
        bytes = base::saturating_add(bytes, base::saturating_mul(static_cast<uint64_t>(ne[i] - 1), nb[i]));
    return bytes;
}

uint64_t tensor_shape::packed_bytes() const {
    return base::saturating_mul(static_cast<uint64_t>(elements()) / block_elements(dtype()), block_bytes(dtype()));
}

bool tensor_shape::overlaps_itself() const {
    struct loop {
        uint64_t stride, steps;
    };
    loop loops[4] = {{nb[0], static_cast<uint64_t>(ne[0]) / block_elements(dtype())}};
    for (int i = 1; i < 4; ++i) loops[i] = {nb[i], static_cast<uint64_t>(ne[i])};
    std::sort(loops, loops + 4, [](const loop &a, const loop &b) { return a.stride < b.stride; });
    uint64_t enclosed = block_bytes(dtype());
    for (const loop &l : loops) {
        if (l.steps <= 1) continue;
        if (l.stride < enclosed) return true;
        enclosed = base::saturating_add(enclosed, base::saturating_mul(l.steps - 1, l.stride));
    }
    return false;
}

const char *unaddressable(const tensor_shape &t) {
    if (block_bytes(t.dtype()) == 0) return "type is not known";
    for (int i = 0; i < 4; ++i) {
        if (t.ne[i] < 1) return "a dimension is empty";
        if (t.ne[i] > UINT32_MAX || t.nb[i] > UINT32_MAX) return "an extent or a stride exceeds 32 bits";
        // The step behind the last one too: loops that continue each other are found by it.
        if (t.ne[i] > 1 &&
            static_cast<uint64_t>(t.ne[i]) / (i ? 1 : block_elements(t.dtype())) * t.nb[i] > most_operand_bytes)
            return "operand exceeds 4 GiB";
    }
    if (t.ne[0] % block_elements(t.dtype()) != 0) return "a row ends within a block";
    // Loop nests tell an element that serves a whole row by its stride, and not every operand may be one.
    if (t.nb[0] == 0 && static_cast<uint64_t>(t.ne[0]) > block_elements(t.dtype()))
        return "the elements of a row coincide";
    if (t.extent_bytes() > most_operand_bytes || t.packed_bytes() > most_operand_bytes) return "operand exceeds 4 GiB";
    return nullptr;
}

}  // namespace hexane::plan
