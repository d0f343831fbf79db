// ops/row_wise/test.cpp -- ROW_WISE in every type, shape and layout that it takes.
#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

values expected(const std::vector<values> &src, const ggml_tensor *) {
    values out = src[0];
    for (double &x : out.v) x = x * x;
    return out;
}

// One rounding to the type of the result, and where the device has no fused arithmetic one in f32.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 1e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 8e-3};
    return {1e-13, 1e-6};
}

const register_rule every_node({"ROW_WISE"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{expected, tolerance_of(node->type)}};
});

const register_cases cases("row_wise", [](case_sink &add) {
    // ggml's builder of the node. Where a node of another op stands for it, `.op_name` says what is meant and ggml itself is not asked.
    const auto one = [&](const std::string &name, ggml_type type, extents ne, layout l = dense,
                         distribution d = gauss) {
        add({.name = std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return ggml_sqr(b.ctx, b.input(type, ne, d, l)); },
             .op_name = "ROW_WISE",
             .in_graph = false});
    };
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const int64_t n : {1, 31, 32, 33, 63, 64, 65, 127, 129, 1000})
            one("n" + std::to_string(n), type, {n, 3, 2, 1});
        one("long", type, {100003, 1, 1, 1});
        one("many_rows", type, {10, 700, 3, 2});
        one("row_gaps", type, {100, 7, 3, 2}, row_gaps);
        one("transposed", type, {20, 50, 3, 1}, transposed);
        one("far_rows", type, {20, 5, 1, 1}, far_rows);
        one("specials", type, {257, 3, 1, 1}, dense, specials);
    }
});

}  // namespace
}  // namespace hexane::testing
