// run_ops.cpp -- loads the plug-in as any program does (GGML_BACKEND_PATH), lists the devices, and runs a small graph on HTP0 and on
// the CPU backend: both must give the same. Exit code 0 if they do.
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr int64_t k = 256, rows = 96, columns = 3;

// dst = (weights x activations + bias), with weights of the given type.
struct problem {
    ggml_type type;
    std::vector<uint8_t> weights;
    std::vector<float> activations, bias;
};

problem make_problem(ggml_type type) {
    std::mt19937 random(7);
    std::normal_distribution<float> number;
    std::vector<float> plain(k * rows);
    for (float &x : plain) x = number(random);
    problem p{type, std::vector<uint8_t>(rows * ggml_row_size(type, k)), std::vector<float>(k * columns),
              std::vector<float>(rows)};
    ggml_quantize_chunk(type, plain.data(), p.weights.data(), 0, rows, k, nullptr);
    for (float &x : p.activations) x = number(random);
    for (float &x : p.bias) x = number(random);
    return p;
}

// The result on one device; empty if it refuses or fails.
std::vector<float> run(ggml_backend_dev_t device, const problem &p) {
    const std::unique_ptr<ggml_backend, decltype(&ggml_backend_free)> backend(ggml_backend_dev_init(device, nullptr),
                                                                              ggml_backend_free);
    if (!backend) return {};
    const ggml_init_params size{ggml_tensor_overhead() * 8 + ggml_graph_overhead(), nullptr, true};
    const std::unique_ptr<ggml_context, decltype(&ggml_free)> context(ggml_init(size), ggml_free);
    ggml_tensor *weights = ggml_new_tensor_2d(context.get(), p.type, k, rows);
    ggml_tensor *activations = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, k, columns);
    ggml_tensor *bias = ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, rows);
    ggml_tensor *product = ggml_mul_mat(context.get(), weights, activations);
    ggml_tensor *sum = ggml_add(context.get(), product, bias);
    for (const ggml_tensor *op : {product, sum}) {
        if (!ggml_backend_dev_supports_op(device, op)) {
            std::printf("%s does not support %s\n", ggml_backend_dev_name(device), ggml_op_desc(op));
            return {};
        }
    }
    const std::unique_ptr<ggml_backend_buffer, decltype(&ggml_backend_buffer_free)> buffer(
        ggml_backend_alloc_ctx_tensors(context.get(), backend.get()), ggml_backend_buffer_free);
    if (!buffer) return {};
    ggml_backend_tensor_set(weights, p.weights.data(), 0, p.weights.size());
    ggml_backend_tensor_set(activations, p.activations.data(), 0, ggml_nbytes(activations));
    ggml_backend_tensor_set(bias, p.bias.data(), 0, ggml_nbytes(bias));
    ggml_cgraph *graph = ggml_new_graph(context.get());
    ggml_build_forward_expand(graph, sum);
    if (ggml_backend_graph_compute(backend.get(), graph) != GGML_STATUS_SUCCESS) return {};
    std::vector<float> result(rows * columns);
    ggml_backend_tensor_get(sum, result.data(), 0, ggml_nbytes(sum));
    return result;
}

// Squared error relative to the squares of what is right.
double relative_error(const std::vector<float> &got, const std::vector<float> &right) {
    double error = 0, size = 0;
    for (size_t i = 0; i < right.size(); ++i) {
        error += std::pow(double{got[i]} - right[i], 2);
        size += std::pow(double{right[i]}, 2);
    }
    return error / size;
}

bool agrees(ggml_backend_dev_t npu, ggml_backend_dev_t cpu, ggml_type type) {
    const problem p = make_problem(type);
    const std::vector<float> got = run(npu, p), right = run(cpu, p);
    if (got.empty() || right.empty()) {
        std::printf("%s: %s gave no result\n", ggml_type_name(type), got.empty() ? "HTP0" : "the CPU");
        return false;
    }
    const double error = relative_error(got, right);
    std::printf("MUL_MAT+ADD %s: relative error %.2e\n", ggml_type_name(type), error);
    return error < 5e-4;  // what test-backend-ops allows for MUL_MAT
}

}  // namespace

int main() {
    ggml_backend_load_all();
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
        const ggml_backend_dev_t device = ggml_backend_dev_get(i);
        std::printf("device %s: %s\n", ggml_backend_dev_name(device), ggml_backend_dev_description(device));
    }
    const ggml_backend_dev_t npu = ggml_backend_dev_by_name("HTP0");
    const ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!npu || !cpu) {
        std::printf("HTP0 or the CPU is not among them\n");
        return 1;
    }
    bool right = true;
    for (const ggml_type type : {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0})
        right = agrees(npu, cpu, type) && right;
    return right ? 0 : 1;
}
