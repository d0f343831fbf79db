// ops/noop/test.cpp -- bytes in, the same bytes out. ggml has no such op, so a DUP node stands for it.
#include "tests/harness/op_case.h"

namespace hexane::testing {
namespace {

values same(const std::vector<values> &src, const ggml_tensor *) { return src[0]; }

const register_rule every_node({"NOOP"},
                               [](const ggml_tensor *) -> std::vector<expectation> { return {{same, exact}}; });

const register_cases cases("noop", [](case_sink &add) {
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_I32}) {
        for (const int64_t n : {1, 31, 128, 5000, 70001}) {
            const char *name = ggml_type_name(type);
            add({.name = std::string(name) + "_" + std::to_string(n),
                 .build =
                     [=](workbench &b) { return ggml_dup(b.ctx, b.input(type, {n, 1, 1, 1}, range(-1000, 1000))); },
                 .op_name = "NOOP",
                 .in_graph = false});
        }
    }
});

}  // namespace
}  // namespace hexane::testing
