// host/node.cpp
#include "host/node.h"

#include <algorithm>
#include <cstring>

#include "ggml.h"

namespace hexane::host {

static_assert(static_cast<int>(data_type::f32) == GGML_TYPE_F32 && static_cast<int>(data_type::f16) == GGML_TYPE_F16 &&
              static_cast<int>(data_type::bf16) == GGML_TYPE_BF16 &&
              static_cast<int>(data_type::q4_0) == GGML_TYPE_Q4_0 &&
              static_cast<int>(data_type::q8_0) == GGML_TYPE_Q8_0 && static_cast<int>(data_type::i8) == GGML_TYPE_I8 &&
              static_cast<int>(data_type::i16) == GGML_TYPE_I16 && static_cast<int>(data_type::i32) == GGML_TYPE_I32 &&
              static_cast<int>(data_type::i64) == GGML_TYPE_I64);
static_assert(sizeof(node::params) == GGML_MAX_OP_PARAMS && GGML_MAX_SRC <= max_op_sources);
static_assert(sizeof(node) == node_bytes(max_op_sources), "a node has no padding, it is its own key");

bool is_layout_only(const ggml_tensor &t) {
    return t.op == GGML_OP_NONE || t.op == GGML_OP_RESHAPE || t.op == GGML_OP_VIEW || t.op == GGML_OP_PERMUTE ||
           t.op == GGML_OP_TRANSPOSE;
}

bool writes_nothing(const ggml_tensor &t) {
    return ggml_is_empty(&t) || (t.op == GGML_OP_SET_ROWS && t.src[0] && ggml_is_empty(t.src[0]));
}

bool is_skipped(const ggml_tensor &t) {
    return is_layout_only(t) || writes_nothing(t) || !(t.flags & GGML_TENSOR_FLAG_COMPUTE);
}

uint32_t count_sources(const ggml_tensor &t) {
    uint32_t n = GGML_MAX_SRC;
    while (n > 0 && !t.src[n - 1]) --n;
    return n;
}

tensor_shape shape_of(const ggml_tensor &t, bool tiled) {
    tensor_shape s;
    for (int i = 0; i < 4; ++i) {
        s.ne[i] = t.ne[i];
        s.nb[i] = t.nb[i];
    }
    s.type = static_cast<uint32_t>(t.type);
    s.tiled = tiled;
    return s;
}

void fill_node(const ggml_tensor &t, op_id op, node *out) {
    out->op = op;
    out->n_src = count_sources(t);
    std::memcpy(out->params, t.op_params, sizeof out->params);
    out->dst = shape_of(t, false);
    for (uint32_t i = 0; i < out->n_src; ++i) out->src[i] = t.src[i] ? shape_of(*t.src[i], false) : absent_shape;
}

node make_node(const ggml_tensor &t, op_id op) {
    node n;
    std::fill(std::begin(n.src), std::end(n.src), absent_shape);
    fill_node(t, op, &n);
    return n;
}

node node_from_key(std::string_view key) {
    node n;
    std::fill(std::begin(n.src), std::end(n.src), absent_shape);
    std::memcpy(static_cast<void *>(&n), key.data(), std::min(key.size(), sizeof n));
    return n;
}

}  // namespace hexane::host
