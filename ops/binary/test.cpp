// ops/binary/test.cpp -- ADD, SUB, MUL, DIV: every broadcast, every layout.
#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

using make = ggml_tensor *(*)(ggml_context *, ggml_tensor *, ggml_tensor *);

struct row {
    const char *name;
    ggml_op op;
    make build;
    double (*of)(double, double);
};
const row table[] = {
    {"add", GGML_OP_ADD, ggml_add, [](double a, double b) { return a + b; }},
    {"sub", GGML_OP_SUB, ggml_sub, [](double a, double b) { return a - b; }},
    {"mul", GGML_OP_MUL, ggml_mul, [](double a, double b) { return a * b; }},
    {"div", GGML_OP_DIV, ggml_div, [](double a, double b) { return a / b; }},
};

oracle oracle_of(const row &r) {
    return [of = r.of](const std::vector<values> &src, const ggml_tensor *) {
        values out = src[0];
        const values &b = src[1];
        for (int64_t i3 = 0; i3 < out.ne[3]; ++i3)
            for (int64_t i2 = 0; i2 < out.ne[2]; ++i2)
                for (int64_t i1 = 0; i1 < out.ne[1]; ++i1)
                    for (int64_t i0 = 0; i0 < out.ne[0]; ++i0) {
                        double &x = out.at(i0, i1, i2, i3);
                        x = of(x, b.at(i0 % b.ne[0], i1 % b.ne[1], i2 % b.ne[2], i3 % b.ne[3]));
                    }
        return out;
    };
}

// One rounding of an f32 result that is itself right to a unit in the last place or two.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 1e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 8e-3};
    return {1e-13, 5e-7};
}

const register_rule every_node({"ADD", "SUB", "MUL", "DIV"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    for (const row &r : table) {
        if (node->op == r.op) return {{oracle_of(r), tolerance_of(node->type)}};
    }
    return {};
});

// What one case is made of, besides the op.
struct operands {
    ggml_type a_type, b_type;
    extents a, b;
    layout a_layout = dense, b_layout = dense;
    distribution b_from = divisors;
    distribution a_from = gauss;
};

void add_case(case_sink &add, const row &r, const std::string &name, const operands &o) {
    add({.name = std::string(r.name) + "_" + name, .build = [=](workbench &b) {
             ggml_tensor *x = b.input(o.a_type, o.a, o.a_from, o.a_layout);
             return r.build(b.ctx, x, b.input(o.b_type, o.b, o.b_from, o.b_layout));
         }});
}

void broadcasts(case_sink &add, const row &r, ggml_type type) {
    const std::string t = ggml_type_name(type);
    const auto one = [&](const std::string &name, extents a, extents b) {
        add_case(add, r, t + "_" + name, {type, type, a, b});
    };
    one("same", {100, 7, 3, 2}, {100, 7, 3, 2});
    one("row", {100, 7, 3, 2}, {100, 1, 1, 1});
    one("scalar", {100, 7, 3, 2}, {1, 1, 1, 1});
    one("column", {65, 8, 41, 1}, {1, 8, 41, 1});  // T28
    one("repeat0", {96, 5, 2, 2}, {16, 5, 1, 2});
    one("repeat0_odd", {45, 5, 2, 2}, {9, 1, 2, 2});
    one("tile1", {10, 10, 4, 3}, {10, 5, 4, 3});  // T1
    one("tile2", {10, 5, 8, 3}, {10, 5, 4, 3});
    one("tile12", {10, 10, 8, 3}, {10, 5, 4, 3});
    one("tile3", {10, 5, 4, 6}, {10, 5, 4, 3});
    one("long_row", {20011, 2, 1, 1}, {20011, 1, 1, 1});
    one("many_short", {3, 400, 5, 2}, {3, 1, 5, 1});
}

void layouts(case_sink &add, const row &r, ggml_type type) {
    const std::string t = ggml_type_name(type);
    const extents ne{66, 6, 4, 3};
    const std::pair<const char *, layout> list[] = {
        {"gaps", gaps}, {"rows_outside", rows_outside}, {"transposed", transposed}, {"turned", turned}};
    for (const auto &[name, l] : list) {
        add_case(add, r, t + "_src0_" + name, {type, type, ne, ne, l, dense});
        add_case(add, r, t + "_src1_" + name, {type, type, ne, {66, 1, 4, 3}, dense, l});
    }
    for (const int64_t nb1 : {65536, 65540, 131072}) {  // T18
        const layout far{{0, 1, 2, 3}, {}, 0, nb1};
        add_case(add, r, t + "_nb1_" + std::to_string(nb1), {type, type, {20, 6, 1, 1}, {20, 6, 1, 1}, far, far});
    }
}

void drawn(case_sink &add, const row &r, ggml_type type) {
    generator g(seed_of(r.name) + static_cast<uint64_t>(type));
    for (int i = 0; i < 6; ++i) {
        const extents b{1 + g.below(40), 1 + g.below(5), 1 + g.below(4), 1 + g.below(3)};
        extents a = b;
        for (int64_t &n : a) n *= 1 + g.below(3);
        add_case(add, r, std::string(ggml_type_name(type)) + "_drawn" + std::to_string(i),
                 {type, type, a, b, random_layout(g, false), random_layout(g, false)});
    }
}

const register_cases cases("binary", [](case_sink &add) {
    for (const row &r : table) {
        for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
            broadcasts(add, r, type);
            layouts(add, r, type);
            drawn(add, r, type);
            add_case(add, r, std::string(ggml_type_name(type)) + "_specials",
                     {type, type, {333, 3, 1, 1}, {333, 3, 1, 1}, dense, dense, specials, specials});
        }
        add_case(add, r, "f16_f32", {GGML_TYPE_F16, GGML_TYPE_F32, {130, 5, 2, 1}, {130, 1, 2, 1}});
        add_case(add, r, "bf16_f32", {GGML_TYPE_BF16, GGML_TYPE_F32, {130, 5, 2, 1}, {1, 5, 1, 1}});
        add_case(add, r, "f32_wide",
                 {GGML_TYPE_F32, GGML_TYPE_F32, {500, 4, 1, 1}, {500, 4, 1, 1}, dense, dense, wide});
        const make in_place = r.build == ggml_add   ? ggml_add_inplace
                              : r.build == ggml_sub ? ggml_sub_inplace
                              : r.build == ggml_mul ? ggml_mul_inplace
                                                    : ggml_div_inplace;
        add({.name = std::string(r.name) + "_stride_zero",
             .build =
                 [=](workbench &b) {
                     ggml_tensor *x = b.input(GGML_TYPE_F32, {64, 5, 1, 1}, gauss, gaps);
                     x->nb[0] = 0;
                     return r.build(b.ctx, x, b.input(GGML_TYPE_F32, {64, 5, 1, 1}, divisors));
                 },
             .rejected = true});
        add({.name = std::string(r.name) + "_in_place", .build = [=](workbench &b) {
                 ggml_tensor *x = b.input(GGML_TYPE_F32, {66, 6, 4, 3}, gauss, gaps);
                 return in_place(b.ctx, x, b.input(GGML_TYPE_F32, {66, 6, 1, 3}, divisors));
             }});
    }
});

const register_drawing drawing("binary", [](workbench &b, generator &g) {
    const row &r = one_of(g, table);
    const ggml_type type = one_of(g, float_types);
    const extents small = random_extents(g, 2000);
    extents large = small;
    for (int64_t &n : large) n *= g.below(3) ? 1 : 1 + g.below(3);
    ggml_tensor *x = b.input(type, large, g.below(8) ? gauss : specials, random_layout(g, g.below(2)));
    const ggml_type other = g.below(4) ? type : GGML_TYPE_F32;
    return r.build(b.ctx, x, b.input(other, small, divisors, random_layout(g, g.below(2))));
});

}  // namespace
}  // namespace hexane::testing
