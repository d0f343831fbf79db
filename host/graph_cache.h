// host/graph_cache.h -- planned graphs by their whole structure.
//
// The key of a graph is the keys of its steps, one after the other: ops, parameters, types, shapes, strides, layouts,
// but no addresses. So the layers of a model share an entry, and a token's graph finds that of the token before. A
// scheduler that splits a model into eighty graphs keeps them all. What is fused has other keys than what is not.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/batch.h"

namespace hexane::host {

// The op of a step, ready for a batch but for the places of its operands.
struct planned_step {
    op_desc desc;            // operands numbered from 0: sources that exist, in order, then the destination
    uint32_t first_operand;  // of graph_plan::operands
    uint32_t n_operands;
    uint64_t weight_bytes;  // of src0 of a MUL_MAT, else 0
};

struct graph_plan {
    std::string key;
    std::vector<planned_step> steps;
    std::vector<tensor_desc> operands;  // offset, buffer and the weight flag are filled in per run
};

// Least recently used entries leave when the keys exceed `max_key_bytes`. Used with the device locked.
class graph_cache {
  public:
    static constexpr size_t max_key_bytes = 16u << 20;

    // Null when the graph is not known. Valid until the next insert().
    const graph_plan *find(std::string_view key);
    void insert(graph_plan plan);
    void clear();
    size_t size() const { return entries_.size(); }

  private:
    using entries = std::list<graph_plan>;
    entries entries_;  // most recently used first
    std::unordered_multimap<uint64_t, entries::iterator> by_hash_;
    size_t key_bytes_ = 0;
};

}  // namespace hexane::host
