// host/graph_scan.h -- first pass over a graph: its steps, their keys, and where the operands lie now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fusion/rules.h"
#include "host/batch_builder.h"
#include "host/op_table.h"
#include "host/step.h"

struct ggml_cgraph;

namespace hexane::host {

class buffer;
class device;

// Reused for every graph; allocates nothing once it has grown. With the device locked and nothing in flight.
class graph_scan {
  public:
    // `rules`: the fusions to look for.
    graph_scan(device &d, fusion::rule_mask rules) : device_(d), rules_(rules) {}

    // Empty, or why the graph cannot run: an op or an operand that is not ours. Tensors that a node needs in block
    // layout but that lie in tiles are converted here; afterwards every step can be planned as it is described.
    std::string run(ggml_cgraph *graph);

    // Steps.
    size_t size() const { return entries_.size(); }
    // Valid until the next run().
    struct step step(size_t i) const;
    // The key of one step, and of all of them.
    std::string_view step_key(size_t i) const {
        const size_t end = is_last(i) ? key_.size() : entries_[i + 1].key;
        return std::string_view(key_).substr(entries_[i].key, end - entries_[i].key);
    }
    std::string_view key() const { return key_; }
    // Sources that exist, in order, then the destination.
    const operand_place *places(size_t i) const { return places_.data() + entries_[i].place; }
    uint32_t n_places(size_t i) const {
        const size_t end = is_last(i) ? places_.size() : entries_[i + 1].place;
        return static_cast<uint32_t>(end - entries_[i].place);
    }

  private:
    enum class outcome { done, again, failed };
    outcome scan(ggml_cgraph *graph);
    outcome add_node(const ggml_tensor &t);
    // Appends the place of one operand and says whether it is tiled.
    outcome add_place(const ggml_tensor &operand, bool written, uint32_t *tiled);
    // Whether the node just added is planned with its tiled operands; puts them into block layout if not.
    outcome check_tiles(const ggml_tensor &t);
    outcome make_plain(const ggml_tensor &operand, const ggml_tensor &user, const std::string &why);
    outcome fail(std::string problem);

    // The last two steps become one where a rule says so, no filter names a node of theirs, and the op that the rule
    // makes can be planned.
    void fuse_last();
    bool try_to_fuse_last();
    fusion::step described(size_t i) const;
    void replace_last_two(const fusion::fused &f);
    bool is_last(size_t i) const { return i + 1 == entries_.size(); }

    // Where the parts of a step begin.
    struct entry {
        op_id op;
        uint32_t node, n_nodes;
        uint32_t place;
        uint32_t source, n_sources;  // of a fused step: in fused_sources_
        size_t key;
    };

    device &device_;
    const fusion::rule_set rules_;
    const ggml_tensor *current_ = nullptr;
    std::string problem_;
    std::vector<entry> entries_;
    std::vector<const ggml_tensor *> nodes_;
    std::string key_;
    std::vector<operand_place> places_;
    std::vector<const ggml_tensor *> fused_sources_;
};

}  // namespace hexane::host
