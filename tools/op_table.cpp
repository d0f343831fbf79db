// tools/op_table.cpp -- prints docs/ops.md: a fold over all ops, with the types that each planner accepts.
//
// Nothing here is written by hand about an op: operand types are found by asking its planner about small tensors in the shapes that
// ggml's ops have.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "ops/all_ops.h"
#include "plan/plan.h"

namespace hexane {
namespace {

using plan::node;
using plan::tensor_shape;

struct named_type {
    data_type type;
    const char *name;
};
constexpr named_type types[] = {{data_type::f32, "f32"}, {data_type::f16, "f16"},   {data_type::bf16, "bf16"},
                                {data_type::i32, "i32"}, {data_type::i64, "i64"},   {data_type::i16, "i16"},
                                {data_type::i8, "i8"},   {data_type::q4_0, "q4_0"}, {data_type::q8_0, "q8_0"}};

constexpr hardware least{arch::v73, 1, 0, min_vtcm_bytes, session_scratch_bytes, 1ull << 30};

tensor_shape tensor(data_type type, int64_t n0, int64_t n1) {
    tensor_shape t{};
    t.type = static_cast<uint32_t>(type);
    t.ne[0] = n0;
    t.ne[1] = n1;
    t.ne[2] = t.ne[3] = 1;
    t.nb[0] = block_bytes(type);
    t.nb[1] = t.row_bytes();
    t.nb[2] = t.nb[3] = t.nb[1] * static_cast<uint64_t>(n1);
    return t;
}

// Extents of src0, src1 and dst, as one of ggml's kinds of op has them. n1 = 0: no src1.
struct form {
    int64_t a[2], b[2], d[2];
};
constexpr form forms[] = {
    {{64, 4}, {0, 0}, {64, 4}},   // one source
    {{64, 4}, {64, 4}, {64, 4}},  // two sources
    {{128, 4}, {0, 0}, {64, 4}},  // both halves in one source
    {{64, 4}, {64, 3}, {4, 3}},   // a product of matrices
    {{64, 4}, {4, 1}, {64, 9}},   // rows by index
};

template <class Op> bool accepts(const form &f, data_type a, data_type b, data_type d) {
    node n{};
    n.op = Op::id;
    for (tensor_shape &s : n.src) s.type = 0xffffffffu;
    n.src[0] = tensor(a, f.a[0], f.a[1]);
    n.n_src = 1;
    if (f.b[1]) {
        n.src[1] = tensor(b, f.b[0], f.b[1]);
        n.n_src = 2;
    }
    n.dst = tensor(d, f.d[0], f.d[1]);
    return plan::plan<owner_of<Op>>(n, least).accepted();
}

// Lines such as "f32, f16 -> f32"; results of the same sources share a line.
template <class Op> std::vector<std::string> operand_types(const form &f) {
    std::vector<std::string> lines;
    for (const named_type &a : types) {
        for (const named_type &b : types) {
            std::string results;
            for (const named_type &d : types) {
                if (accepts<Op>(f, a.type, b.type, d.type))
                    results += (results.empty() ? "" : " / ") + std::string(d.name);
            }
            if (!results.empty())
                lines.push_back(std::string(a.name) + (f.b[1] ? std::string(", ") + b.name : "") + " → " + results);
            if (!f.b[1]) break;
        }
    }
    return lines;
}

// An op that looks at one source only accepts any second one: then the form with one source says all.
template <class Op> std::vector<std::string> operand_types() {
    std::vector<std::string> lines;
    const bool single = !operand_types<Op>(forms[0]).empty();
    for (const form &f : forms) {
        if (single && f.b[1] && operand_types<Op>(f).size() >= std::size(types)) continue;
        const std::vector<std::string> more = operand_types<Op>(f);
        for (const std::string &line : more) {
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
        }
    }
    return lines;
}

template <class Op> void print_row() {
    std::string joined;
    for (const std::string &line : operand_types<Op>()) joined += (joined.empty() ? "" : "<br>") + line;
    std::printf("| %s | %u | %zu | %s |\n", Op::name, static_cast<unsigned>(Op::id), sizeof(typename Op::kernel_params),
                joined.c_str());
}

}  // namespace
}  // namespace hexane

int main() {
    std::printf(
        "# Ops\n\n"
        "Made by the target `op_table` from `ops/all_ops.h` and the planners; a test checks that it is current. To renew it:\n"
        "`./hexane run -- build/release/tests/op_table > docs/ops.md`.\n\n"
        "Types are those of src0, src1 → dst. Shapes, strides and broadcasting are described in `ops/<op>/<op>.h`; what a planner\n"
        "refuses, it refuses with a reason, which `GGML_HEXAGON_VERBOSE=1` shows.\n\n"
        "| op | wire id | bytes of parameters | types |\n|---|---|---|---|\n");
    hexane::all_ops::for_each([]<class Op>() { hexane::print_row<Op>(); });
}
