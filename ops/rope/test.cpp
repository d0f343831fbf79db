// ops/rope/test.cpp -- every mode, far positions, tails, offsets, strides, in place, and the way back.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

struct settings {
    extents ne{128, 5, 7, 1};
    int n_dims = 128;
    int mode = GGML_ROPE_TYPE_NORMAL;
    std::array<int, 4> sections{0, 0, 0, 0};
    int offset = 0;
    bool factors = false;
    bool in_place = false;
    bool back = false;
    int n_ctx_orig = 0;
    float freq_base = 10000, freq_scale = 1, ext_factor = 0, attn_factor = 1, beta_fast = 32, beta_slow = 1;
    distribution positions = range(0, 512);
    layout placed = dense;

    bool many_positions() const { return mode & GGML_ROPE_TYPE_MROPE; }
    int pairs() const { return mode == GGML_ROPE_TYPE_VISION ? n_dims : n_dims / 2; }
};

// ggml.h's description, in double: position and power of the ratio that each pair has.
struct pair_source {
    int position, power;
};
std::vector<pair_source> pair_sources(const settings &s) {
    const int ends[3] = {s.sections[0], s.sections[0] + s.sections[1], s.sections[0] + s.sections[1] + s.sections[2]};
    const int period = ends[2] + s.sections[3];
    std::vector<pair_source> out;
    for (int i = 0; i < s.pairs(); ++i) {
        pair_source p{0, i};
        const int sector = s.many_positions() ? i % period : 0;
        if (s.mode == GGML_ROPE_TYPE_IMROPE) {
            p.position = sector < 3 * s.sections[static_cast<size_t>(sector % 3)] ? sector % 3 : 3;
        } else if (s.many_positions()) {
            p.position = static_cast<int>(std::count_if(ends, ends + 3, [&](int end) { return sector >= end; }));
            if (s.mode == GGML_ROPE_TYPE_VISION) p.power = p.position == 0 ? sector : sector - ends[p.position - 1];
        }
        out.push_back(p);
    }
    return out;
}

// What YaRN makes of an angle of pair i.
double stretched(const settings &s, double angle, int i) {
    if (s.ext_factor == 0) return angle * double{s.freq_scale};
    float dims[2];
    ggml_rope_yarn_corr_dims(s.n_dims, s.n_ctx_orig, s.freq_base, s.beta_fast, s.beta_slow, dims);
    const double ramp = (i - double{dims[0]}) / std::max(0.001, double{dims[1]} - dims[0]);
    const double mix = (1 - std::clamp(ramp, 0.0, 1.0)) * double{s.ext_factor};
    return angle * double{s.freq_scale} * (1 - mix) + angle * mix;
}

oracle oracle_of(const settings &s) {
    return [s](const std::vector<values> &src, const ggml_tensor *) {
        const values &x = src[0], &at = src[1];
        const auto sources = pair_sources(s);
        const double magnitude =
            double{s.attn_factor} * (s.ext_factor == 0 ? 1 : 1 + 0.1 * std::log(1 / double{s.freq_scale}));
        values out = x;
        for (int64_t i2 = 0; i2 < x.ne[2]; ++i2) {
            for (int i = 0; i < s.pairs(); ++i) {
                const auto [which, power] = sources[static_cast<size_t>(i)];
                double angle = at.v[static_cast<size_t>(which * x.ne[2] + i2)] *
                               std::pow(double{s.freq_base}, -2.0 * power / s.n_dims);
                if (s.factors) angle /= src[2].v[static_cast<size_t>(i)];
                angle = stretched(s, angle, i);
                const double c = std::cos(angle) * magnitude, d = std::sin(angle) * magnitude * (s.back ? -1 : 1);
                const bool neighbours = s.mode == GGML_ROPE_TYPE_NORMAL;
                const int64_t a = s.offset + (neighbours ? 2 * i : i), b = a + (neighbours ? 1 : s.pairs());
                for (int64_t i3 = 0; i3 < x.ne[3]; ++i3) {
                    for (int64_t i1 = 0; i1 < x.ne[1]; ++i1) {
                        const double u = x.at(a, i1, i2, i3), v = x.at(b, i1, i2, i3);
                        out.at(a, i1, i2, i3) = u * c - v * d;
                        out.at(b, i1, i2, i3) = u * d + v * c;
                    }
                }
            }
        }
        return out;
    };
}

// Cosines and sines are good to two units of 2^-24 at any position; two products of an element four times the mean.
tolerance tolerance_of(ggml_type type) {
    if (type == GGML_TYPE_F16) return {1e-6, 2e-3};
    if (type == GGML_TYPE_BF16) return {1e-4, 1.6e-2};
    return {1e-13, 2e-6};
}

// The settings that ggml keeps in the params of a node.
settings settings_of(const ggml_tensor *node) {
    const auto number = [node](int i) { return node->op_params[i]; };
    const auto real = [node](int i) {
        float f;
        std::memcpy(&f, &node->op_params[i], sizeof f);
        return f;
    };
    return {.n_dims = number(1),
            .mode = number(2),
            .sections = {number(11), number(12), number(13), number(14)},
            .offset = number(15),
            .factors = node->src[2] != nullptr,
            .back = node->op == GGML_OP_ROPE_BACK,
            .n_ctx_orig = number(4),
            .freq_base = real(5),
            .freq_scale = real(6),
            .ext_factor = real(7),
            .attn_factor = real(8),
            .beta_fast = real(9),
            .beta_slow = real(10)};
}

values from_node(const std::vector<values> &src, const ggml_tensor *node) {
    return oracle_of(settings_of(node))(src, node);
}

const register_rule every_node({"ROPE", "ROPE_BACK"}, [](const ggml_tensor *node) -> std::vector<expectation> {
    return {{from_node, tolerance_of(node->type)}};
});

ggml_tensor *build(workbench &b, const settings &s, ggml_type type) {
    ggml_tensor *x = b.input(type, s.ne, gauss, s.placed);
    ggml_tensor *at = b.input(GGML_TYPE_I32, {s.ne[2] * (s.many_positions() ? 4 : 1), 1, 1, 1}, s.positions);
    ggml_tensor *factors = s.factors ? b.input(GGML_TYPE_F32, {s.pairs(), 1, 1, 1}, range(0.5, 60)) : nullptr;
    int sections[4];
    std::copy(s.sections.begin(), s.sections.end(), sections);
    const auto make = [&](auto function, auto... extra) {
        return function(b.ctx, x, at, factors, s.n_dims, extra..., s.mode, s.n_ctx_orig, s.freq_base, s.freq_scale,
                        s.ext_factor, s.attn_factor, s.beta_fast, s.beta_slow);
    };
    ggml_tensor *node;
    if (s.many_positions()) {
        node = s.back       ? make(ggml_rope_multi_back, sections)
               : s.in_place ? make(ggml_rope_multi_inplace, sections)
                            : make(ggml_rope_multi, sections);
    } else {
        node = s.back ? make(ggml_rope_ext_back) : s.in_place ? make(ggml_rope_ext_inplace) : make(ggml_rope_ext);
    }
    return s.offset ? ggml_rope_set_offset(node, s.offset) : node;
}

const distribution far = range(130000, 131071.9);  // the last positions of a context of 128 K

void cases_of(case_sink &add, ggml_type type) {
    const auto one = [&](const std::string &name, const settings &s) {
        add({.name = std::string(ggml_type_name(type)) + "_" + name,
             .build = [=](workbench &b) { return build(b, s, type); },
             // What the case asks for, and what its node says of it.
             .expect = {{oracle_of(s), tolerance_of(type)}, {from_node, tolerance_of(type)}}});
    };
    constexpr int normal = GGML_ROPE_TYPE_NORMAL, neox = GGML_ROPE_TYPE_NEOX;
    for (const int mode : {normal, neox}) {
        const std::string prefix = mode == normal ? "normal_" : "neox_";
        one(prefix + "128", {.mode = mode});
        one(prefix + "far", {.mode = mode, .positions = far});
        one(prefix + "far_base_1e6", {.mode = mode, .factors = true, .freq_base = 1e6f, .positions = far});
        one(prefix + "largest", {.ne = {64, 2, 9, 1}, .n_dims = 64, .mode = mode, .positions = range(2e9, 2147483647)});
        one(prefix + "negative", {.mode = mode, .positions = range(-131071, -1)});
        one(prefix + "64_in_place", {.ne = {64, 3, 40, 1}, .n_dims = 64, .mode = mode, .in_place = true});
        one(prefix + "part", {.ne = {80, 4, 5, 2}, .n_dims = 20, .mode = mode});
        one(prefix + "offset", {.ne = {96, 4, 5, 2}, .n_dims = 64, .mode = mode, .offset = 22});
        one(prefix + "odd_pairs", {.ne = {37, 3, 5, 2}, .n_dims = 26, .mode = mode, .offset = 4});
        one(prefix + "two", {.ne = {2, 5, 6, 2}, .n_dims = 2, .mode = mode});
        one(prefix + "none", {.ne = {33, 5, 6, 2}, .n_dims = 0, .mode = mode});
        one(prefix + "long_row", {.ne = {3000, 2, 2, 1}, .n_dims = 2950, .mode = mode, .factors = true});
        one(prefix + "one_position", {.ne = {128, 32, 1, 1}, .mode = mode, .factors = true});
        one(prefix + "batches", {.ne = {64, 33, 5, 3}, .n_dims = 64, .mode = mode});
        one(prefix + "many_positions", {.ne = {16, 1, 700, 1}, .n_dims = 16, .mode = mode});
        one(prefix + "gaps", {.ne = {96, 3, 20, 2}, .n_dims = 96, .mode = mode, .placed = gaps});
        one(prefix + "gaps_in_place",
            {.ne = {96, 3, 20, 2}, .n_dims = 90, .mode = mode, .in_place = true, .placed = gaps});
        one(prefix + "permuted", {.ne = {64, 6, 9, 2}, .n_dims = 64, .mode = mode, .placed = rows_outside});
        one(prefix + "scaled", {.mode = mode, .freq_scale = 0.25f, .attn_factor = 1.4245f, .positions = far});
        one(prefix + "yarn",
            {.mode = mode, .n_ctx_orig = 4096, .freq_scale = 0.125f, .ext_factor = 1, .positions = range(0, 32767)});
        one(prefix + "yarn_step",
            {.mode = mode, .factors = true, .freq_scale = 1.4245f, .ext_factor = 0.7465f, .attn_factor = 1.4245f});
        one(prefix + "back", {.mode = mode, .factors = true, .back = true, .positions = far});
    }
    for (const int mode : {GGML_ROPE_TYPE_MROPE, GGML_ROPE_TYPE_IMROPE}) {
        const std::string prefix = mode == GGML_ROPE_TYPE_MROPE ? "mrope_" : "imrope_";
        one(prefix + "qwen", {.mode = mode, .sections = {16, 24, 24, 0}, .positions = far});
        one(prefix + "four", {.ne = {80, 3, 5, 2}, .n_dims = 76, .mode = mode, .sections = {5, 3, 7, 4}});
        one(prefix + "cycles",
            {.ne = {100, 2, 3, 1}, .n_dims = 100, .mode = mode, .sections = {4, 1, 2, 3}, .factors = true});
        one(prefix + "negative", {.mode = mode, .sections = {16, 24, 24, 0}, .positions = range(-9999, 9999)});
        one(prefix + "back",
            {.ne = {36, 4, 11, 1}, .n_dims = 36, .mode = mode, .sections = {12, 12, 12, 0}, .back = true});
    }
    one("vision", {.ne = {80, 16, 2, 1}, .n_dims = 40, .mode = GGML_ROPE_TYPE_VISION, .sections = {20, 20, 0, 0}});
    one("vision_short_sections", {.ne = {72, 3, 9, 1},
                                  .n_dims = 36,
                                  .mode = GGML_ROPE_TYPE_VISION,
                                  .sections = {9, 9, 0, 0},
                                  .factors = true,
                                  .in_place = true});
}

const register_cases cases("rope", [](case_sink &add) {
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16}) cases_of(add, type);
    const auto refused = [&](const std::string &name, const std::function<ggml_tensor *(workbench &)> &make) {
        add({.name = name, .build = make, .expect = {}, .rejected = true});
    };
    refused("unknown_mode", [](workbench &b) { return build(b, {.mode = 4}, GGML_TYPE_F32); });
    refused("base_below_one", [](workbench &b) { return build(b, {.freq_base = 0.5f}, GGML_TYPE_F32); });
    refused("transposed", [](workbench &b) { return build(b, {.placed = transposed}, GGML_TYPE_F32); });
    refused("scale_out_of_range", [](workbench &b) { return build(b, {.freq_scale = 1e9f}, GGML_TYPE_F32); });
});

const register_drawing drawing("rope", [](workbench &b, generator &g) {
    static constexpr int modes[] = {GGML_ROPE_TYPE_NORMAL, GGML_ROPE_TYPE_NEOX, GGML_ROPE_TYPE_MROPE,
                                    GGML_ROPE_TYPE_IMROPE, GGML_ROPE_TYPE_VISION};
    settings s;
    s.mode = one_of(g, modes);
    const auto few = [&](uint32_t most) { return static_cast<int64_t>(1 + g.below(most)); };
    s.ne = {2 * few(100), few(6), few(12), few(2)};
    const auto half = static_cast<uint32_t>(s.ne[0] / 2);
    s.n_dims = s.mode == GGML_ROPE_TYPE_VISION ? static_cast<int>(half) : static_cast<int>(2 * few(half));
    if (s.many_positions()) {
        for (int &n : s.sections) n = static_cast<int>(few((half + 1) / 2));  // together no longer than the row
    }
    s.factors = !s.many_positions() && g.below(3) == 0;
    s.back = g.below(4) == 0;
    s.freq_base = static_cast<float>(g.uniform(100, 1e6));
    if (g.below(3) == 0) {
        s.n_ctx_orig = 4096;
        s.freq_scale = 0.25f;
        s.ext_factor = 1;
    }
    s.positions = g.below(4) ? range(0, 5000) : far;
    s.placed = g.below(2) ? gaps : dense;
    return build(b, s, one_of(g, float_types));
});

}  // namespace
}  // namespace hexane::testing
