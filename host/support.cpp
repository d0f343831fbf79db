// host/support.cpp
#include "host/support.h"

#include <atomic>
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

// Whether nobody else could run a node that writes into a buffer of ours, as SET_ROWS and CPY into a KV cache do: llama.cpp would abort.
bool must_stay(const device &d, const ggml_tensor &t) { return t.view_src && is_placed_on(d, t); }

// Empty, or why the node is not taken.
std::string rejection(device &d, const ggml_tensor &t) {
    if (is_layout_only(t) || writes_nothing(t)) return {};
    const op_entry *op = d.ops().find(t);
    if (!op) return "no such op on the NPU";
    if (d.ops().excludes(t) && !must_stay(d, t)) return "kept off the NPU by GGML_HEXAGON_OPFILTER or _MM_SELECT";
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

void tell_if_filtered(const device &d, const ggml_tensor &t) {
    static std::atomic<bool> told{false};
    if (!d.ops().excludes(t) || told.exchange(true)) return;
    log_line(
        log_level::warn,
        "%s GGML_HEXAGON_OPFILTER does not apply to %s: it writes into a buffer of this device, where no other device could run it",
        d.name().c_str(), short_node_text(t).c_str());
}

}  // namespace hexane::host
