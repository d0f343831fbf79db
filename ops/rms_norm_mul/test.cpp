// ops/rms_norm_mul/test.cpp -- the op as fusion makes it. ggml has no node of it, so a MUL of both operands with the
// norm's parameters stands for one; tests/host/fusion_test.cpp has the way through ggml, and that the bits are those of the two ops.
#include <cmath>
#include <cstring>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

values normalised_product(const std::vector<values> &src, const ggml_tensor *node) {
    float eps;
    std::memcpy(&eps, node->op_params, sizeof eps);
    values out = src[0];
    const values &w = src[1];
    const auto n = static_cast<size_t>(out.ne[0]);
    const auto at = [](size_t i, int64_t extent) { return static_cast<int64_t>(i) % extent; };
    for (size_t row = 0; row * n < out.v.size(); ++row) {
        double *x = &out.v[row * n];
        double sum = 0;
        for (size_t i = 0; i < n; ++i) sum += x[i] * x[i];
        const double factor = 1 / std::sqrt(sum / static_cast<double>(n) + eps);
        const size_t n1 = static_cast<size_t>(out.ne[1]), n2 = static_cast<size_t>(out.ne[2]);
        for (size_t i = 0; i < n; ++i)
            x[i] *= factor *
                    w.at(at(i, w.ne[0]), at(row % n1, w.ne[1]), at(row / n1 % n2, w.ne[2]), at(row / n1 / n2, w.ne[3]));
    }
    return out;
}

// Two roundings in the 16-bit types.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {2e-6, 2.4e-3};
    if (type == GGML_TYPE_BF16) return {2e-4, 1.8e-2};
    return {1e-12, 3e-6};
}

const register_rule every_node({"RMS_NORM+MUL"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{normalised_product, tolerance_of(node->type)}};
});

ggml_tensor *with_eps(ggml_tensor *product, float eps) {
    std::memcpy(product->op_params, &eps, sizeof eps);
    return product;
}

struct variant {
    extents ne, weights;
    layout of_x = dense, of_weights = dense;
    float eps = 1e-6f;
};

void add_case(case_sink &add, const std::string &name, ggml_type type, ggml_type weights, const variant &v) {
    add({.name = std::string(ggml_type_name(type)) + "_" + ggml_type_name(weights) + "_" + name,
         .build =
             [=](workbench &b) {
                 ggml_tensor *x = b.input(type, v.ne, gauss, v.of_x);
                 return with_eps(ggml_mul(b.ctx, x, b.input(weights, v.weights, unit, v.of_weights)), v.eps);
             },
         .op_name = "RMS_NORM+MUL",
         .in_graph = false});
}

const register_cases cases("rms_norm_mul", [](case_sink &add) {
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const ggml_type w : {type, GGML_TYPE_F32}) {
            for (const int64_t n : {1, 31, 33, 64, 100, 129, 255, 2880})
                add_case(add, "n" + std::to_string(n), type, w, {{n, 5, 4, 3}, {n, 1, 1, 1}});
            add_case(add, "one_row", type, w, {{4096, 1, 1, 1}, {4096, 1, 1, 1}});
            add_case(add, "per_row", type, w, {{100, 5, 4, 3}, {100, 5, 4, 3}});
            add_case(add, "per_head", type, w, {{64, 6, 4, 2}, {64, 3, 1, 2}});
            add_case(add, "gaps", type, w, {{64, 5, 4, 3}, {64, 5, 1, 1}, gaps, row_gaps});
            add_case(add, "rows_outside", type, w, {{64, 5, 4, 3}, {64, 1, 4, 1}, rows_outside});
            add_case(add, "large_eps", type, w, {{64, 5, 1, 1}, {64, 1, 1, 1}, dense, dense, 10.0f});
            if (w == GGML_TYPE_F32 && type == GGML_TYPE_F32) break;
        }
    }
    add({.name = "f32_in_place",
         .build =
             [](workbench &b) {
                 ggml_tensor *x = b.input(GGML_TYPE_F32, {100, 5, 3, 1}, gauss, gaps);
                 return with_eps(ggml_mul_inplace(b.ctx, x, b.input(GGML_TYPE_F32, {100, 1, 1, 1})), 1e-5f);
             },
         .op_name = "RMS_NORM+MUL",
         .in_graph = false});
});

}  // namespace
}  // namespace hexane::testing
