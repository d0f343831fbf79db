// tests/harness/problem.h -- a case with its graph built and its inputs filled, and the verdict on a result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "tests/harness/op_case.h"

namespace hexane::testing {

// A tensor that is allocated, with the bytes that it holds before the op runs.
struct memory_block {
    ggml_tensor *root;
    bool weight;
    std::vector<uint8_t> bytes;
};

class problem {
  public:
    // Everything follows from the seed.
    problem(const op_case &c, uint64_t seed);

    const op_case &of() const { return case_; }
    ggml_tensor *node() const { return node_; }
    ggml_context *context() const { return context_.get(); }
    std::string op_name() const;

    const std::vector<memory_block> &blocks() const { return blocks_; }
    // The block that a tensor of the graph lies in.
    const memory_block &block_of(const ggml_tensor *t) const;
    const memory_block &result_block() const { return block_of(node_); }

    // The node as planners see it; weights are tiled if `tile_weights`.
    plan::node plan_node(bool tile_weights) const;
    bool is_tiled(const ggml_tensor *t, bool tile_weights) const;

    // Empty if the result block's bytes after the run are right, else what is wrong with them.
    std::string verdict(const std::vector<uint8_t> &after);
    // Empty if no byte outside the result has changed.
    std::string verdict_on_neighbours(const memory_block &block, const std::vector<uint8_t> &after) const;
    // The bytes of the result's elements, in index order.
    std::vector<uint8_t> result_bytes(const std::vector<uint8_t> &block_after) const;

  private:
    struct release {
        void operator()(ggml_context *c) const { ggml_free(c); }
    };

    void fill(const input &in, generator &g);
    void strew_non_finite(const input &in, generator &g);
    const std::vector<values> &expected();

    const op_case &case_;
    std::unique_ptr<ggml_context, release> context_;
    workbench bench_;
    ggml_tensor *node_ = nullptr;
    std::vector<memory_block> blocks_;
    std::vector<uint8_t> result_mask_;  // over the result's block: 1 where a byte belongs to the result
    std::vector<expectation> expectations_;
    std::vector<values> expected_;  // one per expectation, computed when first needed
};

// The allocated tensor under a view, and the byte offset within it.
const ggml_tensor *root_of(const ggml_tensor *t);
size_t offset_of(const ggml_tensor *t);

// Bytes from the first element of a tensor to the end of its last one.
uint64_t extent_bytes(const ggml_tensor *t);

}  // namespace hexane::testing
