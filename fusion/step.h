// fusion/step.h -- what a fusion rule sees of a graph's steps, and what it answers.
//
// A step is an op with its operands, as it is to run. A rule looks at two that follow each other with nothing between
// them, and says whether one op computes what both do.
//
// When may the result of the first be left unwritten? Whoever reads it later must not miss it, and ggml's public
// interface does not tell who that is: a scheduler hands a backend pieces of a graph, the use counts of the whole stay
// in ggml's own headers, and a node of a later piece, or the program itself, may read what no node of this piece does.
// So the rules go by the memory: if the second step writes its result over every byte of the first one's, these bytes
// are gone once both have run, whoever would have liked to read them, and nothing runs between the two. That is also
// how ggml's allocator lays out a result that has one use and is no output, and so every norm of a model; a result
// with another use, an output or the source of a view keeps memory of its own.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "plan/plan.h"

namespace hexane::fusion {

// Where an operand begins. Operands in different `memory` have no byte in common.
struct place {
    const void *memory;
    uint64_t offset;
};

struct operand {
    plan::tensor_shape shape;
    place at;
};

struct step {
    plan::node node;
    place src[max_op_sources];  // of the sources that exist
    place dst;

    operand source(uint32_t i) const { return {node.src[i], src[i]}; }
    operand result() const { return {node.dst, dst}; }
};

// Both are the same elements: type, shape, strides and place.
bool same(const operand &a, const operand &b);
// Whether they may have a byte in common: their extents meet.
bool meet(const operand &a, const operand &b);

// A source of a fused op is one of the first (0) or the second (1) of its steps.
struct source_of {
    uint8_t step;
    uint8_t index;
};

// The op that stands for both; its destination is that of the second.
struct fused {
    plan::node node;
    source_of sources[max_op_sources];  // n_src of them
};

// `params`: of the node, as its planner reads them.
fused fuse(op_id op, const int32_t (&params)[16], const step &first, const step &second,
           std::initializer_list<source_of> sources);

}  // namespace hexane::fusion
