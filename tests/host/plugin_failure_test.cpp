// tests/host/plugin_failure_test.cpp -- what fails says so, poisons its results, and the next graph works.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

class plugin_failure : public plugin_test {
  protected:
    // y = x + x, and the same as a graph that is long enough to be interrupted.
    void make_sum(int64_t elements, int repeats) {
        x_ = f32(elements);
        sum_ = ggml_add(context_, x_, x_);
        for (int i = 1; i < repeats; ++i) sum_ = ggml_add(context_, sum_, x_);
        allocate();
        set(x_, std::vector<float>(static_cast<size_t>(elements), 1.0f));
    }
    static bool all_nan(ggml_tensor *t) {
        for (float v : get(t)) {
            if (!std::isnan(v)) return false;
        }
        return true;
    }
    ggml_tensor *x_ = nullptr, *sum_ = nullptr;
};

TEST_F(plugin_failure, a_bad_row_index_fails_the_graph_only) {
    ggml_tensor *table = f32(64, 8), *rows = f32(64, 2), *index = ggml_new_tensor_1d(context_, GGML_TYPE_I64, 2);
    ggml_tensor *before = ggml_add(context_, rows, rows);
    ggml_tensor *stored = ggml_set_rows(context_, table, before, index);
    allocate();
    set(rows, std::vector<float>(128, 1.0f));
    const int64_t bad[2] = {3, 1000}, good[2] = {3, 4};
    ggml_backend_tensor_set(index, bad, 0, sizeof bad);
    EXPECT_EQ(compute(stored), GGML_STATUS_FAILED);
    EXPECT_EQ(lines_with("SET_ROWS"), 1u) << "one line that names the op";
    EXPECT_EQ(lines_with("(1000)"), 1u) << "and the index";
    EXPECT_TRUE(all_nan(before));
    const std::vector<pid_t> session = session_processes();
    ggml_backend_tensor_set(index, good, 0, sizeof good);
    EXPECT_EQ(compute(stored), GGML_STATUS_SUCCESS);
    EXPECT_EQ(get(before)[0], 2.0f);
    EXPECT_EQ(get(table)[4 * 64], 2.0f);
    EXPECT_EQ(session_processes(), session) << "the session is still the same";
}

TEST_F(plugin_failure, a_session_that_died_idle_is_replaced_and_no_graph_fails) {
    make_sum(1000, 3);
    ASSERT_EQ(compute(sum_), GGML_STATUS_SUCCESS);
    ASSERT_EQ(session_processes().size(), 1u);
    kill(session_processes()[0], SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(compute(sum_), GGML_STATUS_SUCCESS);
    EXPECT_EQ(lines_with("HTP0 session ended while it had nothing to do"), 1u);
    EXPECT_EQ(get(sum_)[999], 4.0f);
    EXPECT_EQ(get(x_)[0], 1.0f) << "buffers belong to this process";
}

TEST_F(plugin_failure, killed_in_the_middle) {
    make_sum(1 << 16, 500);
    // One that dies before it has begun anything is replaced, so it may take more than one.
    std::atomic<bool> failed = false;
    std::thread killer([&failed] {
        while (!failed) {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            for (pid_t p : session_processes()) kill(p, SIGKILL);
        }
    });
    ggml_cgraph *g = graph_of(sum_);
    ggml_status last = GGML_STATUS_SUCCESS;
    for (int i = 0; i < 1000 && last == GGML_STATUS_SUCCESS; ++i) last = ggml_backend_graph_compute(backend_, g);
    failed = true;
    killer.join();
    EXPECT_EQ(last, GGML_STATUS_FAILED);
    EXPECT_TRUE(all_nan(sum_));
    EXPECT_EQ(ggml_backend_graph_compute(backend_, g), GGML_STATUS_SUCCESS);
}

TEST_F(plugin_failure, a_stuck_session_is_given_up_at_the_deadline) {
    make_sum(1000, 3);
    ASSERT_EQ(compute(sum_), GGML_STATUS_SUCCESS);
    kill(session_processes().at(0), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until all its threads have stopped
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(compute(sum_), GGML_STATUS_FAILED);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
    EXPECT_EQ(lines_with("made no progress for 2 s"), 1u);
    EXPECT_EQ(lines_with("no sign of life"), 1u);
    EXPECT_EQ(compute(sum_), GGML_STATUS_SUCCESS);
    EXPECT_EQ(session_processes().size(), 1u);
}

TEST_F(plugin_failure, one_op_over_the_window_names_the_sizes) {
    size_t free = 0, total = 0;
    ggml_backend_dev_memory(ggml_backend_get_device(backend_), &free, &total);
    // Three operands in three buffers of 0.4 windows, the last one of indices; two of them fit together.
    const auto elements = static_cast<int64_t>(total / 10 * 4 / 4) / 1024;
    ggml_tensor *t[3];
    ggml_context *owners[3];
    for (int i = 0; i < 3; ++i) {
        owners[i] = ggml_init({4096, nullptr, true});
        t[i] = ggml_new_tensor_2d(owners[i], i == 2 ? GGML_TYPE_I32 : GGML_TYPE_F32, 1024, elements);
        ggml_backend_buffer_t b = ggml_backend_alloc_ctx_tensors(owners[i], backend_);
        ASSERT_NE(b, nullptr);
        buffers_.push_back(b);
    }
    const auto corner = [&](ggml_tensor *of) { return ggml_view_2d(context_, of, 1024, 4, 4096, 0); };
    ggml_tensor *fits = ggml_cpy(context_, corner(t[0]), corner(t[1])),
                *also = ggml_cpy(context_, corner(t[2]), corner(t[2]));
    ggml_tensor *beyond = ggml_set_rows(context_, corner(t[0]), corner(t[1]), ggml_view_1d(context_, t[2], 4, 0));
    ggml_backend_buffer_clear(buffers_.back(), 0);
    ggml_cgraph *both = graph_of(fits);
    ggml_build_forward_expand(both, also);
    for (ggml_tensor *v : {fits, also}) ASSERT_TRUE(ggml_backend_supports_op(backend_, v));
    for (int i = 0; i < ggml_graph_n_nodes(both); ++i) ggml_backend_view_init(ggml_graph_node(both, i));
    EXPECT_EQ(ggml_backend_graph_compute(backend_, both), GGML_STATUS_SUCCESS) << "split into two batches";
    ggml_cgraph *g = graph_of(beyond);
    for (int i = 0; i < ggml_graph_n_nodes(g); ++i) ggml_backend_view_init(ggml_graph_node(g, i));
    EXPECT_EQ(ggml_backend_graph_compute(backend_, g), GGML_STATUS_FAILED);
    EXPECT_EQ(lines_with("exceed the address window"), 1u);
    for (ggml_context *c : owners) ggml_free(c);
}

TEST_F(plugin_failure, tensors_of_another_backend_fail_the_graph) {
    ggml_tensor *a = f32(64);
    ggml_context *other = ggml_init({4096, nullptr, true});
    ggml_tensor *b = ggml_new_tensor_1d(other, GGML_TYPE_F32, 64);
    ggml_backend_buffer_t cpu = ggml_backend_alloc_ctx_tensors_from_buft(other, ggml_backend_cpu_buffer_type());
    ggml_tensor *sum = ggml_add(context_, a, b);
    allocate();
    EXPECT_EQ(compute(sum), GGML_STATUS_FAILED);
    EXPECT_EQ(lines_with("is not in a buffer of HTP0"), 1u);
    ggml_backend_buffer_free(cpu);
    ggml_free(other);
}

}  // namespace
}  // namespace hexane::testing
