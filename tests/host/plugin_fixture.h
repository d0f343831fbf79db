// tests/host/plugin_fixture.h -- a backend on HTP0, a context without data, log lines, and the session processes of
// this program.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"
#include "include/ggml-hexagon.h"

namespace hexane::testing {

class plugin_test : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    // All tensors of the context in one buffer of the device.
    ggml_backend_buffer_t allocate();
    ggml_cgraph *graph_of(ggml_tensor *result);
    ggml_status compute(ggml_tensor *result) { return ggml_backend_graph_compute(backend_, graph_of(result)); }
    ggml_tensor *f32(int64_t a, int64_t b = 1) { return ggml_new_tensor_2d(context_, GGML_TYPE_F32, a, b); }

    static void set(ggml_tensor *t, const std::vector<float> &values) {
        ggml_backend_tensor_set(t, values.data(), 0, values.size() * 4);
    }
    static std::vector<float> get(ggml_tensor *t);

    // Lines of the plug-in since the test began that contain `text`.
    static size_t lines_with(const std::string &text) { return lines_with_all({text}); }
    static size_t lines_with_all(const std::vector<std::string> &texts);
    static std::string all_lines();
    static void forget_lines();

    ggml_backend_t backend_ = nullptr;
    ggml_context *context_ = nullptr;
    std::vector<ggml_backend_buffer_t> buffers_;
};

// Session processes that this process started and that still run.
std::vector<pid_t> session_processes();
// Open descriptors of this process.
size_t open_descriptors();

}  // namespace hexane::testing
