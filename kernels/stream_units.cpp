// kernels/stream_units.cpp
#include "kernels/stream_units.h"

namespace hexane::kernels {

namespace {

// Transfers of each slot's unit that are in the queue.
struct slot_transfers {
    uint32_t loads[most_depth] = {};
    uint32_t stores[most_depth] = {};
};

void pop_stores(dma_queue &dma, uint32_t &stores) {
    for (; stores > 0; --stores) (void)dma.pop();
}

}  // namespace

void stream_units(dma_queue &dma, uint32_t depth, const unit_steps &steps) {
    slot_transfers in_queue;
    const auto load = [&](uint32_t slot) {
        const uint32_t before = dma.in_flight();
        const bool loaded = steps.load(steps.units, slot);
        in_queue.loads[slot] = dma.in_flight() - before;
        return loaded;
    };
    uint32_t loaded = 0;
    while (loaded < depth && load(loaded)) ++loaded;
    bool more = loaded == depth;
    uint32_t slot = 0;
    for (uint32_t done = 0; done < loaded; ++done) {
        pop_stores(dma, in_queue.stores[slot]);
        const vtcm_byte *where[most_unit_loads];
        for (uint32_t i = 0; i < in_queue.loads[slot]; ++i) where[i] = dma.pop();
        steps.compute(steps.units, slot, where);
        const uint32_t before = dma.in_flight();
        steps.store(steps.units, slot);
        in_queue.stores[slot] = dma.in_flight() - before;
        if (more) {
            more = load(slot);
            loaded += more;
        }
        slot = slot + 1 == depth ? 0 : slot + 1;
    }
    while (dma.in_flight() > 0) (void)dma.pop();
}

}  // namespace hexane::kernels
