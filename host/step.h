// host/step.h -- a step of a graph: one op for the NPU, and the nodes that it computes.
//
// Most steps are one node. A fused one is several: their ops in one, which writes the last result alone.
#pragma once

#include <span>

#include "ggml.h"
#include "host/node.h"

namespace hexane::host {

struct step {
    std::span<const ggml_tensor *const> nodes;    // in the order of the graph; at least one
    std::span<const ggml_tensor *const> sources;  // of the op; null: one that it does not have

    // What the step writes.
    const ggml_tensor &result() const { return *nodes.back(); }
};

// A node as a step of its own. REQUIRES: `t` outlives it.
inline step step_of(const ggml_tensor *const &t) {
    const ggml_tensor *const *sources = t->src;
    return {{&t, 1}, {sources, count_sources(*t)}};
}

}  // namespace hexane::host
