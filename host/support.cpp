// host/support.cpp
#include "host/support.h"

#include <string>

#include "ggml.h"
#include "host/buffer.h"
#include "host/device.h"
#include "host/log.h"
#include "host/node.h"
#include "host/node_text.h"
#include "host/tensor_place.h"
#include "host/tile_map.h"

namespace hexane::host {

namespace {

// Whether this source lies in tiles now, in a way that a kernel can address.
bool is_tiled(const ggml_tensor &t) {
    if (block_elements(static_cast<data_type>(t.type)) == 1 || !t.data) return false;
    const buffer *b = buffer_of(t);
    if (!b) return false;
    const uint64_t offset = b->offset_of(t);
    const auto region = b->region_at(offset);
    return region && tiled_view_offset(*region, t, offset);
}

// Empty, or why the node is not taken.
std::string rejection(device &d, const ggml_tensor &t) {
    if (d.ops().excludes(t)) return "kept off the NPU by GGML_HEXAGON_OPFILTER or _MM_SELECT";
    if (is_layout_only(t) || writes_nothing(t)) return {};
    const op_entry *op = d.ops().find(t);
    if (!op) return "no such op on the NPU";
    node n;
    fill_node(t, op->id, &n);
    bool any_tiled = false;
    for (uint32_t i = 0; i < n.n_src; ++i) {
        n.src[i].tiled = t.src[i] && is_tiled(*t.src[i]);
        any_tiled |= n.src[i].tiled != 0;
    }
    erased_plan p = d.support_plans().plan(key_of(n));
    if (!p.accepted && any_tiled) {
        for (uint32_t i = 0; i < n.n_src; ++i) n.src[i].tiled = 0;
        p = d.support_plans().plan(key_of(n));
    }
    return p.accepted ? std::string() : p.reason;
}

}  // namespace

bool supports(device &d, const ggml_tensor &t) {
    const std::string why = rejection(d, t);
    if (verbose() && !is_layout_only(t)) {
        log_line(log_level::debug, "%s supports-op %s|%s%s", d.name().c_str(), node_text(t).c_str(),
                 why.empty() ? "yes" : "no: ", why.c_str());
    }
    return why.empty();
}

}  // namespace hexane::host
