// host/node_text.h -- a graph node as one line: op, names, extents, types, strides, buffers, separated by '|'.
#pragma once

#include <string>

struct ggml_tensor;

namespace hexane::host {

// "MUL_MAT|blk.0.attn_q.weight x attn_norm-0 -> Qcur-0|2048:2048 x 2048:1 -> 2048:1|q4_0 x f32 -> f32|18:1152 x 4:8192
// -> 4:8192". '!' after strides: not contiguous. "NONE" for a source that is absent.
std::string node_text(const ggml_tensor &t);

// Without the strides, for error lines.
std::string short_node_text(const ggml_tensor &t);

}  // namespace hexane::host
