// tests/harness/problem.cpp -- building, filling, judging.
#include "tests/harness/problem.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "formats/tiled_tensor.h"
#include "tests/harness/verdict.h"

namespace hexane::testing {

namespace {

constexpr size_t graph_bytes = 64 * 1024;

ggml_context *new_context() { return ggml_init({graph_bytes, nullptr, true}); }

double draw_special(generator &g, const distribution &d) {
    constexpr double inf = INFINITY;
    static const double list[] = {0.0,  -0.0, inf,   -inf,  NAN,    1e-40, -1e-40, 6e-8, -6e-8, 6e4,
                                  -6e4, 3e38, -3e38, 88.45, -88.45, 150,   -150,   1,    -1,    1e-30};
    return g.below(2) ? list[g.below(std::size(list))] : g.uniform(d.low, d.high);
}

double draw(generator &g, const distribution &d) {
    switch (d.which) {
        case distribution::normal: return d.low + d.high * g.normal();
        case distribution::spread:
            return (g.below(2) ? 1 : -1) * std::exp(g.uniform(std::log(d.low), std::log(d.high)));
        case distribution::nonzero: return (g.below(2) ? 1 : -1) * g.uniform(d.low, d.high);
        case distribution::special: return draw_special(g, d);
        case distribution::holes: return g.below(500) ? g.uniform(d.low, d.high) : std::nan("");
        case distribution::uniform:
        case distribution::index: break;
    }
    return g.uniform(d.low, d.high);
}

// Random quants, and scales with both signs over a few binades.
void fill_quantised(std::vector<uint8_t> &bytes, generator &g, size_t block_bytes) {
    for (size_t at = 0; at + block_bytes <= bytes.size(); at += block_bytes) {
        for (size_t i = 2; i < block_bytes; ++i) bytes[at + i] = static_cast<uint8_t>(g.next());
        encode(GGML_TYPE_F16, (g.below(2) ? 1 : -1) * std::exp2(g.uniform(-9, -5)), &bytes[at]);
    }
}

bool is_float(ggml_type type) { return type == GGML_TYPE_F32 || type == GGML_TYPE_F16 || type == GGML_TYPE_BF16; }

plan::tensor_shape shape_of(const ggml_tensor *t, bool tiled) {
    plan::tensor_shape s{};
    for (int i = 0; i < 4; ++i) {
        s.ne[i] = t->ne[i];
        s.nb[i] = t->nb[i];
    }
    s.type = static_cast<uint32_t>(t->type);
    s.tiled = tiled;
    return s;
}

}  // namespace

const ggml_tensor *root_of(const ggml_tensor *t) {
    while (t->view_src) t = t->view_src;
    return t;
}

// ggml keeps the offset from the root in every view.
size_t offset_of(const ggml_tensor *t) { return t->view_src ? t->view_offs : 0; }

uint64_t extent_bytes(const ggml_tensor *t) {
    uint64_t last = 0;
    for_each_block(t, [&](size_t offset, size_t) { last = std::max<uint64_t>(last, offset); });
    return last + ggml_type_size(t->type);
}

problem::problem(const op_case &c, uint64_t seed) : case_(c), context_(new_context()), bench_(context_.get()) {
    generator g(seed);
    node_ = case_.build(bench_);
    expectations_ = expectations_of(case_, node_);
    for (const input &in : bench_.inputs) {
        const bool weight = std::find(bench_.weights.begin(), bench_.weights.end(), in.view) != bench_.weights.end();
        blocks_.push_back({in.storage, weight, std::vector<uint8_t>(c.plan_only ? 0 : ggml_nbytes(in.storage))});
        if (c.plan_only) continue;
        fill(in, g);
        if (c.non_finite) strew_non_finite(in, g);
    }
    if (c.plan_only) return;
    if (!node_->view_src) {
        blocks_.push_back({node_, false, std::vector<uint8_t>(ggml_nbytes(node_))});
        for (uint8_t &b : blocks_.back().bytes) b = static_cast<uint8_t>(g.next());
    }
    result_mask_.assign(result_block().bytes.size(), 0);
    for_each_block(node_, [&](size_t offset, size_t) {
        std::fill_n(result_mask_.begin() + static_cast<ptrdiff_t>(offset_of(node_) + offset),
                    ggml_type_size(node_->type), 1);
    });
}

std::string problem::op_name() const { return case_.op_name ? case_.op_name : ggml_op_desc(node_); }

const memory_block &problem::block_of(const ggml_tensor *t) const {
    const ggml_tensor *root = root_of(t);
    return *std::find_if(blocks_.begin(), blocks_.end(), [&](const memory_block &b) { return b.root == root; });
}

// Gaps between elements hold noise.
void problem::fill(const input &in, generator &g) {
    std::vector<uint8_t> &bytes = blocks_.back().bytes;
    for (uint8_t &b : bytes) b = static_cast<uint8_t>(g.next());
    const ggml_tensor *t = in.view;
    if (!is_plain(t->type)) return fill_quantised(bytes, g, ggml_type_size(t->type));
    std::vector<int64_t> deck(in.from.which == distribution::index ? static_cast<size_t>(in.from.high) : 0);
    for_each_block(t, [&](size_t offset, size_t number) {
        double value;
        if (deck.empty()) {
            value = draw(g, in.from);
        } else {
            const size_t card = number % static_cast<size_t>(t->ne[0]) % deck.size();
            if (card == 0) {
                std::iota(deck.begin(), deck.end(), 0);
                for (size_t i = deck.size() - 1; i > 0; --i)
                    std::swap(deck[i], deck[g.below(static_cast<uint32_t>(i + 1))]);
            }
            value = static_cast<double>(deck[card]);
        }
        encode(t->type, value, &bytes[offset_of(t) + offset]);
    });
}

// A few, so that most of the result stays finite. An infinity among activations has no meaning for weights in blocks: only NaN there.
void problem::strew_non_finite(const input &in, generator &g) {
    const ggml_tensor *t = in.view;
    if (ggml_is_quantized(t->type) || !is_float(t->type) || in.from.which == distribution::index) return;
    const bool beside_blocks = std::any_of(bench_.inputs.begin(), bench_.inputs.end(),
                                           [](const input &other) { return ggml_is_quantized(other.view->type); });
    const double list[] = {std::nan(""), INFINITY, -INFINITY};
    std::vector<uint8_t> &bytes = blocks_.back().bytes;
    std::set<size_t> places;
    for (uint32_t left = 1 + g.below(4); left > 0; --left)
        places.insert(static_cast<size_t>(g.next() % static_cast<uint64_t>(ggml_nelements(t))));
    for_each_block(t, [&](size_t offset, size_t number) {
        if (!places.count(number)) return;
        encode(t->type, list[beside_blocks ? 0 : g.below(3)], &bytes[offset_of(t) + offset]);
    });
}

const std::vector<values> &problem::expected() {
    if (!expected_.empty()) return expected_;
    std::vector<values> sources;
    for (int i = 0; i < GGML_MAX_SRC && node_->src[i]; ++i)
        sources.push_back(decoded(node_->src[i], &block_of(node_->src[i]).bytes[offset_of(node_->src[i])]));
    for (const expectation &e : expectations_) expected_.push_back(e.result(sources, node_));
    return expected_;
}

std::string problem::verdict(const std::vector<uint8_t> &after) {
    const values got = decoded(node_, &after[offset_of(node_)]);
    const std::vector<values> &want = expected();
    for (size_t i = 0; i < want.size(); ++i) {
        const std::string wrong = compare(node_, got, want[i], expectations_[i].within).wrong;
        if (!wrong.empty()) return "expectation " + std::to_string(i) + ": " + wrong;
    }
    return {};
}

std::string problem::verdict_on_neighbours(const memory_block &block, const std::vector<uint8_t> &after) const {
    const bool holds_result = &block == &result_block();
    for (size_t i = 0; i < block.bytes.size(); ++i) {
        if (after[i] == block.bytes[i] || (holds_result && result_mask_[i])) continue;
        return "byte " + std::to_string(i) + " of a " + std::to_string(block.bytes.size()) + "-byte tensor (" +
               block.root->name + ") " + (holds_result ? "lies outside the result" : "is an input") +
               " and was overwritten";
    }
    return {};
}

std::vector<uint8_t> problem::result_bytes(const std::vector<uint8_t> &block_after) const {
    std::vector<uint8_t> out;
    const size_t unit = ggml_type_size(node_->type);
    for_each_block(node_, [&](size_t offset, size_t) {
        const auto from = block_after.begin() + static_cast<ptrdiff_t>(offset_of(node_) + offset);
        out.insert(out.end(), from, from + static_cast<ptrdiff_t>(unit));
    });
    return out;
}

bool problem::is_tiled(const ggml_tensor *t, bool tile_weights) const {
    if (!tile_weights || is_plain(t->type) || t->view_src) return false;
    if (!block_of(t).weight) return false;
    return formats::tiled_shape::supports(static_cast<data_type>(t->type), static_cast<uint64_t>(t->ne[0])) &&
           t->ne[1] > 1;
}

plan::node problem::plan_node(bool tile_weights) const {
    plan::node n{};
    static_assert(sizeof n.params == sizeof node_->op_params);
    std::memcpy(n.params, node_->op_params, sizeof n.params);
    n.dst = shape_of(node_, false);
    for (uint32_t i = 0; i < max_op_sources; ++i) {
        n.src[i].type = 0xffffffffu;
        if (i >= GGML_MAX_SRC || !node_->src[i]) continue;
        n.src[i] = shape_of(node_->src[i], is_tiled(node_->src[i], tile_weights));
        n.n_src = i + 1;
    }
    return n;
}

}  // namespace hexane::testing
