// kernels/stream_units.h -- the pipeline of every kernel that streams: units go DDR -> VTCM -> compute -> VTCM -> DDR, several in flight.
//
// Prologue, steady state and drain stand here once; a kernel says what its units are. Every push has its pop.
#pragma once

#include "kernels/kernel.h"

namespace hexane::kernels {

// Units in flight, and transfers that load one.
inline constexpr uint32_t most_depth = 8;
inline constexpr uint32_t most_unit_loads = 64;

// A kernel's units behind pointers to functions: one pipeline serves all of them, at the price of three calls per unit.
struct unit_steps {
    void *units;
    bool (*load)(void *units, uint32_t slot);
    void (*compute)(void *units, uint32_t slot, const vtcm_byte *const *where);
    void (*store)(void *units, uint32_t slot);
};

// Runs units through `depth` slots until there are no more, then pops the last stores. `Units` has
//   bool load(slot)            pushes the loads of the next unit into a slot, none if the data is there already; false, with nothing
//                              pushed, when there is no unit left or the op has failed
//   void compute(slot, where)  works on them: load i landed at where[i]
//   void store(slot)           pushes the stores of the unit, none if it has no result
// A slot is loaded again only after its store() was called, and computed again only after its stores have landed. So a unit's loads go
// where nothing leaves from.
// REQUIRES: the queue is empty; 1 <= depth <= most_depth; a unit has at most most_unit_loads loads, and depth units with their loads and
// stores stay below the queue's capacity.
void stream_units(dma_queue &dma, uint32_t depth, const unit_steps &steps);

template <class Units> void stream_units(dma_queue &dma, uint32_t depth, Units &units) {
    stream_units(
        dma, depth,
        {&units, [](void *u, uint32_t slot) { return static_cast<Units *>(u)->load(slot); },
         [](void *u, uint32_t slot, const vtcm_byte *const *where) { static_cast<Units *>(u)->compute(slot, where); },
         [](void *u, uint32_t slot) { static_cast<Units *>(u)->store(slot); }});
}

}  // namespace hexane::kernels
