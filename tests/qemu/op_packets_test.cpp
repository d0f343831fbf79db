// tests/qemu/op_packets_test.cpp -- the cycles of an op's report are packets executed in the qemu flavour: an op that is twice as large has
// about twice as many, on one thread and on two; waiting and the DMA engine do not count.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <ggml-backend.h>
#include <gtest/gtest.h>

#include "include/ggml-hexagon.h"

namespace hexane::testing {
namespace {

struct release {
    void operator()(ggml_context *c) const { ggml_free(c); }
    void operator()(ggml_backend_buffer_t b) const { ggml_backend_buffer_free(b); }
    void operator()(ggml_backend_t b) const { ggml_backend_free(b); }
};
template <class T> using owner = std::unique_ptr<T, release>;

// Cycles of the ops that ran, from the lines that GGML_HEXAGON_PROFILE=1 logs.
std::vector<unsigned> cycles;
void read_line(ggml_log_level, const char *text, void *) {
    const char *place = std::strstr(text, " cycles ");
    if (!place || std::strstr(text, "profile-op OPBATCH")) return;
    cycles.push_back(static_cast<unsigned>(std::stoul(place + std::strlen(" cycles "))));
}

// An op on rows of 4096 f32.
class computation {
  public:
    using op = ggml_tensor *(*)(ggml_context *, ggml_tensor *);
    computation(ggml_backend_t backend, op make, int64_t rows)
        : backend_(backend), context_(ggml_init({1u << 20, nullptr, true})) {
        ggml_tensor *x = ggml_new_tensor_2d(context_.get(), GGML_TYPE_F32, 4096, rows);
        ggml_tensor *y = make(context_.get(), x);
        buffer_.reset(ggml_backend_alloc_ctx_tensors(context_.get(), backend));
        const std::vector<float> ones(static_cast<size_t>(ggml_nelements(x)), 1.0f);
        ggml_backend_tensor_set(x, ones.data(), 0, ggml_nbytes(x));
        graph_ = ggml_new_graph(context_.get());
        ggml_build_forward_expand(graph_, y);
    }
    // Packets of one run.
    unsigned packets() const {
        cycles.clear();
        EXPECT_EQ(ggml_backend_graph_compute(backend_, graph_), GGML_STATUS_SUCCESS);
        EXPECT_EQ(cycles.size(), 1u);
        return cycles.empty() ? 0 : cycles[0];
    }

  private:
    ggml_backend_t backend_;
    owner<ggml_context> context_;
    owner<ggml_backend_buffer> buffer_;
    ggml_cgraph *graph_;
};

ggml_tensor *add(ggml_context *c, ggml_tensor *x) { return ggml_add(c, x, x); }
ggml_tensor *copy(ggml_context *c, ggml_tensor *x) { return ggml_cont(c, x); }

TEST(op_packets, grow_with_the_op) {
    ggml_log_set(read_line, nullptr);
    const owner<ggml_backend> backend(ggml_backend_hexagon_init(0));
    ASSERT_TRUE(backend);
    const computation once(backend.get(), add, 64), twice(backend.get(), add, 128);
    (void)once.packets();  // the first run makes what stays
    const unsigned first = once.packets(), again = once.packets(), double_size = twice.packets();
    // 64 * 4096 / 32 sums of vectors, each by a routine of some packets for each of 32 lanes; a clock in nanoseconds shows less.
    EXPECT_GT(first, 64u * 4096 / 32 * 32 * 3);
    EXPECT_LT(first, 64u * 4096 / 32 * 32 * 30);
    EXPECT_NEAR(again, first, first * 0.01);
    EXPECT_NEAR(double_size, 2.0 * first, 2.0 * first * 0.02);
}

// The other thread polls for work while the first one does an op of one row alone.
TEST(op_packets, waiting_counts_nothing) {
    ggml_log_set(read_line, nullptr);
    const owner<ggml_backend> backend(ggml_backend_hexagon_init(0));
    ASSERT_TRUE(backend);
    const computation many(backend.get(), add, 64), one(backend.get(), add, 1);
    (void)many.packets();
    const unsigned per_row = many.packets() / 64;
    for (int i = 0; i < 10; ++i) EXPECT_NEAR(one.packets(), 1.1 * per_row, 0.2 * per_row);
}

// A copy is the work of the engine, which takes more than a packet for each of its two copies of a line.
TEST(op_packets, engine_counts_nothing) {
    ggml_log_set(read_line, nullptr);
    const owner<ggml_backend> backend(ggml_backend_hexagon_init(0));
    ASSERT_TRUE(backend);
    const computation many(backend.get(), copy, 256);
    (void)many.packets();
    EXPECT_LT(many.packets(), 2 * 256u * 4096 * 4 / 128);
}

}  // namespace
}  // namespace hexane::testing
