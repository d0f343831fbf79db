// host/graph_scan.cpp
#include "host/graph_scan.h"

#include <algorithm>
#include <cstring>

#include "ggml.h"
#include "host/buffer.h"
#include "host/device.h"
#include "host/log.h"
#include "host/node.h"
#include "host/node_text.h"
#include "host/support.h"
#include "host/tensor_place.h"

namespace hexane::host {

std::string graph_scan::run(ggml_cgraph *graph) {
    // Each conversion changes how nodes before it are described, so the scan starts over; it happens once in the life
    // of a tensor.
    for (;;) {
        const outcome o = scan(graph);
        if (o == outcome::failed) return problem_;
        if (o == outcome::done) return {};
    }
}

graph_scan::outcome graph_scan::scan(ggml_cgraph *graph) {
    entries_.clear();
    nodes_.clear();
    key_.clear();
    places_.clear();
    fused_sources_.clear();
    const int n = ggml_graph_n_nodes(graph);
    ggml_tensor **all = ggml_graph_nodes(graph);
    for (int i = 0; i < n; ++i) {
        if (is_skipped(*all[i])) continue;
        if (const outcome o = add_node(*all[i]); o != outcome::done) return o;
        if (rules_.may_end_with(entries_.back().op)) fuse_last();
    }
    return outcome::done;
}

graph_scan::outcome graph_scan::fail(std::string problem) {
    problem_ = std::move(problem);
    return outcome::failed;
}

graph_scan::outcome graph_scan::add_node(const ggml_tensor &t) {
    current_ = &t;
    const op_entry *op = device_.ops().find(t);
    if (!op) return fail("an op that the NPU does not have: " + short_node_text(t));
    tell_if_filtered(device_, t);
    struct node n;
    fill_node(t, op->id, &n);
    const entry e{op->id,     static_cast<uint32_t>(nodes_.size()), 1, static_cast<uint32_t>(places_.size()), 0, 0,
                  key_.size()};
    bool any_tiled = false;
    for (uint32_t i = 0; i < n.n_src; ++i) {
        if (!t.src[i]) continue;
        if (const outcome o = add_place(*t.src[i], false, &n.src[i].tiled); o != outcome::done) return o;
        any_tiled |= n.src[i].tiled != 0;
    }
    if (const outcome o = add_place(t, true, &n.dst.tiled); o != outcome::done) return o;
    entries_.push_back(e);
    nodes_.push_back(&t);
    key_ += key_of(n);
    return any_tiled ? check_tiles(t) : outcome::done;
}

graph_scan::outcome graph_scan::add_place(const ggml_tensor &operand, bool written, uint32_t *tiled) {
    buffer *b = buffer_of(operand);
    if (!b || &b->owner() != &device_) {
        return fail("tensor " + std::string(operand.name) + " is not in a buffer of " + device_.name() + ": " +
                    short_node_text(*current_));
    }
    uint64_t offset = b->offset_of(operand);
    if (offset >= b->bytes)
        return fail("tensor " + std::string(operand.name) +
                    " lies outside of its buffer: " + short_node_text(*current_));
    if (block_elements(static_cast<data_type>(operand.type)) > 1) {
        if (const auto region = b->region_at(offset)) {
            const auto within = written ? std::nullopt : tiled_view_offset(*region, operand, offset);
            if (!within)
                return make_plain(operand, *current_,
                                  written ? "it is written" : "a view of it does not consist of whole tiles");
            offset = *within;
            *tiled = 1;
        }
    }
    places_.push_back({b, offset, in_weight_buffer(operand)});
    return outcome::done;
}

graph_scan::outcome graph_scan::check_tiles(const ggml_tensor &t) {
    const erased_plan p = device_.session_plans().plan(step_key(entries_.size() - 1));
    if (p.accepted) return outcome::done;
    for (const ggml_tensor *source : t.src) {
        buffer *b = source ? buffer_of(*source) : nullptr;
        if (b && b->region_at(b->offset_of(*source))) return make_plain(*source, t, p.reason);
    }
    return fail(p.reason + ": " + short_node_text(t));
}

step graph_scan::step(size_t i) const {
    const entry &e = entries_[i];
    if (e.n_nodes == 1) return step_of(nodes_[e.node]);
    return {{&nodes_[e.node], e.n_nodes}, {&fused_sources_[e.source], e.n_sources}};
}

void graph_scan::fuse_last() {
    while (entries_.size() > 1 && try_to_fuse_last()) {}
}

bool graph_scan::try_to_fuse_last() {
    const size_t last = entries_.size() - 1;
    // An op that is to stay off the NPU is not in a fused one either.
    const auto is_filtered = [&](const ggml_tensor *t) { return device_.ops().excludes(*t); };
    if (std::any_of(nodes_.begin() + entries_[last - 1].node, nodes_.end(), is_filtered)) return false;
    const auto f = rules_.apply(described(last - 1), described(last));
    if (!f || !device_.session_plans().plan(key_of(f->node)).accepted) return false;
    replace_last_two(*f);
    return true;
}

fusion::step graph_scan::described(size_t i) const {
    fusion::step s{};
    s.node = node_from_key(step_key(i));
    const operand_place *at = places(i);
    for (uint32_t k = 0; k < s.node.n_src; ++k) {
        if (!s.node.has_src(k)) continue;
        s.src[k] = {at->where, at->offset};
        ++at;
    }
    s.dst = {at->where, at->offset};
    return s;
}

void graph_scan::replace_last_two(const fusion::fused &f) {
    const size_t second = entries_.size() - 1, first = second - 1;
    const auto first_source = static_cast<uint32_t>(fused_sources_.size());
    operand_place kept[max_op_sources + 1];
    for (uint32_t k = 0; k < f.node.n_src; ++k) {
        const size_t from = f.sources[k].step ? second : first;
        const struct step s = step(from);
        const operand_place *at = places(from);
        for (uint32_t i = 0; i < f.sources[k].index; ++i) at += s.sources[i] != nullptr;
        kept[k] = *at;
        fused_sources_.push_back(s.sources[f.sources[k].index]);
    }
    kept[f.node.n_src] = places_.back();
    entry &e = entries_[first];
    e.op = f.node.op;
    e.n_nodes += entries_[second].n_nodes;
    e.source = first_source;
    e.n_sources = f.node.n_src;
    entries_.pop_back();
    key_.resize(e.key);
    key_ += key_of(f.node);
    places_.resize(e.place);
    places_.insert(places_.end(), kept, kept + f.node.n_src + 1);
}

graph_scan::outcome graph_scan::make_plain(const ggml_tensor &operand, const ggml_tensor &user,
                                           const std::string &why) {
    buffer *b = buffer_of(operand);
    log_line(log_level::info, "%s %s leaves the tile layout (%s): %s", device_.name().c_str(),
             operand.view_src ? operand.view_src->name : operand.name, why.c_str(), short_node_text(user).c_str());
    return b->make_plain(b->offset_of(operand)) ? outcome::again : fail("a tensor cannot leave the tile layout");
}

}  // namespace hexane::host
