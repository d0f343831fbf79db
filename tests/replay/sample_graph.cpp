// tests/replay/sample_graph.cpp
#include "tests/replay/sample_graph.h"

#include <numeric>

#include <ggml-alloc.h>

#include "tests/harness/number.h"

namespace hexane::testing {

namespace {

std::vector<float> noise(int64_t count, uint64_t seed) {
    generator g(seed);
    std::vector<float> out(static_cast<size_t>(count));
    for (float &x : out) x = static_cast<float>(g.normal());
    return out;
}

void set_weights(ggml_tensor *t, uint64_t seed) {
    const std::vector<float> plain = noise(ggml_nelements(t), seed);
    std::vector<uint8_t> bytes(ggml_nbytes(t));
    ggml_quantize_chunk(t->type, plain.data(), bytes.data(), 0, ggml_nrows(t), t->ne[0], nullptr);
    ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
}

}  // namespace

sample_graph::sample_graph(ggml_backend_t backend, uint64_t seed)
    : backend_(backend),
      weight_context_(ggml_init({1u << 16, nullptr, true})),
      context_(ggml_init({1u << 20, nullptr, true})) {
    make_weights(seed);
    make_nodes();
    graph_ = ggml_new_graph(context_.get());
    for (ggml_tensor *t : nodes_) ggml_build_forward_expand(graph_, t);
    buffer_.reset(ggml_backend_alloc_ctx_tensors(context_.get(), backend_));
}

void sample_graph::make_weights(uint64_t seed) {
    ggml_context *c = weight_context_.get();
    scale_ = ggml_new_tensor_1d(c, GGML_TYPE_F32, width);
    up_ = ggml_new_tensor_2d(c, GGML_TYPE_Q8_0, width, hidden);
    gate_ = ggml_new_tensor_2d(c, GGML_TYPE_Q4_0, width, hidden);
    down_ = ggml_new_tensor_2d(c, GGML_TYPE_F16, hidden, width);
    const char *names[] = {"blk.0.norm.weight", "blk.0.up.weight", "blk.0.gate.weight", "blk.0.down.weight"};
    ggml_tensor *all[] = {scale_, up_, gate_, down_};
    weight_buffer_.reset(ggml_backend_alloc_ctx_tensors(c, backend_));
    ggml_backend_buffer_set_usage(weight_buffer_.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    for (size_t i = 0; i < 4; ++i) {
        ggml_set_name(all[i], names[i]);
        set_weights(all[i], 4 * seed + i);
    }
}

ggml_tensor *sample_graph::add(ggml_tensor *t, const char *name) {
    ggml_set_name(t, name);
    nodes_.push_back(t);
    return t;
}

void sample_graph::make_nodes() {
    ggml_context *c = context_.get();
    x_ = ggml_new_tensor_2d(c, GGML_TYPE_F32, width, rows);
    positions_ = ggml_new_tensor_1d(c, GGML_TYPE_I32, rows);
    index_ = ggml_new_tensor_1d(c, GGML_TYPE_I64, rows);
    cache_ = ggml_new_tensor_2d(c, GGML_TYPE_F16, width, cache_rows);
    ggml_set_name(cache_, "cache_k");
    ggml_tensor *norm = add(ggml_rms_norm(c, x_, 1e-5f), "norm-0");
    norm = add(ggml_mul_inplace(c, norm, scale_), "norm scaled");
    ggml_tensor *up = add(ggml_mul_mat(c, up_, norm), "up-0"), *gate = add(ggml_mul_mat(c, gate_, norm), "gate-0");
    ggml_tensor *mixed = add(ggml_swiglu_split(c, gate, up), "mixed-0");
    ggml_tensor *down = add(ggml_mul_mat(c, down_, mixed), "down-0");
    ggml_tensor *heads = ggml_reshape_3d(c, down, width / 2, 2, rows);
    ggml_tensor *turned = add(ggml_rope_inplace(c, heads, positions_, width / 2, GGML_ROPE_TYPE_NEOX), "turned-0");
    ggml_tensor *flat = ggml_reshape_2d(c, turned, width, rows);
    add(ggml_set_rows(c, cache_, flat, index_), "cached-0");
    ggml_tensor *swapped = add(ggml_cont(c, ggml_transpose(c, flat)), "swapped-0");
    ggml_tensor *halved = add(ggml_scale_inplace(c, swapped, 0.5f), "halved-0");
    // Scores against the cache: weights that are neither weights nor tiled.
    add(ggml_mul_mat(c, cache_, ggml_cont(c, ggml_transpose(c, halved))), "scores-0");
    nodes_.insert(nodes_.end() - 1, nodes_.back()->src[1]);
}

void sample_graph::set_inputs(int64_t first_row, uint64_t seed) {
    const std::vector<float> x = noise(width * rows, seed);
    ggml_backend_tensor_set(x_, x.data(), 0, x.size() * sizeof(float));
    std::vector<int32_t> positions(rows);
    std::iota(positions.begin(), positions.end(), 1000);
    ggml_backend_tensor_set(positions_, positions.data(), 0, positions.size() * sizeof(int32_t));
    std::vector<int64_t> index(rows);
    std::iota(index.begin(), index.end(), first_row);
    ggml_backend_tensor_set(index_, index.data(), 0, index.size() * sizeof(int64_t));
    const std::vector<uint8_t> zeros(ggml_nbytes(cache_));
    ggml_backend_tensor_set(cache_, zeros.data(), 0, zeros.size());
}

ggml_status sample_graph::run(uint64_t seed) {
    set_inputs(3, seed);
    return ggml_backend_graph_compute(backend_, graph_);
}

ggml_status sample_graph::run_with_bad_index() {
    set_inputs(cache_rows - 2, 9);
    return ggml_backend_graph_compute(backend_, graph_);
}

std::vector<uint8_t> sample_graph::result() const {
    std::vector<uint8_t> out(ggml_nbytes(nodes_.back()));
    ggml_backend_tensor_get(nodes_.back(), out.data(), 0, out.size());
    return out;
}

}  // namespace hexane::testing
