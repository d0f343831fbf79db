// fusion/step.cpp
#include "fusion/step.h"

#include <algorithm>
#include <iterator>

#include "base/saturating.h"

namespace hexane::fusion {

bool same(const operand &a, const operand &b) {
    return a.at.memory == b.at.memory && a.at.offset == b.at.offset && a.shape.type == b.shape.type &&
           a.shape.tiled == b.shape.tiled && a.shape.same_shape(b.shape) &&
           std::equal(std::begin(a.shape.nb), std::end(a.shape.nb), std::begin(b.shape.nb));
}

bool meet(const operand &a, const operand &b) {
    if (a.at.memory != b.at.memory) return false;
    return a.at.offset < base::saturating_add(b.at.offset, b.shape.extent_bytes()) &&
           b.at.offset < base::saturating_add(a.at.offset, a.shape.extent_bytes());
}

fused fuse(op_id op, const int32_t (&params)[16], const step &first, const step &second,
           std::initializer_list<source_of> sources) {
    fused f{};
    f.node.op = op;
    std::copy(std::begin(params), std::end(params), f.node.params);
    f.node.dst = second.node.dst;
    for (const source_of &s : sources) {
        f.node.src[f.node.n_src] = (s.step ? second : first).node.src[s.index];
        f.sources[f.node.n_src++] = s;
    }
    return f;
}

}  // namespace hexane::fusion
