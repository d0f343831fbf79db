// host/graph_scan.h -- first pass over a graph: what is to be computed, its key, and where the operands lie now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/batch_builder.h"
#include "host/op_table.h"

struct ggml_tensor;
struct ggml_cgraph;

namespace hexane::host {

class buffer;
class device;

// Reused for every graph; allocates nothing once it has grown. With the device locked and nothing in flight.
class graph_scan {
  public:
    explicit graph_scan(device &d) : device_(d) {}

    // Empty, or why the graph cannot run: an op or an operand that is not ours. Tensors that a node needs in block
    // layout but that lie in tiles are converted here; afterwards every node can be planned as it is described.
    std::string run(ggml_cgraph *graph);

    size_t size() const { return nodes_.size(); }
    const ggml_tensor &node(size_t i) const { return *nodes_[i]; }
    // The key of one node, and of all of them.
    std::string_view node_key(size_t i) const {
        return std::string_view(key_).substr(key_begin_[i], key_begin_[i + 1] - key_begin_[i]);
    }
    std::string_view key() const { return key_; }
    // Sources that exist, in order, then the destination.
    const operand_place *places(size_t i) const { return places_.data() + place_begin_[i]; }
    uint32_t n_places(size_t i) const { return place_begin_[i + 1] - place_begin_[i]; }

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

    device &device_;
    const ggml_tensor *current_ = nullptr;
    std::string problem_;
    std::vector<const ggml_tensor *> nodes_;
    std::string key_;
    std::vector<size_t> key_begin_;
    std::vector<operand_place> places_;
    std::vector<uint32_t> place_begin_;
};

}  // namespace hexane::host
