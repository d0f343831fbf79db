// tests/harness/op_case.h -- what an op's test.cpp says: cases, and an oracle in double precision.
//
//   const register_rule rule({"SCALE"}, [](const ggml_tensor *) -> std::vector<expectation> { return {{scaled, f32_close}}; });
//   const register_cases cases("scale", [](case_sink &add) {
//       add({.name = "f32_row", .build = [](workbench &b) { return ggml_scale(b.ctx, b.input(GGML_TYPE_F32, {100, 3}), 2.0f); }});
//   });
//
// The rule is also what a recorded op is held to when it is replayed (tests/replay).
//
// The harness fills the inputs from the case's seed, and then asks of every case: is the plan accepted wherever it must be, and monotone;
// is the result right on every arch, with any number of threads, with any VTCM that the planner accepts, transfers served
// late or in place; are the bits the same each time; is every byte outside the result untouched; and the same once more
// through ggml, the plug-in and a session of the virtual NPU.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <ggml.h>

#include "tests/harness/number.h"

namespace hexane::testing {

using extents = std::array<int64_t, 4>;

// A tensor's elements in index order, dimension 0 fastest.
struct values {
    extents ne{1, 1, 1, 1};
    std::vector<double> v;

    explicit values(const extents &e) : ne(e), v(static_cast<size_t>(e[0] * e[1] * e[2] * e[3])) {}
    size_t index(int64_t i0, int64_t i1, int64_t i2, int64_t i3) const {
        return static_cast<size_t>(((i3 * ne[2] + i2) * ne[1] + i1) * ne[0] + i0);
    }
    double &at(int64_t i0, int64_t i1, int64_t i2, int64_t i3) { return v[index(i0, i1, i2, i3)]; }
    double at(int64_t i0, int64_t i1, int64_t i2, int64_t i3) const { return v[index(i0, i1, i2, i3)]; }
};

extents extents_of(const ggml_tensor *t);

// How the elements of an input lie in memory. Strides are made by walking the dimensions in `order`, each padded by `pad` elements; then the
// strides of dimensions above 0 are raised to `least_row_bytes` for dimension 1.
struct layout {
    std::array<int, 4> order{0, 1, 2, 3};
    std::array<int64_t, 4> pad{0, 0, 0, 0};
    int64_t offset = 0;  // elements (blocks, for block types) before the first one
    int64_t least_row_bytes = 0;
    bool is_dense() const;
};

inline const layout dense{};
// Rows with a gap behind each, which begins at an odd place.
inline const layout gaps{{0, 1, 2, 3}, {3, 1, 2, 0}, 5};
// Gaps behind rows only: what ggml calls contiguous in dimensions 1 and up.
inline const layout row_gaps{{0, 1, 2, 3}, {7, 0, 0, 0}, 3};
inline const layout whole_block_gaps{{0, 1, 2, 3}, {32, 1, 2, 0}, 1};
inline const layout rows_outside{{0, 2, 1, 3}, {}, 0};  // ggml_permute(0, 2, 1, 3)
inline const layout transposed{{1, 0, 2, 3}, {}, 0};
inline const layout turned{{3, 2, 1, 0}, {1, 0, 1, 0}, 2};
// Strides that no 16-bit field of a descriptor holds.
inline const layout far_rows{{0, 1, 2, 3}, {}, 0, 65540};

// A layout drawn at random. `dim0_first`: rows stay dense.
layout random_layout(generator &g, bool dim0_first);

// What the elements of an input are drawn from.
struct distribution {
    enum kind { uniform, normal, spread, special, nonzero, index, holes } which = uniform;
    double low = -1, high = 1;
};
inline constexpr distribution unit{};
inline constexpr distribution gauss{distribution::normal, 0, 1};
// Magnitudes over many binades, both signs.
inline constexpr distribution wide{distribution::spread, 1e-6, 1e4};
// The values at which functions go wrong: zeros of both signs, denormals, huge ones, infinities, NaN.
inline constexpr distribution specials{distribution::special, -4, 4};
// A NaN now and then among numbers.
inline constexpr distribution with_nans{distribution::holes, -1, 1};
// Away from zero.
inline constexpr distribution divisors{distribution::nonzero, 0.1, 3};
constexpr distribution range(double low, double high) { return {distribution::uniform, low, high}; }
// Whole numbers 0 .. count-1, a different one each as long as there are.
constexpr distribution indices(int64_t count) { return {distribution::index, 0, static_cast<double>(count)}; }

// An input: where its bytes live and how they are filled.
struct input {
    ggml_tensor *storage;  // what is allocated
    ggml_tensor *view;     // what the op sees; `storage` itself if it is dense
    distribution from;
};

// Builds the one-op graph of a case. Owns nothing: tensors live in `ctx`, which allocates no data.
class workbench {
  public:
    explicit workbench(ggml_context *context) : ctx(context) {}

    ggml_tensor *input(ggml_type type, const extents &ne, const distribution &from = unit, const layout &l = dense);
    // The same, in a buffer of weights: a quantised one may be turned into tiles.
    ggml_tensor *weight(ggml_type type, const extents &ne, const distribution &from = unit);

    ggml_context *ctx;
    std::vector<hexane::testing::input> inputs;
    std::vector<const ggml_tensor *> weights;
};

// Result of the op from its sources, in index order of dst. `node` tells the op's parameters and the shape of dst.
using oracle = std::function<values(const std::vector<values> &src, const ggml_tensor *node)>;

// How far a result may be from the oracle's. Results that are not finite must be the same infinity, or both NaN.
struct tolerance {
    double nmse;   // sum of squared errors / sum of squares of the oracle's values, each rounded to the type of dst
    double worst;  // largest error of one element / max(its value, root mean square of all)
};
// Bit by bit after one rounding.
inline constexpr tolerance exact{0, 0};
constexpr bool is_exact(const tolerance &t) { return t.worst == 0; }

struct expectation {
    oracle result;
    tolerance within;
};

// What every node of an op is held to, told from the node alone.
using rule = std::vector<expectation> (*)(const ggml_tensor *node);

// The rule of some ops, by the names that ggml_op_desc() gives them. Objects of this type register themselves when the program starts.
class register_rule {
  public:
    register_rule(std::initializer_list<const char *> op_names, rule r, const char *file = __builtin_FILE());
};

// Null for an op that has none.
rule find_rule(const std::string &op_name);

// The folder of the file that registers the rule of an op: the op's folder in ops/. Empty for an op that has none.
std::string folder_of_rule(const std::string &op_name);

struct op_case {
    std::string name;
    std::function<ggml_tensor *(workbench &)> build;
    std::vector<expectation> expect = {};  // none: the rule of the op
    const char *op_name = nullptr;         // if it is not ggml's name of the node
    bool in_graph = true;                  // also through ggml; false for what ggml cannot say
    const char *fails_with = nullptr;      // the op must fail, and this is part of the reason
    bool rejected = false;                 // the planner must refuse it, whatever the hardware
    bool plan_only = false;                // too large to run: only the planner is asked
    bool non_finite = false;               // NaN and infinities are strewn into every float operand
    bool may_be_refused = false;           // drawn at random: a planner may say no, but then on every hardware
};

// The case's own expectations, else those of the op's rule. None for a case that has no result.
std::vector<expectation> expectations_of(const op_case &c, const ggml_tensor *node);

class case_sink {
  public:
    explicit case_sink(std::vector<op_case> &out) : out_(out) {}
    void operator()(op_case c) { out_.push_back(std::move(c)); }

  private:
    std::vector<op_case> &out_;
};

// The cases of one op folder. Objects of this type register themselves when the program starts.
class register_cases {
  public:
    register_cases(const char *folder, void (*list)(case_sink &));
};

// Builds one case of an op folder at random: any shape of moderate size, type, stride and permutation that ggml can say, held to the
// op's rule.
using drawing = ggml_tensor *(*)(workbench & b, generator &g);
class register_drawing {
  public:
    register_drawing(const char *folder, drawing draw);
};

struct drawn_folder {
    const char *name;
    drawing draw;
};
const std::vector<drawn_folder> &drawn_folders();

// Extents with at most `most` elements: short and long rows, ones in any place.
extents random_extents(generator &g, int64_t most);
// One of a list.
template <class T, size_t N> T one_of(generator &g, const T (&list)[N]) { return list[g.below(N)]; }
inline constexpr ggml_type float_types[] = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16};

struct case_folder {
    const char *name;
    void (*list)(case_sink &);
};
const std::vector<case_folder> &case_folders();

}  // namespace hexane::testing
