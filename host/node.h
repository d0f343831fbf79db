// host/node.h -- from a ggml_tensor to a planner's node.
#pragma once

#include <cstddef>
#include <string_view>

#include "host/planned.h"

struct ggml_tensor;

namespace hexane::host {

// A node that only changes how bytes are looked at: NONE, RESHAPE, VIEW, PERMUTE, TRANSPOSE.
bool is_layout_only(const ggml_tensor &t);
// A node whose result has no elements, or a SET_ROWS of no rows.
bool writes_nothing(const ggml_tensor &t);
// Nothing to compute: layout only, nothing written, or not marked for computation.
bool is_skipped(const ggml_tensor &t);

// One more than the index of the last source.
uint32_t count_sources(const ggml_tensor &t);

tensor_shape shape_of(const ggml_tensor &t, bool tiled);
inline constexpr tensor_shape absent_shape{{0, 0, 0, 0}, {0, 0, 0, 0}, 0xffffffffu, 0};

// Bytes of a node that carry meaning: all but the sources that it does not have. They follow each other from its first
// byte, without padding, so they are its key.
constexpr size_t node_bytes(uint32_t n_src) { return offsetof(node, src) + n_src * sizeof(tensor_shape); }
inline std::string_view key_of(const node &n) { return {reinterpret_cast<const char *>(&n), node_bytes(n.n_src)}; }

// Fills the first node_bytes() of `out`, with every tensor in block layout; the caller sets `tiled` where it knows
// better.
void fill_node(const ggml_tensor &t, op_id op, node *out);
// The same as a whole node, absent sources included.
node make_node(const ggml_tensor &t, op_id op);
// A whole node from its key.
node node_from_key(std::string_view key);

}  // namespace hexane::host
