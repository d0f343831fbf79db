// tests/host/node_test.cpp -- nodes and their keys; op lookup; shapes.
#include "host/node.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "ggml.h"
#include "host/node_text.h"
#include "host/op_table.h"
#include "ops/all_ops.h"

namespace hexane::host {
namespace {

class node_test : public testing::Test {
  protected:
    void SetUp() override { context_ = ggml_init({4u << 20, nullptr, true}); }
    void TearDown() override { ggml_free(context_); }
    ggml_tensor *matrix(ggml_type type, int64_t a, int64_t b) { return ggml_new_tensor_2d(context_, type, a, b); }
    ggml_context *context_ = nullptr;
    op_table ops_{options{}};
};

std::string key(const ggml_tensor &t) { return std::string(key_of(make_node(t, op::add::id))); }

TEST_F(node_test, a_key_tells_nodes_apart_by_everything_but_addresses) {
    ggml_tensor *a = matrix(GGML_TYPE_F32, 64, 4), *b = matrix(GGML_TYPE_F32, 64, 4),
                *row = matrix(GGML_TYPE_F32, 64, 1);
    std::set<std::string> keys;
    ggml_tensor *sum = ggml_add(context_, a, b);
    keys.insert(key(*sum));
    EXPECT_FALSE(keys.insert(key(*ggml_add(context_, b, a))).second) << "same shapes, other tensors";
    EXPECT_TRUE(keys.insert(key(*ggml_add(context_, a, row))).second) << "other shape";
    EXPECT_TRUE(
        keys.insert(key(*ggml_add(context_, a, ggml_view_2d(context_, matrix(GGML_TYPE_F32, 128, 4), 64, 4, 512, 0))))
            .second)
        << "other stride";
    EXPECT_TRUE(keys.insert(key(*ggml_add(context_, ggml_cast(context_, a, GGML_TYPE_F16), b))).second) << "other type";
    sum->op_params[3] = 1;
    EXPECT_TRUE(keys.insert(key(*sum)).second) << "other parameter";
    node tiled = make_node(*sum, op::add::id);
    tiled.src[0].tiled = 1;
    EXPECT_TRUE(keys.insert(std::string(key_of(tiled))).second) << "other layout";
}

TEST_F(node_test, a_node_comes_back_from_its_key) {
    const node n = make_node(*ggml_mul_mat(context_, matrix(GGML_TYPE_Q4_0, 64, 40), matrix(GGML_TYPE_F32, 64, 3)),
                             op::mul_mat::id);
    const node back = node_from_key(key_of(n));
    EXPECT_EQ(key_of(back), key_of(n));
    EXPECT_EQ(back.n_src, 2u);
    EXPECT_FALSE(back.has_src(2));
    EXPECT_EQ(back.src[9].type, 0xffffffffu);
}

TEST_F(node_test, ops_are_found_by_ggmls_names) {
    ggml_tensor *a = matrix(GGML_TYPE_F32, 64, 4), *b = matrix(GGML_TYPE_F32, 64, 4);
    EXPECT_EQ(ops_.find(*ggml_add(context_, a, b))->id, op::add::id);
    EXPECT_EQ(ops_.find(*ggml_mul_mat(context_, a, b))->id, op::mul_mat::id);
    EXPECT_EQ(ops_.find(*ggml_swiglu(context_, a))->id, op::swiglu::id);
    EXPECT_EQ(ops_.find(*ggml_geglu_erf(context_, a))->id, op::geglu_erf::id);
    EXPECT_EQ(ops_.find(*ggml_silu(context_, a)), nullptr);
    EXPECT_EQ(ops_.find(op::add::id)->name, std::string("ADD"));
    EXPECT_EQ(ops_.find(static_cast<op_id>(9999)), nullptr);
}

TEST_F(node_test, a_filter_takes_whole_names_in_any_case) {
    options o;
    o.filter.emplace("mul|swi.*", std::regex::icase);
    const op_table filtered(o);
    ggml_tensor *a = matrix(GGML_TYPE_F32, 64, 4), *b = matrix(GGML_TYPE_F32, 64, 4);
    EXPECT_TRUE(filtered.excludes(*ggml_mul(context_, a, b)));
    EXPECT_TRUE(filtered.excludes(*ggml_swiglu(context_, a)));
    EXPECT_FALSE(filtered.excludes(*ggml_mul_mat(context_, a, b)));
    o = {};
    o.mm_select = 0;
    EXPECT_TRUE(op_table(o).excludes(*ggml_mul_mat(context_, a, b)));
}

TEST_F(node_test, what_the_wire_cannot_express_is_rejected) {
    const hardware hw{arch::v79, 1, 0, min_vtcm_bytes, session_scratch_bytes, 1u << 30};
    const op_entry &add = *ops_.find(op::add::id);
    const node good =
        make_node(*ggml_add(context_, matrix(GGML_TYPE_F32, 64, 4), matrix(GGML_TYPE_F32, 64, 4)), op::add::id);
    EXPECT_TRUE(add.plan(good, hw).accepted);
    node n = good;
    n.dst.type = GGML_TYPE_Q5_K;
    EXPECT_FALSE(add.plan(n, hw).accepted);
    n = good;
    n.src[0].nb[3] = 1ull << 33;
    EXPECT_FALSE(add.plan(n, hw).accepted);
    n = good;
    n.src[1].ne[2] = 0;
    EXPECT_FALSE(add.plan(n, hw).accepted);
    n = good;
    n.dst.ne[1] = n.src[0].ne[1] = n.src[1].ne[1] = 1 << 28;
    EXPECT_FALSE(add.plan(n, hw).accepted);
}

// Views may repeat rows: more elements than bytes, in numbers that wrap, and results that no order of threads would write.
TEST_F(node_test, repeated_rows_are_counted_and_never_written) {
    const hardware hw{arch::v79, 6, 0, min_vtcm_bytes, session_scratch_bytes, 3ull << 30};
    const op_entry &scale = *ops_.find(op::scale::id), &mul_mat = *ops_.find(op::mul_mat::id);
    ggml_tensor *all = matrix(GGML_TYPE_F32, 64, 4);
    const auto repeated = [&](int64_t rows, int64_t planes) {
        return ggml_view_4d(context_, all, 64, rows, planes, planes, 0, 0, 0, 0);
    };
    EXPECT_TRUE(scale.plan(make_node(*ggml_scale(context_, repeated(1, 1), 2), op::scale::id), hw).accepted);
    const erased_plan in_place =
        scale.plan(make_node(*ggml_scale_inplace(context_, repeated(4, 1), 2), op::scale::id), hw);
    EXPECT_FALSE(in_place.accepted);
    EXPECT_EQ(in_place.reason, "destination overlaps itself");

    node n = make_node(*ggml_scale(context_, repeated(4, 1), 2), op::scale::id);
    EXPECT_TRUE(scale.plan(n, hw).accepted);
    for (tensor_shape *t : {&n.src[0], &n.dst}) t->ne[1] = t->ne[2] = t->ne[3] = 1ll << 30;
    EXPECT_EQ(n.dst.elements(), INT64_MAX);
    EXPECT_FALSE(scale.plan(n, hw).accepted);
    n = make_node(*ggml_mul_mat(context_, all, matrix(GGML_TYPE_F32, 64, 2)), op::mul_mat::id);
    EXPECT_TRUE(mul_mat.plan(n, hw).accepted);
    n.src[1].ne[2] = n.dst.ne[2] = n.src[1].ne[3] = n.dst.ne[3] = 1ll << 31;
    for (tensor_shape *t : {&n.src[1], &n.dst}) t->nb[2] = t->nb[3] = 0;
    EXPECT_FALSE(mul_mat.plan(n, hw).accepted);
}

TEST_F(node_test, shapes_agree_with_ggml) {
    ggml_tensor *a = ggml_new_tensor_4d(context_, GGML_TYPE_F16, 6, 5, 4, 3);
    for (ggml_tensor *t :
         {a, ggml_permute(context_, a, 0, 2, 1, 3), ggml_transpose(context_, a), matrix(GGML_TYPE_Q8_0, 64, 3),
          ggml_view_2d(context_, a, 3, 2, a->nb[1], 12), ggml_new_tensor_1d(context_, GGML_TYPE_F32, 1)}) {
        const tensor_shape s = shape_of(*t, false);
        EXPECT_EQ(s.contiguous(), ggml_is_contiguous(t)) << node_text(*t);
        EXPECT_EQ(s.extent_bytes(), ggml_nbytes(t)) << node_text(*t);
    }
}

TEST_F(node_test, text_shows_names_extents_types_strides) {
    ggml_tensor *a = matrix(GGML_TYPE_F32, 64, 4), *b = matrix(GGML_TYPE_F32, 64, 4);
    ggml_set_name(a, "left");
    ggml_tensor *sum = ggml_add(context_, a, b);
    ggml_set_name(sum, "sum");
    EXPECT_EQ(node_text(*sum), "ADD|left x ? -> sum|64:4 x 64:4 -> 64:4|f32 x f32 -> f32|4:256 x 4:256 -> 4:256");
}

}  // namespace
}  // namespace hexane::host
