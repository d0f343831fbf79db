// ops/set_rows/test.cpp -- rows out of order into a cache, other rows untouched, bad indices refused.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

// Source 2 is the cache as it was before.
values scattered(const std::vector<values> &src, const ggml_tensor *) {
    const values &rows = src[0], &index = src[1];
    values out = src[2];
    for (int64_t i3 = 0; i3 < rows.ne[3]; ++i3)
        for (int64_t i2 = 0; i2 < rows.ne[2]; ++i2)
            for (int64_t i1 = 0; i1 < rows.ne[1]; ++i1) {
                const auto to = static_cast<int64_t>(index.at(i1, i2 % index.ne[1], i3 % index.ne[2], 0));
                for (int64_t i0 = 0; i0 < rows.ne[0]; ++i0) out.at(i0, to, i2, i3) = rows.at(i0, i1, i2, i3);
            }
    return out;
}

// The same with the rows as ggml quantises them: ggml's own function, decoded by the harness. Of a block with an infinity or a NaN ggml makes
// numbers; ours is all NaN.
values quantised(const std::vector<values> &src, const ggml_tensor *node) {
    std::vector<values> decoded = src;
    const auto n0 = src[0].ne[0], rows = static_cast<int64_t>(src[0].v.size()) / n0;
    const auto block = static_cast<size_t>(ggml_blck_size(node->type));
    std::vector<float> plain(src[0].v.begin(), src[0].v.end());
    std::set<size_t> lost;
    for (size_t i = 0; i < plain.size(); ++i) {
        if (std::isfinite(plain[i])) continue;
        plain[i] = 0;
        lost.insert(i / block);
    }
    std::vector<uint8_t> blocks(ggml_row_size(node->type, n0) * static_cast<size_t>(rows));
    ggml_quantize_chunk(node->type, plain.data(), blocks.data(), 0, rows, n0, nullptr);
    decode(node->type, blocks.data(), plain.size(), decoded[0].v.data());
    for (const size_t b : lost)
        std::fill_n(decoded[0].v.begin() + static_cast<ptrdiff_t>(b * block), block, std::nan(""));
    return scattered(decoded, node);
}

const register_rule every_node({"SET_ROWS"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{is_plain(node->type) ? scattered : quantised, exact}};
});

struct shapes {
    extents cache;
    int64_t n_rows;
    int64_t index_ne1 = 1, index_ne2 = 1;
};

ggml_tensor *build(workbench &b, ggml_type to, ggml_type index, const shapes &s, const layout &l,
                   const distribution &which, const distribution &from = gauss) {
    ggml_tensor *cache = b.input(to, s.cache, gauss);
    ggml_tensor *rows = b.input(GGML_TYPE_F32, {s.cache[0], s.n_rows, s.cache[2], s.cache[3]}, from, l);
    ggml_tensor *node =
        ggml_set_rows(b.ctx, cache, rows, b.input(index, {s.n_rows, s.index_ne1, s.index_ne2, 1}, which));
    return node;
}

const register_cases cases("set_rows", [](case_sink &add) {
    const auto one = [&](const std::string &name, ggml_type to, ggml_type index, const shapes &s,
                         const layout &l = dense) {
        add({.name = std::string(ggml_type_name(to)) + "_" + ggml_type_name(index) + "_" + name,
             .build = [=](workbench &b) { return build(b, to, index, s, l, indices(s.cache[1])); }});
    };
    for (const ggml_type to : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) {
        for (const ggml_type index : {GGML_TYPE_I64, GGML_TYPE_I32}) {
            one("one", to, index, {{1024, 64, 1, 1}, 1});  // T33
            one("many", to, index, {{128, 600, 1, 1}, 512});
            one("odd", to, index, {{33, 17, 3, 2}, 5});
            one("per_plane", to, index, {{65, 20, 4, 2}, 7, 4, 2});
            one("repeated_index", to, index, {{64, 20, 6, 2}, 7, 3, 1});
            one("gaps", to, index, {{64, 20, 3, 1}, 7}, gaps);
            one("all", to, index, {{100, 40, 1, 1}, 40});
            one("narrow", to, index, {{1, 300, 1, 1}, 150});
        }
    }
    one("long_row", GGML_TYPE_F16, GGML_TYPE_I64, {{70001, 3, 1, 1}, 2});
    const auto to_blocks = [&](const std::string &name, ggml_type to, const shapes &s, const distribution &d,
                               const layout &l = dense) {
        add({.name = std::string(ggml_type_name(to)) + "_" + name,
             .build = [=](workbench &b) { return build(b, to, GGML_TYPE_I64, s, l, indices(s.cache[1]), d); }});
    };
    for (const ggml_type to : {GGML_TYPE_Q8_0, GGML_TYPE_Q4_0}) {
        to_blocks("one_block", to, {{32, 5, 1, 1}, 1}, gauss);
        to_blocks("one", to, {{1024, 64, 1, 1}, 1}, gauss);
        to_blocks("many", to, {{128, 600, 1, 1}, 512}, gauss);
        to_blocks("planes", to, {{96, 17, 3, 2}, 5, 3, 2}, wide);
        to_blocks("gaps", to, {{64, 20, 3, 1}, 7}, unit, gaps);
        to_blocks("zeros", to, {{320, 9, 1, 1}, 4}, {distribution::nonzero, 0, 0});          // of both signs
        to_blocks("halves", to, {{32 * 33, 300, 1, 1}, 200}, {distribution::index, 0, 17});  // ties of all kinds
        to_blocks("signs", to, {{64, 300, 1, 1}, 200}, {distribution::nonzero, 3, 3});       // +3 and -3 only
        to_blocks("long_row", to, {{70016, 3, 1, 1}, 2}, gauss);
    }
    add({.name = "part_of_a_block",
         .build =
             [](workbench &b) {
                 ggml_tensor *node = build(b, GGML_TYPE_F32, GGML_TYPE_I64, {{40, 5, 1, 1}, 2}, dense, indices(5));
                 node->type = GGML_TYPE_Q8_0;
                 return node;
             },
         .expect = {},
         .in_graph = false,
         .rejected = true});
    for (const double bad : {-1.0, 20.0, 1e9}) {
        add({.name = "index_" + std::to_string(static_cast<int64_t>(bad)),
             .build =
                 [=](workbench &b) {
                     return build(b, GGML_TYPE_F16, GGML_TYPE_I64, {{64, 20, 1, 1}, 3}, dense, range(bad, bad));
                 },
             .expect = {},
             .fails_with = "index"});
    }
});

const register_drawing drawing("set_rows", [](workbench &b, generator &g) {
    static constexpr ggml_type types[] = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0};
    const ggml_type to = one_of(g, types);
    extents cache = random_extents(g, 20000);
    if (ggml_blck_size(to) > 1) cache[0] = (cache[0] + 31) / 32 * 32;
    const int64_t n_rows = 1 + g.below(static_cast<uint32_t>(cache[1]));
    const shapes s{cache, n_rows, g.below(2) ? cache[2] : 1, g.below(2) ? cache[3] : 1};
    return build(b, to, g.below(2) ? GGML_TYPE_I64 : GGML_TYPE_I32, s, random_layout(g, true), indices(cache[1]));
});

}  // namespace
}  // namespace hexane::testing
