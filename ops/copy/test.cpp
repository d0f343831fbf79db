// ops/copy/test.cpp -- CPY, CONT, DUP: every pair of types, and layouts on both sides.
#include <optional>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

// The elements in index order; the shapes may differ.
values in_order(const std::vector<values> &src, const ggml_tensor *node) {
    values out(extents_of(node));
    out.v = src[0].v;
    return out;
}

const register_rule every_node({"CPY", "CONT", "DUP"},
                               [](const ggml_tensor *) -> std::vector<expectation> { return {{in_order, exact}}; });

constexpr ggml_type floats[] = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16};

distribution for_types(ggml_type from, ggml_type to) {
    if (from == GGML_TYPE_I32 || to == GGML_TYPE_I32) return range(-1e6, 1e6);
    return gauss;
}

void copy_case(case_sink &add, const std::string &name, ggml_type from, ggml_type to, extents src, extents dst,
               layout src_layout, layout dst_layout, std::optional<distribution> d = std::nullopt) {
    add({.name = "cpy_" + std::string(ggml_type_name(from)) + "_" + ggml_type_name(to) + "_" + name,
         .build = [=](workbench &b) {
             ggml_tensor *x = b.input(from, src, d.value_or(for_types(from, to)), src_layout);
             return ggml_cpy(b.ctx, x, b.input(to, dst, unit, dst_layout));
         }});
}

void pairs(case_sink &add, ggml_type from, ggml_type to) {
    const extents ne{66, 5, 4, 3};
    const auto one = [&](const std::string &name, extents s, extents d, layout sl, layout dl) {
        copy_case(add, name, from, to, s, d, sl, dl);
    };
    one("dense", ne, ne, dense, dense);
    one("reshaped", ne, {45, 88, 1, 1}, dense, dense);
    one("transposed", {256, 4, 3, 1}, {256, 4, 3, 1}, transposed, dense);  // T7
    one("rows_outside", ne, ne, rows_outside, dense);
    one("into_gaps", ne, {11, 30, 4, 3}, dense, gaps);
    one("gaps_into_turned", ne, ne, gaps, turned);
    one("into_transposed", ne, ne, dense, transposed);
    one("single", {1, 1, 1, 1}, {1, 1, 1, 1}, dense, dense);
    one("column", {1, 300, 2, 1}, {300, 2, 1, 1}, gaps, dense);
    one("far_rows", {33, 6, 1, 1}, {33, 6, 1, 1}, far_rows, far_rows);
    generator g(seed_of("copy") + static_cast<uint64_t>(from) * 64 + static_cast<uint64_t>(to));
    for (int i = 0; i < 4; ++i) {
        const extents e{1 + g.below(70), 1 + g.below(9), 1 + g.below(5), 1 + g.below(4)};
        one("drawn" + std::to_string(i), e, {e[3], e[0], e[2], e[1]}, random_layout(g, false), random_layout(g, false));
    }
}

void contiguous_cases(case_sink &add, ggml_type type) {
    const auto one = [&](const std::string &name, extents ne, layout l) {
        add({.name = "cont_" + std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return ggml_cont(b.ctx, b.input(type, ne, range(-1e4, 1e4), l)); }});
        add({.name = "dup_" + std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return ggml_dup(b.ctx, b.input(type, ne, range(-1e4, 1e4), l)); }});
    };
    one("dense", {100, 7, 3, 2}, dense);
    one("transposed", {33, 65, 3, 2}, transposed);
    one("row_starts", {256, 16, 1, 1}, layout{{0, 1, 2, 3}, {768, 0, 0, 0}, 0});  // T10
    one("elements_apart", {256, 16, 1, 1}, layout{{1, 0, 2, 3}, {0, 496, 0, 0}, 0});
    one("turned", {10, 5, 4, 3}, turned);
}

// Blocks move whole.
void same_quantised(case_sink &add, ggml_type type) {
    add({.name = "cpy_" + std::string(ggml_type_name(type)) + "_same", .build = [=](workbench &b) {
             ggml_tensor *x = b.input(type, {128, 5, 3, 1}, unit, rows_outside);
             return ggml_cpy(b.ctx, x, b.input(type, {128, 5, 3, 1}));
         }});
}

const register_cases cases("copy", [](case_sink &add) {
    for (const ggml_type from : floats) {
        for (const ggml_type to : floats) {
            pairs(add, from, to);
            copy_case(add, "specials", from, to, {500, 3, 1, 1}, {500, 3, 1, 1}, dense, dense, specials);
            copy_case(add, "binades", from, to, {500, 3, 1, 1}, {500, 3, 1, 1}, dense, dense,
                      distribution{distribution::spread, 1e-9, 7e4});
        }
        contiguous_cases(add, from);
    }
    pairs(add, GGML_TYPE_I32, GGML_TYPE_I32);
    pairs(add, GGML_TYPE_F32, GGML_TYPE_I32);
    pairs(add, GGML_TYPE_I32, GGML_TYPE_F32);
    contiguous_cases(add, GGML_TYPE_I32);
    same_quantised(add, GGML_TYPE_Q4_0);
    same_quantised(add, GGML_TYPE_Q8_0);
    copy_case(add, "large", GGML_TYPE_F32, GGML_TYPE_F32, {128, 128, 32, 1}, {524288, 1, 1, 1}, dense, dense);  // T8
});

const register_drawing drawing("copy", [](workbench &b, generator &g) {
    const ggml_type from = one_of(g, float_types), to = one_of(g, float_types);
    const extents ne = random_extents(g, 6000);
    ggml_tensor *x = b.input(from, ne, for_types(from, to), random_layout(g, false));
    if (g.below(4) == 0) return g.below(2) ? ggml_cont(b.ctx, x) : ggml_dup(b.ctx, x);
    // The same number of elements in another shape.
    extents turned = ne;
    std::swap(turned[g.below(4)], turned[g.below(4)]);
    if (g.below(2)) turned = {ne[0] * ne[1], ne[2], ne[3], 1};
    return ggml_cpy(b.ctx, x, b.input(to, turned, unit, random_layout(g, false)));
});

}  // namespace
}  // namespace hexane::testing
