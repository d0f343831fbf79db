// ops/scale/test.cpp -- x * factor + bias in every type, shape and layout that ggml_scale takes.
#include <cstring>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

float param(const ggml_tensor *node, int i) {
    float f;
    std::memcpy(&f, &node->op_params[i], sizeof f);
    return f;
}

values scaled(const std::vector<values> &src, const ggml_tensor *node) {
    values out = src[0];
    for (double &x : out.v) x = x * param(node, 0) + param(node, 1);
    return out;
}

// Two roundings at most where the device has no fused multiply-add.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 1e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 8e-3};
    return {1e-13, 1e-6};
}

const register_rule every_node({"SCALE"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{scaled, tolerance_of(node->type)}};
});

const register_cases cases("scale", [](case_sink &add) {
    const auto one = [&](const std::string &name, ggml_type type, extents ne, layout l = dense, distribution d = gauss,
                         float bias = 0.5f) {
        add({.name = std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return ggml_scale_bias(b.ctx, b.input(type, ne, d, l), -1.7f, bias); }});
    };
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const int64_t n : {1, 31, 32, 33, 63, 64, 65, 127, 129, 1000})
            one("n" + std::to_string(n), type, {n, 3, 2, 1});
        one("long", type, {100003, 1, 1, 1});
        one("many_rows", type, {10, 700, 3, 2});
        one("row_gaps", type, {100, 7, 3, 2}, layout{{0, 1, 2, 3}, {28, 0, 0, 0}, 3});  // T41
        one("far_rows", type, {20, 5, 1, 1}, far_rows);
        one("specials", type, {257, 3, 1, 1}, dense, specials, 0);
    }
    add({.name = "f32_in_place", .build = [](workbench &b) {
             return ggml_scale_inplace(b.ctx, b.input(GGML_TYPE_F32, {77, 5, 3, 1}, gauss, row_gaps), 3);
         }});
});

const register_drawing drawing("scale", [](workbench &b, generator &g) {
    ggml_tensor *x =
        b.input(one_of(g, float_types), random_extents(g, 20000), g.below(8) ? gauss : specials,
                layout{{0, 1, 2, 3}, {static_cast<int64_t>(g.below(9)), 0, 0, 0}, static_cast<int64_t>(g.below(9))});
    const auto factor = static_cast<float>(g.normal());
    return g.below(2) ? ggml_scale(b.ctx, x, factor)
                      : ggml_scale_bias(b.ctx, x, factor, static_cast<float>(g.normal()));
});

}  // namespace
}  // namespace hexane::testing
