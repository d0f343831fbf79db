// tests/harness/plugin_test.cpp -- what holds across ops: bytes of weights, batches, sessions that come, die and go.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <ggml-backend.h>
#include <gtest/gtest.h>

#include "include/ggml-hexagon.h"
#include "tests/harness/number.h"

namespace hexane::testing {
namespace {

struct release {
    void operator()(ggml_context *c) const { ggml_free(c); }
    void operator()(ggml_backend_buffer_t b) const { ggml_backend_buffer_free(b); }
    void operator()(ggml_backend_t b) const { ggml_backend_free(b); }
};
using context_owner = std::unique_ptr<ggml_context, release>;
using buffer_owner = std::unique_ptr<ggml_backend_buffer, release>;
using backend_owner = std::unique_ptr<ggml_backend, release>;

context_owner new_context() { return context_owner(ggml_init({1u << 20, nullptr, true})); }

backend_owner new_backend() { return backend_owner(ggml_backend_hexagon_init(0)); }

std::vector<uint8_t> noise(size_t bytes, uint64_t seed) {
    generator g(seed);
    std::vector<uint8_t> out(bytes);
    for (uint8_t &b : out) b = static_cast<uint8_t>(g.next());
    return out;
}

std::vector<float> floats(size_t count, uint64_t seed) {
    generator g(seed);
    std::vector<float> out(count);
    for (float &f : out) f = static_cast<float>(g.uniform(-1, 1));
    return out;
}

void set(ggml_tensor *t, const std::vector<float> &v) {
    ggml_backend_tensor_set(t, v.data(), 0, v.size() * sizeof(float));
}

std::vector<float> get(const ggml_tensor *t) {
    std::vector<float> out(static_cast<size_t>(ggml_nelements(t)));
    ggml_backend_tensor_get(t, out.data(), 0, out.size() * sizeof(float));
    return out;
}

// Processes whose parent is this one and whose name is that of a session.
std::vector<pid_t> sessions() {
    std::vector<pid_t> list;
    DIR *proc = opendir("/proc");
    while (const dirent *entry = readdir(proc)) {
        const int pid = std::atoi(entry->d_name);
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string number, name, state;
        int parent = 0;
        if (pid > 0 && stat >> number >> name >> state >> parent && parent == getpid() && name == "(hexane-dsp)" &&
            state != "Z")
            list.push_back(pid);
    }
    closedir(proc);
    return list;
}

// As in /proc: R, S, T (stopped), Z, ...
char state_of(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    return state.empty() ? 'X' : state[0];
}

size_t open_descriptors() {
    size_t count = 0;
    DIR *fds = opendir("/proc/self/fd");
    while (readdir(fds)) ++count;
    closedir(fds);
    return count;
}

size_t shared_mappings() {
    size_t count = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) count += line.find("memfd") != std::string::npos;
    return count;
}

// y = x + x in a buffer of its own.
struct addition {
    explicit addition(ggml_backend_t b) : backend(b), ctx(new_context()) {
        x = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 1000);
        y = ggml_add(ctx.get(), x, x);
        buffer.reset(ggml_backend_alloc_ctx_tensors(ctx.get(), backend));
        set(x, floats(1000, 1));
        graph = ggml_new_graph(ctx.get());
        ggml_build_forward_expand(graph, y);
    }
    ggml_status run() const { return ggml_backend_graph_compute(backend, graph); }
    std::vector<float> result() const { return get(y); }

    ggml_backend_t backend;
    context_owner ctx;
    buffer_owner buffer;
    ggml_tensor *x, *y;
    ggml_cgraph *graph;
};

// -- weights

struct weight {
    explicit weight(ggml_type type, int64_t k, int64_t rows, int64_t slices)
        : ctx(new_context()), backend(new_backend()) {
        t = ggml_new_tensor_3d(ctx.get(), type, k, rows, slices);
        buffer.reset(ggml_backend_alloc_ctx_tensors(ctx.get(), backend.get()));
        ggml_backend_buffer_set_usage(buffer.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    }
    context_owner ctx;
    backend_owner backend;
    buffer_owner buffer;
    ggml_tensor *t;
};

struct weight_shape {
    ggml_type type;
    int64_t k, rows, slices;
};
class weights : public ::testing::TestWithParam<weight_shape> {};

// Pieces of random size at random places in random order, over each other; then reads of the same kind.
TEST_P(weights, get_gives_what_set_took) {
    const auto [type, k, rows, slices] = GetParam();
    weight w(type, k, rows, slices);
    generator g(17);
    std::vector<uint8_t> model = noise(ggml_nbytes(w.t), 5);
    ggml_backend_tensor_set(w.t, model.data(), 0, model.size());
    const auto piece = [&] {
        const size_t offset = g.next() % model.size();
        const size_t most = g.below(3) ? 200 : model.size();
        return std::pair(offset, std::min(model.size() - offset, 1 + g.next() % most));
    };
    for (uint64_t i = 0; i < 300; ++i) {
        const auto [offset, size] = piece();
        if (g.below(20) == 0) {
            std::memset(&model[offset], static_cast<int>(i), size);
            ggml_backend_tensor_memset(w.t, static_cast<uint8_t>(i), offset, size);
        } else {
            const std::vector<uint8_t> bytes = noise(size, i);
            std::memcpy(&model[offset], bytes.data(), size);
            ggml_backend_tensor_set(w.t, bytes.data(), offset, size);
        }
        const auto [from, length] = piece();
        std::vector<uint8_t> read(length);
        ggml_backend_tensor_get(w.t, read.data(), from, length);
        ASSERT_EQ(std::memcmp(read.data(), &model[from], length), 0)
            << "after " << i << " updates, " << length << " bytes at " << from;
    }
    std::vector<uint8_t> all(model.size());
    ggml_backend_tensor_get(w.t, all.data(), 0, all.size());
    EXPECT_EQ(all, model);
}

INSTANTIATE_TEST_SUITE_P(
    shapes, weights,
    ::testing::Values(weight_shape{GGML_TYPE_Q4_0, 256, 64, 1}, weight_shape{GGML_TYPE_Q4_0, 288, 33, 2},
                      weight_shape{GGML_TYPE_Q8_0, 2880, 37, 1}, weight_shape{GGML_TYPE_Q8_0, 32, 5, 3},
                      weight_shape{GGML_TYPE_F16, 100, 7, 1}),
    [](const auto &info) { return std::string(ggml_type_name(info.param.type)) + "_" + std::to_string(info.index); });

// A column of a product does not depend on which columns are computed with it.
TEST(product, columns_do_not_depend_on_each_other) {
    constexpr int64_t k = 512, n = 96, most = 130;
    const std::vector<float> x = floats(k * most, 3);
    for (const ggml_type type : {GGML_TYPE_Q4_0, GGML_TYPE_Q8_0, GGML_TYPE_F16, GGML_TYPE_F32}) {
        weight w(type, k, n, 1);
        std::vector<uint8_t> bytes(ggml_nbytes(w.t));
        ggml_quantize_chunk(type, floats(k * n, 2).data(), bytes.data(), 0, n, k, nullptr);
        ggml_backend_tensor_set(w.t, bytes.data(), 0, bytes.size());
        std::vector<float> all;
        for (const int64_t m : {most, int64_t{1}, int64_t{15}, int64_t{17}, int64_t{64}, int64_t{65}}) {
            const context_owner ctx = new_context();
            ggml_tensor *b = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, k, m);
            ggml_tensor *y = ggml_mul_mat(ctx.get(), w.t, b);
            const buffer_owner buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), w.backend.get()));
            set(b, std::vector<float>(x.begin(), x.begin() + k * m));
            ggml_cgraph *graph = ggml_new_graph(ctx.get());
            ggml_build_forward_expand(graph, y);
            ASSERT_EQ(ggml_backend_graph_compute(w.backend.get(), graph), GGML_STATUS_SUCCESS);
            const std::vector<float> got = get(y);
            if (all.empty()) all = got;
            ASSERT_EQ(std::memcmp(got.data(), all.data(), got.size() * sizeof(float)), 0)
                << ggml_type_name(type) << ", " << m << " columns";
        }
    }
}

// The same weights with many widths in one graph, wide ones first (T16).
TEST(product, many_widths_share_weights_in_one_graph) {
    constexpr int64_t k = 256, n = 64;
    weight w(GGML_TYPE_Q4_0, k, n, 1);
    std::vector<uint8_t> bytes(ggml_nbytes(w.t));
    ggml_quantize_chunk(GGML_TYPE_Q4_0, floats(k * n, 2).data(), bytes.data(), 0, n, k, nullptr);
    ggml_backend_tensor_set(w.t, bytes.data(), 0, bytes.size());
    const context_owner ctx = new_context();
    ggml_cgraph *graph = ggml_new_graph(ctx.get());
    std::vector<ggml_tensor *> inputs, products;
    for (int64_t m = 512; m > 0; m = m > 64 ? m / 2 : m - 1) {
        inputs.push_back(ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, k, m));
        products.push_back(ggml_mul_mat(ctx.get(), w.t, inputs.back()));
        ggml_build_forward_expand(graph, products.back());
    }
    const buffer_owner buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), w.backend.get()));
    const std::vector<float> x = floats(k * 512, 3);
    for (ggml_tensor *t : inputs) set(t, std::vector<float>(x.begin(), x.begin() + ggml_nelements(t)));
    ASSERT_EQ(ggml_backend_graph_compute(w.backend.get(), graph), GGML_STATUS_SUCCESS);
    const std::vector<float> widest = get(products[0]);
    for (const ggml_tensor *t : products) {
        const std::vector<float> got = get(t);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), widest.begin())) << t->ne[1] << " columns";
    }
}

// -- batches

// A chain of many ops gives the same bits as its ops one at a time.
TEST(batches, a_graph_is_its_ops_one_by_one) {
    const backend_owner backend = new_backend();
    const context_owner ctx = new_context();
    ggml_tensor *x = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, 320, 7);
    ggml_tensor *y = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, 320, 7);
    std::vector<ggml_tensor *> nodes;
    ggml_tensor *t = x;
    for (int i = 0; i < 120; ++i) {
        switch (i % 4) {
            case 0: t = ggml_add(ctx.get(), t, y); break;
            case 1: t = ggml_rms_norm(ctx.get(), t, 1e-5f); break;
            case 2: t = ggml_mul(ctx.get(), t, y); break;
            case 3: t = ggml_swiglu_split(ctx.get(), t, y); break;
        }
        nodes.push_back(t);
    }
    const buffer_owner buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), backend.get()));
    set(x, floats(320 * 7, 1));
    set(y, floats(320 * 7, 2));
    ggml_cgraph *graph = ggml_new_graph(ctx.get());
    ggml_build_forward_expand(graph, t);
    ASSERT_EQ(ggml_backend_graph_compute(backend.get(), graph), GGML_STATUS_SUCCESS);
    const std::vector<float> together = get(t);
    set(x, floats(320 * 7, 1));
    for (ggml_tensor *node : nodes) {
        ggml_cgraph *alone = ggml_new_graph_custom(ctx.get(), 4, false);
        ggml_graph_add_node(alone, node);
        ASSERT_EQ(ggml_backend_graph_compute(backend.get(), alone), GGML_STATUS_SUCCESS);
    }
    EXPECT_EQ(get(t), together);
    EXPECT_TRUE(std::isfinite(together[0]));
}

// -- a batch that takes longer than the deadline, each of its ops less. The environment of this test has a device of slow ops.

TEST(slow_device, a_long_batch_that_makes_progress_is_waited_for) {
    const backend_owner backend = new_backend();
    const context_owner ctx = new_context();
    ggml_tensor *t = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 1000);
    ggml_tensor *x = t;
    ggml_cgraph *graph = ggml_new_graph(ctx.get());
    for (int i = 0; i < 8; ++i) t = ggml_add(ctx.get(), t, x);
    ggml_build_forward_expand(graph, t);
    const buffer_owner buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), backend.get()));
    set(x, floats(1000, 1));
    EXPECT_EQ(ggml_backend_graph_compute(backend.get(), graph), GGML_STATUS_SUCCESS);
    EXPECT_NEAR(get(t)[0], 9 * get(x)[0], 1e-5f);
}

// -- sessions

TEST(sessions, are_not_opened_by_questions) {
    ggml_backend_reg_t reg = ggml_backend_hexagon_reg();
    ASSERT_GT(ggml_backend_reg_dev_count(reg), 0u);
    ggml_backend_dev_t device = ggml_backend_reg_dev_get(reg, 0);
    const context_owner ctx = new_context();
    ggml_tensor *x = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, 100);
    EXPECT_TRUE(ggml_backend_dev_supports_op(device, ggml_add(ctx.get(), x, x)));
    size_t free = 0, total = 0;
    ggml_backend_dev_memory(device, &free, &total);
    EXPECT_GT(total, 0u);
    EXPECT_TRUE(sessions().empty());
}

TEST(sessions, twenty_leave_nothing) {
    const auto start_once = [] {
        const backend_owner backend = new_backend();
        return addition(backend.get()).run();
    };
    ASSERT_EQ(start_once(), GGML_STATUS_SUCCESS);
    const size_t descriptors = open_descriptors(), mappings = shared_mappings(), processes = sessions().size();
    for (int i = 0; i < 20; ++i) ASSERT_EQ(start_once(), GGML_STATUS_SUCCESS);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(shared_mappings(), mappings);
    EXPECT_EQ(sessions().size(), processes);
}

TEST(sessions, a_dead_one_is_replaced) {
    const backend_owner backend = new_backend();
    const addition a(backend.get());
    ASSERT_EQ(a.run(), GGML_STATUS_SUCCESS);
    const std::vector<float> before = a.result();
    const std::vector<pid_t> running = sessions();
    ASSERT_EQ(running.size(), 1u);
    kill(running[0], SIGKILL);
    ASSERT_EQ(a.run(), GGML_STATUS_SUCCESS);
    EXPECT_EQ(a.result(), before);
    ASSERT_EQ(sessions().size(), 1u);
    EXPECT_NE(sessions()[0], running[0]);
}

// Stopped, not dead: the deadline must end the wait. The environment of this test has GGML_HEXAGON_DEADLINE=2.
TEST(sessions, a_stopped_one_is_given_up) {
    const backend_owner backend = new_backend();
    const addition a(backend.get());
    ASSERT_EQ(a.run(), GGML_STATUS_SUCCESS);
    const std::vector<pid_t> running = sessions();
    ASSERT_EQ(running.size(), 1u);
    kill(running[0], SIGSTOP);
    while (state_of(running[0]) != 'T') usleep(1000);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(a.run(), GGML_STATUS_SUCCESS);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    EXPECT_TRUE(std::isnan(a.result()[0])) << "outputs of a failed graph read as NaN";
    kill(running[0], SIGCONT);
    EXPECT_EQ(a.run(), GGML_STATUS_SUCCESS);
    EXPECT_FALSE(std::isnan(a.result()[0]));
}

}  // namespace
}  // namespace hexane::testing
