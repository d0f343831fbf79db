// ops/rms_norm/test.cpp -- row lengths around every vector boundary, and rows longer than VTCM.
#include <cmath>
#include <cstring>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

values normalised(const std::vector<values> &src, const ggml_tensor *node) {
    float eps;
    std::memcpy(&eps, node->op_params, sizeof eps);
    values out = src[0];
    const auto n = static_cast<size_t>(out.ne[0]);
    for (size_t row = 0; row < out.v.size(); row += n) {
        double sum = 0;
        for (size_t i = 0; i < n; ++i) sum += out.v[row + i] * out.v[row + i];
        const double factor = 1 / std::sqrt(sum / static_cast<double>(n) + eps);
        for (size_t i = 0; i < n; ++i) out.v[row + i] *= factor;
    }
    return out;
}

tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 1.2e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 9e-3};
    return {1e-12, 3e-6};
}

const register_rule every_node({"RMS_NORM"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{normalised, tolerance_of(node->type)}};
});

const register_cases cases("rms_norm", [](case_sink &add) {
    const auto one = [&](const std::string &name, ggml_type type, extents ne, layout l = dense, float eps = 1e-6f,
                         distribution d = gauss) {
        add({.name = std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return ggml_rms_norm(b.ctx, b.input(type, ne, d, l), eps); }});
    };
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const int64_t n : {1, 31, 32, 33, 63, 100, 128, 129, 255, 2880})
            one("n" + std::to_string(n), type, {n, 5, 4, 3});  // T38
        one("one_row", type, {4096, 1, 1, 1});
        one("long_rows", type, {70001, 2, 1, 1});
        one("row_gaps", type, {64, 5, 4, 3}, gaps);
        one("rows_outside", type, {64, 5, 4, 3}, rows_outside);
        one("far_rows", type, {33, 5, 1, 1}, far_rows);
        one("large_eps", type, {64, 5, 1, 1}, dense, 10.0f);
        one("zero_eps", type, {64, 5, 1, 1}, dense, 0.0f);
        one("tiny_values", type, {64, 5, 1, 1}, dense, 1e-6f, range(-1e-4, 1e-4));
    }
    one("large_values", GGML_TYPE_F32, {100, 5, 1, 1}, dense, 1e-6f, range(-1e15, 1e15));
    add({.name = "zero_rows",
         .build =
             [](workbench &b) {
                 return ggml_rms_norm(b.ctx, b.input(GGML_TYPE_F32, {64, 3, 1, 1}, range(0, 0)), 1e-6f);
             },
         .expect = {{normalised, exact}}});
    add({.name = "f32_in_place", .build = [](workbench &b) {
             return ggml_rms_norm_inplace(b.ctx, b.input(GGML_TYPE_F32, {100, 5, 3, 1}, gauss, gaps), 1e-5f);
         }});
});

const register_drawing drawing("rms_norm", [](workbench &b, generator &g) {
    ggml_tensor *x =
        b.input(one_of(g, float_types), random_extents(g, 20000), g.below(4) ? gauss : wide, random_layout(g, true));
    return ggml_rms_norm(b.ctx, x, static_cast<float>(g.uniform(1e-6, 1e-2)));
});

}  // namespace
}  // namespace hexane::testing
