// tests/host/plugin_life_test.cpp -- when sessions come and go, many graphs, two threads, and nothing left behind.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

using plugin_life = plugin_test;

TEST_F(plugin_life, no_session_before_work) {
    ggml_tensor *a = f32(64), *b = f32(64), *sum = ggml_add(context_, a, b), *root = ggml_sqrt(context_, a);
    EXPECT_TRUE(ggml_backend_supports_op(backend_, sum));
    EXPECT_TRUE(ggml_backend_supports_op(backend_, ggml_view_1d(context_, a, 8, 0)));
    EXPECT_FALSE(ggml_backend_supports_op(backend_, root));
    allocate();
    set(a, std::vector<float>(64, 1.0f));
    set(b, std::vector<float>(64, 2.0f));
    EXPECT_TRUE(session_processes().empty());
    ASSERT_EQ(compute(sum), GGML_STATUS_SUCCESS);
    EXPECT_EQ(session_processes().size(), 1u);
    EXPECT_EQ(get(sum), std::vector<float>(64, 3.0f));
}

TEST_F(plugin_life, twenty_sessions_leave_nothing) {
    const auto cycle = [] {
        ggml_backend_t b = ggml_backend_hexagon_init(0);
        ggml_context *c = ggml_init({1u << 20, nullptr, true});
        ggml_tensor *x = ggml_new_tensor_1d(c, GGML_TYPE_F32, 1000), *sum = ggml_add(c, x, x);
        ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(c, b);
        ggml_backend_buffer_clear(buffer, 0);
        ggml_cgraph *g = ggml_new_graph(c);
        ggml_build_forward_expand(g, sum);
        EXPECT_EQ(ggml_backend_graph_compute(b, g), GGML_STATUS_SUCCESS);
        ggml_backend_free(b);
        ggml_backend_buffer_free(buffer);
        ggml_free(c);
    };
    ggml_backend_free(backend_);
    backend_ = nullptr;
    cycle();
    EXPECT_TRUE(session_processes().empty());
    const size_t descriptors = open_descriptors();
    for (int i = 0; i < 20; ++i) cycle();
    EXPECT_TRUE(session_processes().empty());
    EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(plugin_life, long_graphs_in_many_batches) {
    constexpr int steps = 1500;
    ggml_tensor *x = f32(64), *t = x;
    for (int i = 0; i < steps; ++i) t = ggml_add(context_, t, x);
    allocate();
    set(x, std::vector<float>(64, 1.0f));
    ggml_cgraph *g = ggml_new_graph_custom(context_, 2 * steps, false);
    ggml_build_forward_expand(g, t);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(ggml_backend_graph_compute(backend_, g), GGML_STATUS_SUCCESS);
    EXPECT_EQ(get(t), std::vector<float>(64, steps + 1.0f));
}

TEST_F(plugin_life, graphs_of_one_structure_use_their_own_tensors) {
    ggml_tensor *x[3], *sum[3];
    for (int i = 0; i < 3; ++i) x[i] = f32(100);
    for (int i = 0; i < 3; ++i) sum[i] = ggml_add(context_, x[i], x[(i + 1) % 3]);
    allocate();
    for (int i = 0; i < 3; ++i) set(x[i], std::vector<float>(100, static_cast<float>(i + 1)));
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 3; ++i) ASSERT_EQ(compute(sum[i]), GGML_STATUS_SUCCESS);
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(get(sum[i])[50], static_cast<float>(i + 1 + (i + 1) % 3 + 1));
}

TEST_F(plugin_life, nodes_that_need_nothing_cost_nothing) {
    ggml_tensor *x = f32(64, 2);
    ggml_tensor *view = ggml_transpose(context_, ggml_reshape_2d(context_, x, 32, 4));
    allocate();
    EXPECT_EQ(compute(view), GGML_STATUS_SUCCESS);
}

// Two threads with a backend each: the device serves them one after the other.
TEST_F(plugin_life, two_threads_share_a_device) {
    std::atomic<int> wrong{0};
    const auto work = [&](float value) {
        ggml_backend_t b = ggml_backend_hexagon_init(0);
        ggml_context *c = ggml_init({1u << 20, nullptr, true});
        ggml_tensor *x = ggml_new_tensor_1d(c, GGML_TYPE_F32, 500), *t = x;
        for (int i = 0; i < 30; ++i) t = ggml_add(c, t, x);
        ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(c, b);
        ggml_cgraph *g = ggml_new_graph(c);
        ggml_build_forward_expand(g, t);
        std::vector<float> in(500), out(500);
        for (int round = 0; round < 100; ++round) {
            std::fill(in.begin(), in.end(), value + static_cast<float>(round));
            ggml_backend_tensor_set(x, in.data(), 0, 2000);
            if (ggml_backend_graph_compute(b, g) != GGML_STATUS_SUCCESS) ++wrong;
            ggml_backend_tensor_get(t, out.data(), 0, 2000);
            if (out[499] != in[0] * 31) ++wrong;
        }
        ggml_backend_buffer_free(buffer);
        ggml_free(c);
        ggml_backend_free(b);
    };
    std::thread one(work, 1.0f), two(work, 2.0f);
    one.join();
    two.join();
    EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace hexane::testing
