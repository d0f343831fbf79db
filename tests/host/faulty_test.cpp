// tests/host/faulty_test.cpp -- graphs on a driver that refuses, delays, drops, lies and kills: right bits or a clear error, in bounded
// time, and nothing left behind.
//
// Each seed is a life of a backend: a few graphs while the driver is faulty, then one when it is not any more. The environment of the
// test has a deadline of 1 s and small batches. HEXANE_TEST_SEEDS is the number of seeds, HEXANE_TEST_SEED the first one: a failure
// names its seed, and that seed alone shows it again. HEXANE_TEST_DEVICE is another device than the usual one, such as "strict".
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

using std::chrono::steady_clock;

constexpr uint32_t default_seeds = 250;
constexpr int64_t width = 256, rows = 3;
// The deadline is 1 s; a graph may spend it on the known answers or on its own batches, and a session's end takes time as well.
constexpr std::chrono::seconds step_limit{6};
constexpr unsigned hang_limit_s = 40;

uint32_t from_environment(const char *name, uint32_t otherwise) {
    const char *value = std::getenv(name);
    return value ? static_cast<uint32_t>(std::strtoul(value, nullptr, 10)) : otherwise;
}

std::vector<float> wave(size_t count, float phase) {
    std::vector<float> out(count);
    for (size_t i = 0; i < count; ++i) out[i] = std::sin(phase + 0.37f * static_cast<float>(i));
    return out;
}

// Everything of this process that a session could leave behind.
struct belongings {
    size_t descriptors, shared_mappings, processes;
    static belongings now() { return {open_descriptors(), count_shared_mappings(), session_processes().size()}; }
    bool operator==(const belongings &) const = default;

  private:
    static size_t count_shared_mappings() {
        size_t count = 0;
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);) count += line.find("memfd:") != line.npos;
        return count;
    }
};
std::ostream &operator<<(std::ostream &out, const belongings &b) {
    return out << b.descriptors << " descriptors, " << b.shared_mappings << " shared mappings, " << b.processes
               << " processes";
}

size_t resident_mib() {
    std::ifstream statm("/proc/self/statm");
    size_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

// A product with quantised weights and a chain behind it, in two buffers.
struct small_model {
    explicit small_model(ggml_backend_t b) : backend(b) {
        weights = ggml_init({64u << 10, nullptr, true});
        w = ggml_new_tensor_2d(weights, GGML_TYPE_Q4_0, width, width);
        work = ggml_init({256u << 10, nullptr, true});
        x = ggml_new_tensor_2d(work, GGML_TYPE_F32, width, rows);
        ggml_tensor *t = ggml_mul_mat(work, w, x);
        for (int i = 0; i < 4; ++i) t = ggml_mul(work, ggml_rms_norm(work, ggml_add(work, t, x), 1e-5f), x);
        y = t;
        ggml_set_name(y, "outcome");
        graph = ggml_new_graph(work);
        ggml_build_forward_expand(graph, y);
    }
    ~small_model() {
        release();
        ggml_free(work);
        ggml_free(weights);
    }
    small_model(const small_model &) = delete;

    bool allocate() {
        weight_buffer = ggml_backend_alloc_ctx_tensors(weights, backend);
        if (weight_buffer) {
            ggml_backend_buffer_set_usage(weight_buffer, GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
            work_buffer = ggml_backend_alloc_ctx_tensors(work, backend);
        }
        if (!work_buffer) return release(), false;
        upload();
        return true;
    }
    void upload() {
        const std::vector<float> values = wave(width * width, 1);
        weight_bytes.resize(ggml_nbytes(w));
        ggml_quantize_chunk(GGML_TYPE_Q4_0, values.data(), weight_bytes.data(), 0, width, width, nullptr);
        ggml_backend_tensor_set(w, weight_bytes.data(), 0, weight_bytes.size());
        const std::vector<float> in = wave(width * rows, 2);
        ggml_backend_tensor_set(x, in.data(), 0, in.size() * 4);
    }
    void release() {
        for (ggml_context *c : {weights, work}) {
            for (ggml_tensor *t = ggml_get_first_tensor(c); t; t = ggml_get_next_tensor(c, t))
                t->buffer = nullptr, t->data = nullptr;
        }
        ggml_backend_buffer_free(work_buffer);
        ggml_backend_buffer_free(weight_buffer);
        work_buffer = weight_buffer = nullptr;
    }
    bool allocated() const { return work_buffer; }
    bool weights_are_intact() const {
        std::vector<uint8_t> read(weight_bytes.size());
        ggml_backend_tensor_get(w, read.data(), 0, read.size());
        return read == weight_bytes;
    }
    std::vector<float> result() const {
        std::vector<float> out(width * rows);
        ggml_backend_tensor_get(y, out.data(), 0, out.size() * 4);
        return out;
    }

    ggml_backend_t backend;
    ggml_context *weights, *work;
    ggml_tensor *w, *x, *y;
    ggml_cgraph *graph;
    ggml_backend_buffer_t weight_buffer = nullptr, work_buffer = nullptr;
    std::vector<uint8_t> weight_bytes;
};

void describe(const std::string &more) {
    const char *device = std::getenv("HEXANE_TEST_DEVICE");
    setenv("GGML_HEXAGON_VIRTUAL", ((device ? device : "v79,threads=2") + more).c_str(), 1);
}

// A hang ends the program with the seed; standard error is captured then, so the text goes to a copy of it.
int real_stderr;
char hang_text[64];
void on_alarm(int) {
    (void)!write(real_stderr, hang_text, strlen(hang_text));
    _exit(3);
}

class faulty_driver : public plugin_test {
  protected:
    void SetUp() override {
        real_stderr = dup(STDERR_FILENO);
        signal(SIGALRM, on_alarm);
        describe("");
        plugin_test::SetUp();
        ggml_backend_free(backend_);
        backend_ = nullptr;
        // What is right, and what a process has once it has used the device.
        ggml_backend_t backend = ggml_backend_hexagon_init(0);
        {
            small_model model(backend);
            ASSERT_TRUE(model.allocate());
            ASSERT_EQ(ggml_backend_graph_compute(backend, model.graph), GGML_STATUS_SUCCESS);
            right_ = model.result();
        }
        ggml_backend_free(backend);
    }
    void TearDown() override {
        alarm(0);
        plugin_test::TearDown();
        describe("");
        ::close(real_stderr);
    }

    // Runs one step, which must end in time.
    template <class Step> auto timed(const char *what, Step step) {
        const auto began = steady_clock::now();
        alarm(hang_limit_s);
        auto result = step();
        alarm(0);
        EXPECT_LT(steady_clock::now() - began, step_limit) << what;
        return result;
    }

    // One graph. True: it ended well, with the right bits. False: with an error that is told.
    bool attempt(small_model &model) {
        forget_lines();
        const std::string device = ggml_backend_name(model.backend);
        if (!model.allocated() && !timed("allocating", [&] { return model.allocate(); })) {
            EXPECT_GE(lines_with(device + " no shared memory for a buffer"), 1u) << all_lines();
            return false;
        }
        const ggml_status status =
            timed("the graph", [&] { return ggml_backend_graph_compute(model.backend, model.graph); });
        const std::vector<float> got = model.result();
        if (status == GGML_STATUS_SUCCESS) {
            EXPECT_EQ(std::memcmp(got.data(), right_.data(), got.size() * 4), 0) << "a wrong result without an error";
            return true;
        }
        EXPECT_GE(lines_with_all({device, " session not opened, ", " failed: "}) + lines_with_all({device, "outcome"}) +
                      lines_with_all({device, "node_"}),
                  1u)
            << "no line that names the session and the step or tensor:\n"
            << all_lines();
        for (const float f : got) EXPECT_TRUE(std::isnan(f)) << "a result of a failed graph that looks like one";
        EXPECT_TRUE(model.weights_are_intact());
        return false;
    }

    // Buffers and backends come and go between the graphs, while the driver is faulty; one of the two devices needs a reservation.
    void live(uint32_t seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        snprintf(hang_text, sizeof hang_text, "seed %u hangs\n", seed);
        describe(",log=low,faulty,fault_rate=" + std::to_string(2 + seed % 5) + ",seed=" + std::to_string(seed));
        const auto new_backend = [seed] { return ggml_backend_hexagon_init(seed / 2 % 2); };
        small_model model(new_backend());
        for (uint32_t i = 0; i < 4; ++i) {
            good_ += attempt(model);
            ++attempts_;
            if ((seed + i) % 2) timed("freeing", [&] { return model.release(), 0; });
            if ((seed + i) % 3) continue;
            close(model);
            model.backend = new_backend();
        }
        describe("");
        EXPECT_TRUE(attempt(model)) << "the first graph without faults";
        EXPECT_TRUE(attempt(model)) << "the second graph without faults";
        close(model);
    }
    void close(small_model &model) {
        timed("closing", [&] {
            model.release();
            ggml_backend_free(model.backend);
            return 0;
        });
    }

    // Counts the driver's lines by kind of fault.
    void count_faults(const std::string &text) {
        std::istringstream in(text);
        const std::string mark = "libcdsprpc-virtual: fault ";
        for (std::string line; std::getline(in, line);) {
            const size_t at = line.find(mark);
            if (at != line.npos)
                ++faults_[line.substr(at + mark.size(), line.find(':', at + mark.size()) - at - mark.size())];
        }
    }

    std::vector<float> right_;
    uint32_t attempts_ = 0, good_ = 0;
    std::map<std::string, uint32_t> faults_;
};

TEST_F(faulty_driver, right_or_an_error_and_nothing_is_left) {
    const uint32_t first = from_environment("HEXANE_TEST_SEED", 1),
                   count = from_environment("HEXANE_TEST_SEEDS", default_seeds);
    const belongings before = belongings::now();
    size_t early_mib = 0;
    for (uint32_t seed = first; seed < first + count && !HasFailure(); ++seed) {
        ::testing::internal::CaptureStderr();
        live(seed);
        const std::string said = ::testing::internal::GetCapturedStderr();
        count_faults(said);
        EXPECT_EQ(belongings::now(), before) << "seed " << seed;
        if (HasFailure()) fprintf(stderr, "%s", said.c_str());
        if (seed == first + count / 4) early_mib = resident_mib();
    }
    if (early_mib) EXPECT_LE(resident_mib(), early_mib + 8) << "MiB resident after three quarters of the seeds more";
    printf("%u of %u graphs on a faulty driver were right, the others failed:", good_, attempts_);
    for (const auto &[kind, n] : faults_) printf(" %s %u", kind.c_str(), n);
    printf("\n");
    if (count < default_seeds) return;
    EXPECT_GT(good_, 0u);
    EXPECT_LT(good_, attempts_);
    for (const char *kind : {"open", "map", "alloc", "delay", "drop", "code", "kill", "corrupt"})
        EXPECT_GT(faults_[kind], 0u) << kind << " never happened";
}

}  // namespace
}  // namespace hexane::testing
