// tests/harness/op_case.cpp -- inputs in all kinds of layouts.
#include "tests/harness/op_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace hexane::testing {

namespace {

std::vector<case_folder> &folders() {
    static std::vector<case_folder> list;
    return list;
}

struct named_rule {
    std::string op_name;
    rule what;
    std::string folder;
};
std::vector<named_rule> &rules() {
    static std::vector<named_rule> list;
    return list;
}
const named_rule *rule_of(const std::string &op_name) {
    for (const named_rule &r : rules())
        if (r.op_name == op_name) return &r;
    return nullptr;
}

std::vector<drawn_folder> &drawings() {
    static std::vector<drawn_folder> list;
    return list;
}

struct strides {
    size_t nb[4];
    size_t bytes;  // of the storage, up to the end of the last padded element
};

// In bytes, for extents in blocks.
strides strides_of(const extents &blocks, size_t block_bytes, const layout &l) {
    strides s{};
    size_t next = block_bytes;
    for (int d : l.order) {
        if (d != 0 && next < static_cast<size_t>(l.least_row_bytes)) next = static_cast<size_t>(l.least_row_bytes);
        s.nb[d] = next;
        next *= static_cast<size_t>(blocks[static_cast<size_t>(d)] + l.pad[static_cast<size_t>(d)]);
    }
    s.bytes = next;
    return s;
}

}  // namespace

extents extents_of(const ggml_tensor *t) { return {t->ne[0], t->ne[1], t->ne[2], t->ne[3]}; }

bool layout::is_dense() const {
    return order == dense.order && pad == dense.pad && offset == 0 && least_row_bytes == 0;
}

layout random_layout(generator &g, bool dim0_first) {
    layout l;
    const int first = dim0_first ? 1 : 0;
    for (int i = 3; i > first; --i) {
        std::swap(l.order[static_cast<size_t>(i)],
                  l.order[static_cast<size_t>(first) + g.below(static_cast<uint32_t>(i - first + 1))]);
    }
    for (int64_t &p : l.pad) p = g.below(3) ? 0 : g.below(9);
    l.offset = g.below(2) ? 0 : g.below(40);
    return l;
}

extents random_extents(generator &g, int64_t most) {
    extents ne{1, 1, 1, 1};
    int64_t left = most;
    for (int64_t &n : ne) {
        const auto room = static_cast<uint32_t>(std::min<int64_t>(left, 4096));
        switch (g.below(4)) {
            case 0: break;                                                   // 1
            case 1: n = 1 + g.below(std::min(room, 8u)); break;              // few
            case 2: n = 1 + g.below(std::min(room, 200u)); break;            // around a vector or two
            case 3: n = (1 + g.below(std::max(room / 64, 1u))) * 64; break;  // whole vectors
        }
        n = std::min(n, left);
        left = std::max<int64_t>(left / n, 1);
    }
    return ne;
}

ggml_tensor *workbench::input(ggml_type type, const extents &ne, const distribution &from, const layout &l) {
    if (l.is_dense()) {
        ggml_tensor *t = ggml_new_tensor(ctx, type, 4, ne.data());
        inputs.push_back({t, t, from});
        return t;
    }
    extents blocks = ne;
    blocks[0] /= ggml_blck_size(type);
    const size_t unit = ggml_type_size(type);
    const strides s = strides_of(blocks, unit, l);
    const auto elements =
        static_cast<int64_t>(s.bytes / unit + static_cast<size_t>(l.offset) + 1) * ggml_blck_size(type);
    ggml_tensor *storage = ggml_new_tensor_1d(ctx, type, elements);
    ggml_tensor *view = ggml_view_1d(ctx, storage, ggml_blck_size(type), static_cast<size_t>(l.offset) * unit);
    for (int i = 0; i < 4; ++i) {
        view->ne[i] = ne[static_cast<size_t>(i)];
        view->nb[i] = s.nb[i];
    }
    inputs.push_back({storage, view, from});
    return view;
}

ggml_tensor *workbench::weight(ggml_type type, const extents &ne, const distribution &from) {
    ggml_tensor *t = input(type, ne, from);
    weights.push_back(t);
    return t;
}

register_rule::register_rule(std::initializer_list<const char *> op_names, rule r, const char *file) {
    const std::string folder = std::filesystem::path(file).parent_path().filename();
    for (const char *name : op_names) rules().push_back({name, r, folder});
}

rule find_rule(const std::string &op_name) {
    const named_rule *found = rule_of(op_name);
    return found ? found->what : nullptr;
}

std::string folder_of_rule(const std::string &op_name) {
    const named_rule *found = rule_of(op_name);
    return found ? found->folder : "";
}

std::vector<expectation> expectations_of(const op_case &c, const ggml_tensor *node) {
    if (!c.expect.empty() || c.fails_with || c.rejected || c.plan_only) return c.expect;
    const rule r = find_rule(c.op_name ? c.op_name : ggml_op_desc(node));
    if (!r) {
        std::fprintf(stderr, "case %s has no expectation, and its op no rule\n", c.name.c_str());
        std::abort();
    }
    return r(node);
}

register_drawing::register_drawing(const char *folder, drawing draw) { drawings().push_back({folder, draw}); }

const std::vector<drawn_folder> &drawn_folders() { return drawings(); }

register_cases::register_cases(const char *folder, void (*list)(case_sink &)) { folders().push_back({folder, list}); }

const std::vector<case_folder> &case_folders() { return folders(); }

}  // namespace hexane::testing
