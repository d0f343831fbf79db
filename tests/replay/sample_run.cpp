// tests/replay/sample_run.cpp -- runs the sample graph on the first device and prints a checksum of its result.
// Usage: sample_run [fail | large]. fail: a graph that must fail; large: after it an op whose operands take 8 MiB.
#include <cstdio>
#include <string>

#include <ggml-alloc.h>

#include "include/ggml-hexagon.h"
#include "tests/replay/sample_graph.h"

namespace {

bool run_large(ggml_backend_t backend) {
    ggml_context *context = ggml_init({1u << 16, nullptr, true});
    ggml_tensor *x = ggml_new_tensor_1d(context, GGML_TYPE_F32, 1 << 20);
    ggml_tensor *y = ggml_scale(context, x, 2);
    ggml_set_name(y, "large");
    ggml_cgraph *graph = ggml_new_graph_custom(context, 1, false);
    ggml_build_forward_expand(graph, y);
    ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(context, backend);
    const bool fine = ggml_backend_graph_compute(backend, graph) == GGML_STATUS_SUCCESS;
    ggml_backend_buffer_free(buffer);
    ggml_free(context);
    return fine;
}

bool run_sample(ggml_backend_t backend, bool fail) {
    hexane::testing::sample_graph graph(backend);
    const ggml_status status = fail ? graph.run_with_bad_index() : graph.run();
    uint64_t sum = 0;
    for (const uint8_t b : graph.result()) sum = sum * 31 + b;
    std::printf("%016llx\n", static_cast<unsigned long long>(sum));
    return (status == GGML_STATUS_SUCCESS) != fail;
}

}  // namespace

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    ggml_backend_t backend = ggml_backend_hexagon_init(0);
    if (!backend) return 1;
    const bool fine = run_sample(backend, what == "fail") && (what != "large" || run_large(backend));
    ggml_backend_free(backend);
    return fine ? 0 : 1;
}
