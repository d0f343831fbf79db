// ops/mul_mat/test.cpp -- products of every weight type, around every boundary of tiles, runs, blocks and passes.
//
// Quantised weights meet activations that are rounded to int8, which alone costs about 1.5e-5. So they are held to two oracles: the
// exact product, and closely the product with activations rounded as mul_mat.h documents.
#include <algorithm>
#include <cmath>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

values product(const values &w, const values &x, const ggml_tensor *node) {
    values out(extents_of(node));
    const int64_t r2 = x.ne[2] / w.ne[2], r3 = x.ne[3] / w.ne[3], k = w.ne[0];
    for (int64_t i3 = 0; i3 < out.ne[3]; ++i3)
        for (int64_t i2 = 0; i2 < out.ne[2]; ++i2)
            for (int64_t m = 0; m < out.ne[1]; ++m)
                for (int64_t n = 0; n < out.ne[0]; ++n) {
                    const double *a = &w.v[w.index(0, n, i2 / r2, i3 / r3)], *b = &x.v[x.index(0, m, i2, i3)];
                    double sum = 0;
                    for (int64_t i = 0; i < k; ++i) sum += a[i] * b[i];
                    out.at(n, m, i2, i3) = sum;
                }
    return out;
}

values exact_product(const std::vector<values> &src, const ggml_tensor *node) { return product(src[0], src[1], node); }

// Blocks of 32 along k: d = largest magnitude / 127 in f32, q = x / d rounded to nearest even.
values int8_activations(const values &x) {
    values out = x;
    for (size_t at = 0; at < x.v.size(); at += 32) {
        double most = 0;
        for (size_t i = at; i < at + 32; ++i) most = std::max(most, std::fabs(x.v[i]));  // and NaN stays one below
        const double d = static_cast<float>(most) / 127.0f;
        for (size_t i = at; i < at + 32; ++i) out.v[i] = d == 0 ? 0 : d * std::nearbyint(x.v[i] / d);
    }
    return out;
}

values int8_product(const std::vector<values> &src, const ggml_tensor *node) {
    return product(src[0], int8_activations(src[1]), node);
}

// A handful of results may cancel to nearly nothing, and errors relative to them mean little.
std::vector<expectation> expectations(ggml_type weights, int64_t results) {
    const bool few = results < 64;
    switch (weights) {
        case GGML_TYPE_Q4_0:
        case GGML_TYPE_Q8_0:
            if (few) return {{int8_product, {1e-5, 0.02}}};
            return {{int8_product, {1e-6, 0.02}}, {exact_product, {1e-4, 0.1}}};
        // Activations are rounded to f16, each column by its own factor.
        case GGML_TYPE_F16: return {{exact_product, {few ? 1e-4 : 3e-7, few ? 2e-2 : 4e-3}}};
        default: return {{exact_product, {few ? 1e-8 : 1e-11, few ? 1e-4 : 2e-5}}};
    }
}

const register_rule every_node({"MUL_MAT"}, [](const ggml_tensor *node) {
    return expectations(node->src[0]->type, ggml_nelements(node));
});

struct shapes {
    int64_t k, n, m;
    int64_t a = 1, b = 1, r2 = 1, r3 = 1;
};

void add_case(case_sink &add, const std::string &name, ggml_type weights, ggml_type activations, const shapes &s,
              const layout &wl = dense, const layout &xl = dense, distribution d = unit) {
    add({.name = std::string(ggml_type_name(weights)) + "_" + ggml_type_name(activations) + "_" + name,
         .build = [=](workbench &b) {
             const extents w{s.k, s.n, s.a, s.b};
             ggml_tensor *x = b.input(activations, {s.k, s.m, s.a * s.r2, s.b * s.r3}, d, xl);
             return ggml_mul_mat(b.ctx, wl.is_dense() ? b.weight(weights, w) : b.input(weights, w, unit, wl), x);
         }});
}

std::string text(const shapes &s) {
    return "k" + std::to_string(s.k) + "_n" + std::to_string(s.n) + "_m" + std::to_string(s.m);
}

constexpr ggml_type quantised[] = {GGML_TYPE_Q4_0, GGML_TYPE_Q8_0};
constexpr ggml_type all_weights[] = {GGML_TYPE_Q4_0, GGML_TYPE_Q8_0, GGML_TYPE_F16, GGML_TYPE_F32, GGML_TYPE_BF16};

void sizes(case_sink &add, ggml_type w, ggml_type x) {
    for (const int64_t k : {32, 256, 288, 1024 + 32})
        for (const int64_t n : {1, 2, 31, 32, 33, 100})
            for (const int64_t m : {1, 3, 8, 9, 33}) add_case(add, text({k, n, m}), w, x, {k, n, m});
}

void plain_tails(case_sink &add, ggml_type w, ggml_type x) {
    for (const int64_t k : {1, 4, 31, 33, 65, 129, 511, 513, 1500})  // T23
        for (const int64_t n : {1, 33, 70})
            for (const int64_t m : {1, 5, 17}) add_case(add, text({k, n, m}), w, x, {k, n, m});
}

void slices(case_sink &add, ggml_type w, ggml_type x) {
    const int64_t k = 256, n = 16;  // T24
    for (const int64_t m : {1, 8, 16}) {
        const std::string tail = "_m" + std::to_string(m);
        add_case(add, "slices" + tail, w, x, {k, n, m, 2, 3});
        add_case(add, "broadcast2" + tail, w, x, {k, n, m, 2, 3, 2, 1});
        add_case(add, "broadcast3" + tail, w, x, {k, n, m, 2, 3, 1, 2});
        add_case(add, "broadcast23" + tail, w, x, {k, n, m, 3, 2, 2, 3});
        add_case(add, "one_weight" + tail, w, x, {k, n, m, 1, 1, 4, 2});  // T11
        add_case(add, "columns_apart" + tail, w, x, {k, 40, m, 2, 1, 3, 1}, dense, rows_outside);
        add_case(add, "column_gaps" + tail, w, x, {k, 40, m, 2, 1, 1, 2}, dense, whole_block_gaps);
        add_case(add, "weights_permuted" + tail, w, x, {k, n, m, 4, 3}, rows_outside);
        add_case(add, "weights_gaps" + tail, w, x, {k, n, m, 4, 3}, whole_block_gaps);
        const layout turned_slices{{0, 3, 2, 1}, {}, 0}, swapped_slices{{0, 1, 3, 2}, {}, 0};
        add_case(add, "weights_turned" + tail, w, x, {k, n, m, 2, 3}, turned_slices, swapped_slices);
    }
}

// Real widths: many bands, several passes, long k.
void large(case_sink &add, ggml_type w) {
    add_case(add, "2560x512_m1", w, GGML_TYPE_F32, {2560, 512, 1});  // T15
    add_case(add, "2560x512_m17", w, GGML_TYPE_F32, {2560, 512, 17});
    add_case(add, "512x1023_m32", w, GGML_TYPE_F32, {512, 1023, 32});  // T14
    add_case(add, "256x96_m600", w, GGML_TYPE_F32, {256, 96, 600});
    add_case(add, "14336x64_m2", w, GGML_TYPE_F32, {14336, 64, 2});
    add_case(add, "65536x33_m1", w, GGML_TYPE_F32, {65536, 33, 1});
    add_case(add, "2048x64_m600", w, GGML_TYPE_F32, {2048, 64, 600});  // more columns than scratch holds at once
}

// A vocabulary of 248320 (T19), long contexts, and the widest rows that fit the window.
void huge(case_sink &add, ggml_type w) {
    const shapes list[] = {{4096, 248320, 1},   {4096, 248320, 8}, {8192, 28672, 512},
                           {28672, 8192, 4096}, {1 << 20, 64, 16}, {64, 1 << 20, 100}};
    for (const shapes &s : list) {
        if (static_cast<uint64_t>(s.k * s.n) / static_cast<uint64_t>(ggml_blck_size(w)) * ggml_type_size(w) > 500u
                                                                                                                  << 20)
            continue;
        add({.name = std::string(ggml_type_name(w)) + "_huge_" + text(s),
             .build =
                 [=](workbench &b) {
                     ggml_tensor *x = b.input(GGML_TYPE_F32, {s.k, s.m, 1, 1});
                     return ggml_mul_mat(b.ctx, b.weight(w, {s.k, s.n, 1, 1}), x);
                 },
             .expect = {},
             .plan_only = true});
    }
}

const register_cases cases("mul_mat", [](case_sink &add) {
    for (const ggml_type w : all_weights) {
        slices(add, w, GGML_TYPE_F32);
        large(add, w);
        huge(add, w);
        add_case(add, "wide_activations", w, GGML_TYPE_F32, {512, 65, 9}, dense, dense, wide);
        // Out of the range of f16, and below its smallest number.
        add_case(add, "huge_activations", w, GGML_TYPE_F32, {512, 65, 9}, dense, dense, range(-3e6, 3e6));
        add_case(add, "tiny_activations", w, GGML_TYPE_F32, {512, 65, 9}, dense, dense, range(-1e-9, 1e-9));
        add_case(add, "tiny_long_activations", w, GGML_TYPE_F32, {65536, 3, 1}, dense, dense, range(-1e-9, 1e-9));
        add_case(add, "nan_activations", w, GGML_TYPE_F32, {512, 65, 9}, dense, dense, with_nans);
        add_case(add, "zero_activations", w, GGML_TYPE_F32, {512, 65, 9}, dense, dense, range(0, 0));
    }
    for (const ggml_type w : quantised) {
        sizes(add, w, GGML_TYPE_F32);
        slices(add, w, GGML_TYPE_F16);
        add_case(add, "f16_activations", w, GGML_TYPE_F16, {544, 100, 13});
        add_case(add, "bf16_activations", w, GGML_TYPE_BF16, {544, 100, 13});
    }
    for (const ggml_type w : {GGML_TYPE_F16, GGML_TYPE_F32, GGML_TYPE_BF16}) {
        plain_tails(add, w, GGML_TYPE_F32);
        for (const ggml_type x : {GGML_TYPE_F16, GGML_TYPE_BF16}) {
            for (const int64_t k : {1, 7, 16, 17, 64, 545, 1100}) add_case(add, text({k, 100, 13}), w, x, {k, 100, 13});
        }
    }
    slices(add, GGML_TYPE_F16, GGML_TYPE_F16);
});

const register_drawing drawing("mul_mat", [](workbench &b, generator &g) {
    const ggml_type w = one_of(g, all_weights);
    const auto few = [&](uint32_t most) { return static_cast<int64_t>(1 + g.below(most)); };
    shapes s{few(700), few(150), g.below(3) ? few(40) : few(3), g.below(3) ? 1 : few(3), g.below(3) ? 1 : few(2)};
    if (ggml_blck_size(w) > 1) s.k = (s.k + 31) / 32 * 32;
    s.r2 = g.below(3) ? 1 : few(4);
    s.r3 = g.below(3) ? 1 : few(2);
    const extents rows{s.k, s.n, s.a, s.b};
    ggml_tensor *weights = g.below(3) ? b.weight(w, rows) : b.input(w, rows, unit, random_layout(g, true));
    ggml_tensor *x = b.input(g.below(4) ? GGML_TYPE_F32 : one_of(g, float_types), {s.k, s.m, s.a * s.r2, s.b * s.r3},
                             g.below(6) ? unit : wide, random_layout(g, true));
    return ggml_mul_mat(b.ctx, weights, x);
});

}  // namespace
}  // namespace hexane::testing
