// tests/host/fusion_test.cpp -- which nodes a graph scan makes one step, and that a fused run has the bits of an unfused
// one.
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "host/graph_scan.h"
#include "host/registry.h"
#include "ops/all_ops.h"
#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

constexpr float eps = 1e-6f;

host::device &first_device() { return host::registry::get().at(0); }

// The product written over the norm, whichever of the factors that is: ggml itself says it of the first only.
ggml_tensor *in_place(ggml_tensor *product, ggml_tensor *norm) {
    product->view_src = norm;
    product->view_offs = 0;
    return product;
}

// y = RMS_NORM(x) * w, placed by hand or by ggml's allocator of graphs.
class scan : public plugin_test {
  protected:
    void SetUp() override {
        plugin_test::SetUp();
        x_ = f32(100, 4);
        w_ = f32(100);
        norm_ = ggml_rms_norm(context_, x_, eps);
    }
    void TearDown() override {
        allocator_.reset();
        plugin_test::TearDown();
    }
    // "RMS_NORM+MUL ADD", or what the scan says is wrong.
    std::string steps_of(ggml_cgraph *g, fusion::rule_mask rules = fusion::every_rule) {
        host::device &d = first_device();
        const std::lock_guard lock(d.mutex());
        if (!d.ensure_session()) return "no session";
        host::graph_scan s(d, rules);
        if (const std::string problem = s.run(g); !problem.empty()) return problem;
        key_ = s.key();
        std::string names;
        for (size_t i = 0; i < s.size(); ++i)
            names += (i ? " " : "") + std::string(d.ops().find(host::node_from_key(s.step_key(i)).op)->name);
        return names;
    }
    std::string steps_to(ggml_tensor *result) {
        allocate();
        return steps_of(graph_of(result));
    }
    // The same after ggml's allocator has placed everything, as a scheduler has it do.
    std::string allocated_steps_to(std::initializer_list<ggml_tensor *> results) {
        ggml_cgraph *g = ggml_new_graph(context_);
        for (ggml_tensor *t : {x_, w_}) ggml_set_input(t);
        for (ggml_tensor *t : results) ggml_build_forward_expand(g, t);
        allocator_.reset(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend_)));
        EXPECT_TRUE(ggml_gallocr_alloc_graph(allocator_.get(), g));
        return steps_of(g);
    }

    struct free_allocator {
        void operator()(ggml_gallocr_t a) const { ggml_gallocr_free(a); }
    };
    std::unique_ptr<ggml_gallocr, free_allocator> allocator_;
    ggml_tensor *x_ = nullptr, *w_ = nullptr, *norm_ = nullptr;
    std::string key_;
};

TEST_F(scan, a_product_in_place_is_one_step) {
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, norm_, w_)), "RMS_NORM+MUL");
}

TEST_F(scan, either_factor_may_be_the_norm) {
    ggml_tensor *weights = f32(100, 4);
    EXPECT_EQ(steps_to(in_place(ggml_mul(context_, weights, norm_), norm_)), "RMS_NORM+MUL");
}

TEST_F(scan, a_step_knows_its_nodes_and_operands) {
    ggml_tensor *weights = f32(100, 4);
    ggml_tensor *y = in_place(ggml_mul(context_, weights, norm_), norm_), *sum = ggml_add(context_, y, x_);
    allocate();
    host::device &d = first_device();
    const std::lock_guard lock(d.mutex());
    ASSERT_NE(d.ensure_session(), nullptr);
    host::graph_scan s(d, fusion::every_rule);
    ASSERT_EQ(s.run(graph_of(sum)), "");
    ASSERT_EQ(s.size(), 2u);
    const host::step one = s.step(0), two = s.step(1);
    EXPECT_TRUE(std::ranges::equal(one.nodes, std::array<const ggml_tensor *, 2>{norm_, y}));
    EXPECT_TRUE(std::ranges::equal(one.sources, std::array<const ggml_tensor *, 2>{x_, weights}));
    EXPECT_EQ(&one.result(), y);
    ASSERT_EQ(s.n_places(0), 3u);
    EXPECT_EQ(s.places(0)[2].offset - s.places(0)[0].offset,
              static_cast<uint64_t>(static_cast<char *>(norm_->data) - static_cast<char *>(x_->data)));
    EXPECT_EQ(s.places(1)[0].offset, s.places(0)[2].offset) << "the sum reads what the step before it wrote";
    EXPECT_EQ(&two.result(), sum);
    EXPECT_EQ(s.step_key(0).size() + s.step_key(1).size(), s.key().size());
}

TEST_F(scan, off_means_two_steps_and_another_key) {
    ggml_tensor *y = ggml_mul_inplace(context_, norm_, w_);
    allocate();
    EXPECT_EQ(steps_of(graph_of(y)), "RMS_NORM+MUL");
    const std::string fused = key_;
    EXPECT_EQ(steps_of(graph_of(y), 0), "RMS_NORM MUL");
    EXPECT_NE(key_, fused) << "the cache of planned graphs keeps both";
}

TEST_F(scan, ggml_places_the_product_of_a_norm_with_one_use_over_it) {
    ggml_tensor *y = ggml_mul(context_, norm_, w_);
    EXPECT_EQ(allocated_steps_to({ggml_add(context_, y, x_)}), "RMS_NORM+MUL ADD");
}

TEST_F(scan, a_second_reader_of_the_norm_keeps_it) {
    ggml_tensor *y = ggml_mul(context_, norm_, w_);
    EXPECT_EQ(allocated_steps_to({ggml_add(context_, y, norm_)}), "RMS_NORM MUL ADD");
}

TEST_F(scan, an_output_is_kept) {
    ggml_set_output(norm_);
    EXPECT_EQ(allocated_steps_to({ggml_mul(context_, norm_, w_)}), "RMS_NORM MUL");
}

TEST_F(scan, what_a_view_looks_at_is_kept) {
    ggml_tensor *y = ggml_mul(context_, norm_, w_), *row = ggml_view_1d(context_, norm_, 100, 400);
    EXPECT_EQ(allocated_steps_to({ggml_add(context_, y, row)}), "RMS_NORM MUL ADD");
}

TEST_F(scan, a_norm_with_memory_of_its_own_is_kept) {
    EXPECT_EQ(steps_to(ggml_mul(context_, norm_, w_)), "RMS_NORM MUL") << "somebody may read it after the graph";
}

TEST_F(scan, a_product_in_another_buffer_leaves_the_norm) {
    allocate();
    ggml_context *other = ggml_init({1u << 20, nullptr, true});
    ggml_tensor *y = ggml_mul(other, norm_, w_);
    buffers_.push_back(ggml_backend_alloc_ctx_tensors(other, backend_));
    EXPECT_EQ(steps_of(graph_of(y)), "RMS_NORM MUL");
    ggml_free(other);
}

TEST_F(scan, a_product_over_a_part_of_the_norm_leaves_the_rest) {
    ggml_tensor *rows = ggml_view_2d(context_, norm_, 100, 2, norm_->nb[1], 0);
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, rows, w_)), "RMS_NORM MUL");
}

TEST_F(scan, a_reshaped_norm_is_another_shape) {
    ggml_tensor *flat = ggml_reshape_2d(context_, norm_, 50, 8);
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, flat, f32(50))), "RMS_NORM MUL");
}

TEST_F(scan, weights_that_repeat_within_a_row_are_not_for_the_fused_planner) {
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, norm_, f32(50))), "RMS_NORM MUL");
}

TEST_F(scan, weights_within_the_norm_are_read_after_it) {
    ggml_tensor *row = ggml_view_1d(context_, norm_, 100, 0);
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, norm_, row)), "RMS_NORM MUL");
    EXPECT_EQ(steps_of(graph_of(ggml_mul_inplace(context_, norm_, norm_))).find("RMS_NORM+MUL"), std::string::npos);
}

TEST_F(scan, an_op_between_them_is_not_passed_over) {
    ggml_tensor *sum = ggml_add(context_, norm_, x_);
    ggml_tensor *y = ggml_mul_inplace(context_, norm_, w_);
    allocate();
    ggml_cgraph *g = graph_of(sum);
    ggml_build_forward_expand(g, y);
    EXPECT_EQ(steps_of(g), "RMS_NORM ADD MUL");
}

TEST_F(scan, a_product_of_something_else_is_no_end) {
    EXPECT_EQ(steps_to(ggml_mul_inplace(context_, ggml_add(context_, norm_, x_), w_)), "RMS_NORM ADD MUL");
}

bool is_set(const char *name) { return std::getenv(name) != nullptr; }

// Whether the environment lets this process fuse.
bool fusions_are_on() {
    const char *value = std::getenv("GGML_HEXAGON_OPFUSION");
    return !(value && std::strcmp(value, "0") == 0) && !is_set("GGML_HEXAGON_OPFILTER");
}

uint64_t fused_so_far() {
    const auto totals = first_device().sums().read();
    const auto i = static_cast<size_t>(op::rms_norm_mul::id);
    return i < totals.ops.size() ? totals.ops[i].count : 0;
}

class fused : public plugin_test {
  protected:
    struct shape {
        int64_t x[4], w[4];
    };
    ggml_tensor *tensor(ggml_type type, const int64_t (&ne)[4]) { return ggml_new_tensor(context_, type, 4, ne); }
    // Numbers of all sizes that the type has; the same for the same seed.
    static void fill(ggml_tensor *t, uint32_t seed) {
        std::vector<float> v(static_cast<size_t>(ggml_nelements(t)));
        for (size_t i = 0; i < v.size(); ++i) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f) * (i % 7 ? 1.0f : 30.0f);
        }
        std::vector<uint8_t> bytes(ggml_nbytes(t));
        if (t->type == GGML_TYPE_F32)
            std::memcpy(bytes.data(), v.data(), bytes.size());
        else
            ggml_quantize_chunk(t->type, v.data(), bytes.data(), 0, ggml_nrows(t), t->ne[0], nullptr);
        ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
    }
    static std::vector<uint8_t> bytes_of(ggml_tensor *t) {
        std::vector<uint8_t> bytes(ggml_nbytes(t));
        ggml_backend_tensor_get(t, bytes.data(), 0, bytes.size());
        return bytes;
    }
    // The same product once over the norm and once with both results kept.
    void compare(ggml_type type, ggml_type weights, const shape &s, bool norm_first = true) {
        ggml_tensor *x = tensor(type, s.x), *w = tensor(weights, s.w);
        ggml_tensor *norms[] = {ggml_rms_norm(context_, x, eps), ggml_rms_norm(context_, x, eps)};
        ggml_tensor *y[2];
        for (int i = 0; i < 2; ++i)
            y[i] = norm_first ? ggml_mul(context_, norms[i], w) : ggml_mul(context_, w, norms[i]);
        in_place(y[0], norms[0]);
        allocate();
        fill(x, 1);
        fill(w, 2);
        const uint64_t before = fused_so_far();
        ASSERT_EQ(compute(y[0]), GGML_STATUS_SUCCESS);
        EXPECT_EQ(fused_so_far() - before, fusions_are_on() ? 1u : 0u);
        ASSERT_EQ(compute(y[1]), GGML_STATUS_SUCCESS);
        EXPECT_EQ(fused_so_far() - before, fusions_are_on() ? 1u : 0u);
        EXPECT_TRUE(bytes_of(y[0]) == bytes_of(y[1])) << ggml_type_name(type) << " of " << s.x[0];
    }
};

TEST_F(fused, has_the_bits_of_the_two_ops) {
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const ggml_type weights : {type, GGML_TYPE_F32}) {
            for (const int64_t n : {1, 31, 64, 100, 129, 1000, 4096})
                compare(type, weights, {{n, 5, 3, 2}, {n, 1, 1, 1}});
            compare(type, weights, {{96, 5, 3, 2}, {96, 5, 1, 2}});
            compare(type, weights, {{96, 1, 1, 1}, {96, 1, 1, 1}});
        }
        compare(type, type, {{100, 5, 3, 1}, {100, 5, 3, 1}}, false);
    }
}

TEST_F(fused, rows_that_the_fused_plan_has_no_room_for_stay_two_ops) {
    const int64_t n = 1 << 22;
    ggml_tensor *x = f32(n), *w = f32(n), *norm = ggml_rms_norm(context_, x, eps);
    ggml_tensor *y = ggml_mul_inplace(context_, norm, w);
    allocate();
    fill(x, 3);
    fill(w, 4);
    const uint64_t before = fused_so_far();
    ASSERT_EQ(compute(y), GGML_STATUS_SUCCESS);
    EXPECT_EQ(fused_so_far(), before);
}

TEST_F(fused, a_line_of_the_profile_has_both_nodes) {
    ggml_tensor *x = f32(64, 2), *w = f32(64), *norm = ggml_rms_norm(context_, x, eps);
    ggml_tensor *y = ggml_mul_inplace(context_, norm, w);
    ggml_set_name(x, "x");
    ggml_set_name(w, "w");
    ggml_set_name(norm, "n");
    ggml_set_name(y, "y");
    allocate();
    fill(x, 5);
    fill(w, 6);
    ASSERT_EQ(compute(y), GGML_STATUS_SUCCESS);
    const bool on = fusions_are_on();
    EXPECT_EQ(lines_with("profile-op RMS_NORM+MUL|x x w -> n -> y|64:2 x 64:1 -> 64:2 -> 64:2|"), on ? 1u : 0u)
        << all_lines();
    EXPECT_EQ(lines_with("profile-op RMS_NORM|x -> n|"), on ? 0u : 1u);
}

TEST_F(fused, a_failure_names_the_step) {
    ggml_tensor *x = f32(64, 2), *w = f32(64), *norm = ggml_rms_norm(context_, x, eps);
    ggml_tensor *y = ggml_mul_inplace(context_, norm, w);
    ggml_set_name(norm, "n");
    ggml_set_name(y, "y");
    allocate();
    fill(x, 7);
    fill(w, 8);
    ASSERT_EQ(compute(y), GGML_STATUS_SUCCESS);
    ASSERT_EQ(session_processes().size(), 1u);
    kill(session_processes()[0], SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(compute(y), GGML_STATUS_FAILED);
    EXPECT_EQ(
        lines_with_all({"no progress", fusions_are_on() ? "it was at RMS_NORM+MUL|" : "it was at RMS_NORM|", "-> n"}),
        1u)
        << all_lines();
    for (const float v : get(y)) EXPECT_TRUE(v != v);
}

// No node of ggml is called so, and a device that fuses says yes to what it said yes to before.
TEST_F(fused, no_node_is_taken_for_one) {
    const host::op_table &ops = first_device().ops();
    for (int i = 0; i < GGML_OP_COUNT; ++i) EXPECT_STRNE(ggml_op_name(static_cast<ggml_op>(i)), op::rms_norm_mul::name);
    ggml_tensor *norm = ggml_rms_norm(context_, f32(64), eps);
    EXPECT_EQ(ops.find(*norm)->id, op::rms_norm::id);
    EXPECT_EQ(ops.find(*ggml_mul_inplace(context_, norm, f32(64)))->id, op::mul::id);
}

}  // namespace
}  // namespace hexane::testing
