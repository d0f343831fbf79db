// tools/op_table.cpp -- prints docs/ops.md: a fold over all ops, with the types that each planner accepts.
//
//   op_table             the page
//   op_table --folders   lines "folder NAME,NAME": the ops that ggml has, by the folder of ops/ that they stand in. README and the tests
//                        that run ggml's own suite take their lists from it
//
// Nothing here is written by hand about an op: operand types are found by asking its planner about small tensors in the shapes that
// ggml's ops have.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <ggml.h>

#include "ops/all_ops.h"
#include "plan/plan.h"
#include "tests/harness/op_case.h"

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

struct extents {
    int64_t n0, n1;
};

// Extents of the sources and of dst, as one of ggml's kinds of op has them.
struct form {
    std::vector<extents> src;
    extents dst;
};

// The forms that an op may have, which cannot do without `n_sources` sources.
std::vector<form> forms_of(uint32_t n_sources) {
    if (n_sources > 2) return {{std::vector<extents>(n_sources, {64, 4}), {64, 4}}};
    return {
        {{{64, 4}}, {64, 4}},           // one source
        {{{64, 4}, {64, 4}}, {64, 4}},  // two sources
        {{{128, 4}}, {64, 4}},          // both halves in one source
        {{{64, 4}, {64, 3}}, {4, 3}},   // a product of matrices
        {{{64, 4}, {4, 1}}, {64, 9}},   // rows by index
    };
}

// Asks the planner of an op about every combination of types that the tensors of a form can have.
template <class Op> class type_search {
  public:
    explicit type_search(const form &f) : form_(f) {
        node_.op = Op::id;
        for (tensor_shape &s : node_.src) s.type = 0xffffffffu;  // absent
        node_.n_src = static_cast<uint32_t>(f.src.size());
    }

    // Lines such as "f32, f16 → f32"; results of the same sources share a line.
    std::vector<std::string> lines() {
        choose_source(0, "");
        return std::move(lines_);
    }

  private:
    void choose_source(size_t i, const std::string &chosen) {
        if (i == form_.src.size()) return choose_result(chosen);
        for (const named_type &t : types) {
            node_.src[i] = tensor(t.type, form_.src[i].n0, form_.src[i].n1);
            choose_source(i + 1, chosen + (i ? ", " : "") + t.name);
        }
    }

    void choose_result(const std::string &sources) {
        std::string results;
        for (const named_type &t : types) {
            node_.dst = tensor(t.type, form_.dst.n0, form_.dst.n1);
            if (plan::plan<owner_of<Op>>(node_, least).accepted())
                results += (results.empty() ? "" : " / ") + std::string(t.name);
        }
        if (!results.empty()) lines_.push_back(sources + " → " + results);
    }

    form form_;
    node node_{};
    std::vector<std::string> lines_;
};

template <class Op> std::vector<std::string> operand_types(const form &f) { return type_search<Op>(f).lines(); }

// An op that looks at one source only accepts any second one: then the form with one source says all.
template <class Op> std::vector<std::string> operand_types() {
    std::vector<std::string> lines;
    const std::vector<form> forms = forms_of(Op::n_sources);
    const bool single = forms[0].src.size() == 1 && !operand_types<Op>(forms[0]).empty();
    for (const form &f : forms) {
        const std::vector<std::string> more = operand_types<Op>(f);
        if (single && f.src.size() > 1 && more.size() >= std::size(types)) continue;
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

void print_page() {
    std::printf(
        "# Ops\n\n"
        "Made by the target `op_table` from `ops/all_ops.h` and the planners; a test checks that it is current. To renew it:\n"
        "`./hexane run -- tools/op_pages`.\n\n"
        "Types are those of src0, src1, ... → dst. Shapes, strides and broadcasting are described in `ops/<op>/<op>.h`; what a planner\n"
        "refuses, it refuses with a reason, which `GGML_HEXAGON_VERBOSE=1` shows. An op with a `+` in its name is no op of ggml: fusions\n"
        "make it of the nodes that it names (`fusion/`).\n\n"
        "| op | wire id | bytes of parameters | types |\n|---|---|---|---|\n");
    all_ops::for_each([]<class Op>() { print_row<Op>(); });
}

// Whether some node of ggml's goes by this name (ggml_op_desc()).
bool is_in_ggml(const char *name) {
    const auto one_of = [name](int count, auto name_of) {
        for (int i = 0; i < count; ++i)
            if (std::strcmp(name_of(i), name) == 0) return true;
        return false;
    };
    return one_of(GGML_OP_COUNT, [](int i) { return ggml_op_name(static_cast<ggml_op>(i)); }) ||
           one_of(GGML_UNARY_OP_COUNT, [](int i) { return ggml_unary_op_name(static_cast<ggml_unary_op>(i)); }) ||
           one_of(GGML_GLU_OP_COUNT, [](int i) { return ggml_glu_op_name(static_cast<ggml_glu_op>(i)); });
}

// False, and a line, if no test says where an op belongs.
bool print_folders() {
    std::vector<std::string> order;
    std::map<std::string, std::string> names;
    bool all_found = true;
    all_ops::for_each([&]<class Op>() {
        const std::string folder = testing::folder_of_rule(Op::name);
        if (folder.empty()) {
            std::fprintf(stderr, "op_table: no ops/<op>/test.cpp has a rule for %s\n", Op::name);
            all_found = false;
        } else if (is_in_ggml(Op::name)) {
            std::string &list = names[folder];
            if (list.empty()) order.push_back(folder);
            list += (list.empty() ? "" : ",") + std::string(Op::name);
        }
    });
    for (const std::string &folder : order) std::printf("%s %s\n", folder.c_str(), names[folder].c_str());
    return all_found;
}

}  // namespace
}  // namespace hexane

int main(int argc, char **argv) {
    if (argc == 1) {
        hexane::print_page();
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "--folders") == 0) return hexane::print_folders() ? 0 : 1;
    std::fprintf(stderr, "op_table: expected nothing or --folders, got '%s'\n", argv[argc - 1]);
    return 2;
}
