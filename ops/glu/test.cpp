// ops/glu/test.cpp -- the gated linear units, in one operand and two, swapped and not.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

// The definitions of ggml, in double; at -infinity the limit of x * sigmoid(x) and its kin, which is -0 (docs/numerics.md).
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double relu(double x) { return std::isnan(x) || x > 0 ? x : 0; }
double gelu_tanh(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
double gelu_erf(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double gelu_quick(double x) { return x * sigmoid(1.702 * x); }
double silu(double x) { return x * sigmoid(x); }

struct row {
    const char *name;
    ggml_glu_op op;
    double (*activation)(double);
};
const row table[] = {
    {"reglu", GGML_GLU_OP_REGLU, relu},
    {"geglu", GGML_GLU_OP_GEGLU, gelu_tanh},
    {"swiglu", GGML_GLU_OP_SWIGLU, silu},
    {"geglu_erf", GGML_GLU_OP_GEGLU_ERF, gelu_erf},
    {"geglu_quick", GGML_GLU_OP_GEGLU_QUICK, gelu_quick},
    {"swiglu_oai", GGML_GLU_OP_SWIGLU_OAI, nullptr},
};

double gated(const row &r, double x, double g, double alpha, double limit) {
    if (r.op == GGML_GLU_OP_REGLU && x <= 0) return 0;  // a closed gate, whatever is behind it
    if (r.op != GGML_GLU_OP_SWIGLU_OAI) return (x == -INFINITY ? -0.0 : r.activation(x)) * g;
    x = std::min(x, limit);
    g = std::clamp(g, -limit, limit);
    return x * sigmoid(alpha * x) * (g + 1);
}

oracle oracle_of(const row &r) {
    return [r](const std::vector<values> &src, const ggml_tensor *node) {
        float alpha, limit;
        std::memcpy(&alpha, &node->op_params[2], sizeof alpha);
        std::memcpy(&limit, &node->op_params[3], sizeof limit);
        values out(extents_of(node));
        const bool split = src.size() > 1;
        const int64_t half = split ? 0 : out.ne[0];
        const bool swapped = !split && node->op_params[1] != 0;
        for (int64_t i3 = 0; i3 < out.ne[3]; ++i3)
            for (int64_t i2 = 0; i2 < out.ne[2]; ++i2)
                for (int64_t i1 = 0; i1 < out.ne[1]; ++i1)
                    for (int64_t i0 = 0; i0 < out.ne[0]; ++i0) {
                        const double a = src[0].at(i0 + (swapped ? half : 0), i1, i2, i3);
                        const double b = src[split ? 1 : 0].at(i0 + (swapped ? 0 : half), i1, i2, i3);
                        out.at(i0, i1, i2, i3) = gated(r, a, b, alpha, limit);
                    }
        return out;
    };
}

// exp and its kin are good to a few units in the last place of an f32.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 1e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 8e-3};
    return {1e-11, 4e-6};
}

const register_rule every_node({"REGLU", "GEGLU", "SWIGLU", "GEGLU_ERF", "GEGLU_QUICK", "SWIGLU_OAI"},
                               [](const ggml_tensor *node) -> std::vector<expectation> {
                                   for (const row &r : table) {
                                       if (node->op_params[0] == r.op)
                                           return {{oracle_of(r), tolerance_of(node->type)}};
                                   }
                                   return {};
                               });

ggml_tensor *single(workbench &b, const row &r, ggml_tensor *a, bool swapped) {
    ggml_tensor *t = ggml_glu(b.ctx, a, r.op, swapped);
    const float oai[2] = {1.702f, 7.0f};
    if (r.op == GGML_GLU_OP_SWIGLU_OAI) std::memcpy(&t->op_params[2], oai, sizeof oai);
    return t;
}

ggml_tensor *split(workbench &b, const row &r, ggml_tensor *a, ggml_tensor *g) {
    if (r.op == GGML_GLU_OP_SWIGLU_OAI) return ggml_swiglu_oai(b.ctx, a, g, 1.702f, 7.0f);
    return ggml_glu_split(b.ctx, a, g, r.op);
}

void cases_of(case_sink &add, const row &r, ggml_type type) {
    const std::string prefix = std::string(r.name) + "_" + ggml_type_name(type) + "_";
    const distribution inputs = type == GGML_TYPE_F16 ? range(-20, 20) : range(-150, 150);  // T3: overflow of exp
    const auto one = [&](const std::string &name, extents ne, layout l, distribution d) {
        extents both = ne;
        both[0] *= 2;
        for (const bool swapped : {false, true}) {
            add({.name = prefix + name + (swapped ? "_swapped" : ""),
                 .build = [=](workbench &b) { return single(b, r, b.input(type, both, d, l), swapped); }});
        }
        add({.name = prefix + name + "_split", .build = [=](workbench &b) {
                 ggml_tensor *x = b.input(type, ne, d, l);
                 return split(b, r, x, b.input(type, ne, d, l));
             }});
    };
    one("128x2x2x2", {128, 2, 2, 2}, dense, gauss);  // T4
    one("5x7x11x13", {5, 7, 11, 13}, dense, gauss);
    one("wide_range", {129, 5, 1, 1}, dense, inputs);
    one("long", {9001, 2, 1, 1}, dense, range(-6, 6));
    one("gaps", {65, 4, 3, 2}, row_gaps, gauss);  // T51
    add({.name = prefix + "halves_of_one_tensor", .build = [=](workbench &b) {
             ggml_tensor *both = b.input(type, {132, 6, 2, 1}, gauss);
             const auto half = [&](size_t i) {
                 return ggml_view_4d(b.ctx, both, 66, 6, 2, 1, both->nb[1], both->nb[2], both->nb[3],
                                     i * 66 * both->nb[0]);
             };
             return split(b, r, half(0), half(1));
         }});
}

const register_cases cases("glu", [](case_sink &add) {
    for (const row &r : table) {
        for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) cases_of(add, r, type);
    }
});

const register_drawing drawing("glu", [](workbench &b, generator &g) {
    const row &r = one_of(g, table);
    const ggml_type type = one_of(g, float_types);
    extents ne = random_extents(g, 8000);
    const bool in_one = g.below(2);
    if (in_one) ne[0] = (ne[0] + 1) / 2 * 2;
    const layout l{{0, 1, 2, 3}, {static_cast<int64_t>(g.below(9)), 0, 0, 0}, static_cast<int64_t>(g.below(20))};
    ggml_tensor *x = b.input(type, ne, gauss, l);
    return in_one ? single(b, r, x, g.below(2)) : split(b, r, x, b.input(type, ne, gauss, g.below(2) ? l : dense));
});

}  // namespace
}  // namespace hexane::testing
