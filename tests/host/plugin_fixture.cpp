// tests/host/plugin_fixture.cpp
#include "tests/host/plugin_fixture.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace hexane::testing {

namespace {

std::mutex lines_lock;
std::vector<std::string> lines;

void keep_line(ggml_log_level, const char *text, void *) {
    const std::lock_guard lock(lines_lock);
    lines.emplace_back(text);
}

}  // namespace

void plugin_test::SetUp() {
    ggml_log_set(keep_line, nullptr);
    forget_lines();
    backend_ = ggml_backend_hexagon_init(0);
    ASSERT_NE(backend_, nullptr) << "no device: is the virtual driver built?";
    context_ = ggml_init({16u << 20, nullptr, true});
}

void plugin_test::TearDown() {
    for (ggml_backend_buffer_t b : buffers_) ggml_backend_buffer_free(b);
    buffers_.clear();
    if (context_) ggml_free(context_);
    if (backend_) ggml_backend_free(backend_);
}

ggml_backend_buffer_t plugin_test::allocate() {
    ggml_backend_buffer_t b = ggml_backend_alloc_ctx_tensors(context_, backend_);
    buffers_.push_back(b);
    return b;
}

ggml_cgraph *plugin_test::graph_of(ggml_tensor *result) {
    ggml_cgraph *g = ggml_new_graph(context_);
    ggml_build_forward_expand(g, result);
    return g;
}

std::vector<float> plugin_test::get(ggml_tensor *t) {
    std::vector<float> values(static_cast<size_t>(ggml_nelements(t)));
    ggml_backend_tensor_get(t, values.data(), 0, values.size() * 4);
    return values;
}

size_t plugin_test::lines_with_all(const std::vector<std::string> &texts) {
    const std::lock_guard lock(lines_lock);
    return static_cast<size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string &l) {
        return std::all_of(texts.begin(), texts.end(), [&](const std::string &t) { return l.find(t) != l.npos; });
    }));
}

std::string plugin_test::all_lines() {
    const std::lock_guard lock(lines_lock);
    std::string all;
    for (const std::string &l : lines) all += l;
    return all;
}

void plugin_test::forget_lines() {
    const std::lock_guard lock(lines_lock);
    lines.clear();
}

std::vector<pid_t> session_processes() {
    std::vector<pid_t> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
        std::ifstream stat(entry.path() / "stat");
        std::string id, program, state;
        pid_t parent = 0;
        stat >> id >> program >> state >> parent;
        if (parent == getpid() && state != "Z" && program.find("hexane-dsp") != program.npos)
            found.push_back(std::stoi(name));
    }
    return found;
}

size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(all), end(all)));
}

}  // namespace hexane::testing
