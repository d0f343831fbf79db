// tests/replay/sample_graph.h -- a small piece of a model: every kind of op, in place, over views, with tiled weights and a cache.
#pragma once

#include <memory>
#include <vector>

#include <ggml-backend.h>
#include <ggml.h>

namespace hexane::testing {

class sample_graph {
  public:
    // The weights follow from `seed`.
    explicit sample_graph(ggml_backend_t backend, uint64_t seed = 1);

    // Inputs, which follow from `seed`, are set anew, so that each run with it gives the same.
    ggml_status run(uint64_t seed = 9);
    // The same graph with a row index that no row has: SET_ROWS fails.
    ggml_status run_with_bad_index();

    const std::vector<ggml_tensor *> &nodes() const { return nodes_; }  // those that compute
    std::vector<uint8_t> result() const;

    static constexpr int64_t width = 64, rows = 5, hidden = 96, cache_rows = 16;

  private:
    struct release {
        void operator()(ggml_context *c) const { ggml_free(c); }
        void operator()(ggml_backend_buffer_t b) const { ggml_backend_buffer_free(b); }
    };

    void make_weights(uint64_t seed);
    void make_nodes();
    void set_inputs(int64_t first_row, uint64_t seed);
    ggml_tensor *add(ggml_tensor *t, const char *name);

    ggml_backend_t backend_;
    std::unique_ptr<ggml_context, release> weight_context_, context_;
    std::unique_ptr<ggml_backend_buffer, release> weight_buffer_, buffer_;
    ggml_tensor *scale_, *up_, *gate_, *down_;
    ggml_tensor *x_, *positions_, *index_, *cache_;
    std::vector<ggml_tensor *> nodes_;
    ggml_cgraph *graph_ = nullptr;
};

}  // namespace hexane::testing
