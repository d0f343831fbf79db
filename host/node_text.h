// host/node_text.h -- a step or a node of a graph as one line: op, names, extents, types, strides, separated by '|'.
#pragma once

#include <string>

struct ggml_tensor;

namespace hexane::host {

struct step;

// "MUL_MAT|blk.0.attn_q.weight x attn_norm-0 -> Qcur-0|2048:2048 x 2048:1 -> 2048:1|q4_0 x f32 -> f32|18:1152 x 4:8192
// -> 4:8192". '!' after strides: not contiguous. "NONE" for a source that is absent. A fused step has the ops of its
// nodes and all their results: "RMS_NORM+MUL|inpL x attn_norm.weight -> norm-0 -> attn_norm-0|...".
std::string step_text(const step &s);
std::string node_text(const ggml_tensor &t);

// Without the strides, for error lines.
std::string short_step_text(const step &s);
std::string short_node_text(const ggml_tensor &t);

}  // namespace hexane::host
