// tests/harness/graph_sweep.cpp -- one case through ggml's public interface, the plug-in and a session of the virtual NPU.
//
// All tensors but weights lie in one buffer with noise between them, and after the run the whole buffer is looked at.
#include <cstring>
#include <memory>

#include <ggml-backend.h>

#include "include/ggml-hexagon.h"
#include "tests/harness/sweep.h"

namespace hexane::testing {

namespace {

constexpr size_t gap_bytes = 256;

struct free_buffer {
    void operator()(ggml_backend_buffer_t b) const { ggml_backend_buffer_free(b); }
};
using buffer_owner = std::unique_ptr<ggml_backend_buffer, free_buffer>;

struct free_context {
    void operator()(ggml_context *c) const { ggml_free(c); }
};

// The backend lives as long as the test program: opening a session is the slow part.
ggml_backend_t backend() {
    static ggml_backend_t b = [] {
        ggml_backend_reg_t reg = ggml_backend_hexagon_reg();
        if (!reg || ggml_backend_reg_dev_count(reg) == 0) return ggml_backend_t{};
        return ggml_backend_dev_init(ggml_backend_reg_dev_get(reg, 0), nullptr);
    }();
    return b;
}

size_t aligned(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

class graph_run {
  public:
    explicit graph_run(problem &p) : problem_(p), context_(ggml_init({1u << 20, nullptr, true})) {}

    std::string run() {
        if (!backend()) return "the plug-in has no device";
        ggml_backend_dev_t device = ggml_backend_get_device(backend());
        const bool claimed = ggml_backend_dev_supports_op(device, problem_.node());
        if (problem_.of().rejected) return claimed ? "supports_op claims it" : "";
        if (!claimed) return problem_.of().may_be_refused ? "" : "supports_op does not claim it";
        if (!place()) return "no buffer";
        upload();
        const std::string lost = check_weights();
        if (!lost.empty()) return lost;
        return compute_twice();
    }

  private:
    bool place() {
        ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(backend());
        const size_t unit = ggml_backend_buft_get_alignment(type);
        size_t at = gap_bytes;
        for (const memory_block &b : problem_.blocks()) {
            if (b.weight) continue;
            offsets_.push_back(at);
            at = aligned(at + ggml_backend_buft_get_alloc_size(type, b.root) + gap_bytes, unit);
        }
        common_.reset(ggml_backend_buft_alloc_buffer(type, at));
        if (!common_) return false;
        whole_ = ggml_new_tensor_1d(context_.get(), GGML_TYPE_I8, static_cast<int64_t>(at));
        auto *base = static_cast<char *>(ggml_backend_buffer_get_base(common_.get()));
        ggml_backend_tensor_alloc(common_.get(), whole_, base);
        noise();
        size_t next = 0;
        for (const memory_block &b : problem_.blocks()) {
            if (b.weight && !place_weight(type, b.root)) return false;
            if (!b.weight) ggml_backend_tensor_alloc(common_.get(), b.root, base + offsets_[next++]);
        }
        for (ggml_tensor *t = ggml_get_first_tensor(node_context()); t; t = ggml_get_next_tensor(node_context(), t)) {
            if (t->view_src && !t->buffer) ggml_backend_view_init(t);
        }
        return true;
    }

    ggml_context *node_context() const { return problem_.context(); }

    bool place_weight(ggml_backend_buffer_type_t type, ggml_tensor *t) {
        weights_.emplace_back(ggml_backend_buft_alloc_buffer(type, ggml_backend_buft_get_alloc_size(type, t)));
        if (!weights_.back()) return false;
        ggml_backend_buffer_set_usage(weights_.back().get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
        return ggml_backend_tensor_alloc(weights_.back().get(), t,
                                         ggml_backend_buffer_get_base(weights_.back().get())) == GGML_STATUS_SUCCESS;
    }

    void noise() {
        generator g(1);
        std::vector<uint8_t> bytes(ggml_nbytes(whole_));
        for (uint8_t &b : bytes) b = static_cast<uint8_t>(g.next());
        ggml_backend_tensor_set(whole_, bytes.data(), 0, bytes.size());
    }

    void upload() const {
        for (const memory_block &b : problem_.blocks())
            ggml_backend_tensor_set(b.root, b.bytes.data(), 0, b.bytes.size());
    }

    std::string check_weights() const {
        for (const memory_block &b : problem_.blocks()) {
            if (download(b.root) != b.bytes)
                return "get after set of " + std::string(b.root->name) + " gives other bytes";
        }
        return {};
    }

    static std::vector<uint8_t> download(const ggml_tensor *t) {
        std::vector<uint8_t> bytes(ggml_nbytes(t));
        ggml_backend_tensor_get(t, bytes.data(), 0, bytes.size());
        return bytes;
    }

    std::string compute_twice() {
        const std::vector<uint8_t> before = download(whole_);
        std::vector<uint8_t> first;
        for (int turn = 0; turn < 2; ++turn) {
            upload();
            const ggml_status status = compute();
            if (problem_.of().fails_with) return status == GGML_STATUS_SUCCESS ? "the graph should have failed" : "";
            if (status != GGML_STATUS_SUCCESS) return "graph_compute returned " + std::to_string(status);
            const std::vector<uint8_t> block = download(problem_.result_block().root);
            const std::vector<uint8_t> bits = problem_.result_bytes(block);
            if (turn == 0) first = bits;
            if (bits != first) return "the second run gives other bits";
            const std::string wrong = problem_.verdict(block);
            if (!wrong.empty()) return wrong;
        }
        return verdict_on_neighbours(before);
    }

    ggml_status compute() {
        ggml_cgraph *graph = ggml_new_graph(context_.get());
        ggml_build_forward_expand(graph, problem_.node());
        return ggml_backend_graph_compute(backend(), graph);
    }

    std::string verdict_on_neighbours(std::vector<uint8_t> before) const {
        for (const memory_block &b : problem_.blocks()) {
            const std::vector<uint8_t> after = download(b.root);
            const std::string wrong = problem_.verdict_on_neighbours(b, after);
            if (!wrong.empty()) return wrong;
        }
        std::vector<uint8_t> after = download(whole_);
        size_t next = 0;
        for (const memory_block &b : problem_.blocks()) {
            if (b.weight) continue;
            const size_t begin = offsets_[next++];
            const size_t end =
                begin + ggml_backend_buft_get_alloc_size(ggml_backend_buffer_get_type(common_.get()), b.root);
            std::memset(&before[begin], 0, end - begin);
            std::memset(&after[begin], 0, end - begin);
        }
        return before == after ? "" : "bytes between the tensors were overwritten";
    }

    problem &problem_;
    std::unique_ptr<ggml_context, free_context> context_;
    buffer_owner common_;
    std::vector<buffer_owner> weights_;
    std::vector<size_t> offsets_;
    ggml_tensor *whole_ = nullptr;
};

}  // namespace

std::string check_graph(problem &p) { return graph_run(p).run(); }

}  // namespace hexane::testing
