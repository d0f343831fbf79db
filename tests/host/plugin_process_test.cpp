// tests/host/plugin_process_test.cpp -- the plug-in in processes that fork, and in process groups that get signals.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

// 1 + 2 on the NPU in a backend of its own; what went wrong, or null.
const char *add_on_npu(int device = 0) {
    ggml_backend_t b = ggml_backend_hexagon_init(device);
    if (!b) return "no backend";
    ggml_context *c = ggml_init({1u << 20, nullptr, true});
    ggml_tensor *x = ggml_new_tensor_1d(c, GGML_TYPE_F32, 1000), *y = ggml_new_tensor_1d(c, GGML_TYPE_F32, 1000);
    ggml_tensor *sum = ggml_add(c, x, y);
    ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(c, b);
    if (!buffer) return "no buffer";
    std::vector<float> in(1000, 1.0f), out(1000);
    ggml_backend_tensor_set(x, in.data(), 0, 4000);
    std::fill(in.begin(), in.end(), 2.0f);
    ggml_backend_tensor_set(y, in.data(), 0, 4000);
    ggml_cgraph *g = ggml_new_graph(c);
    ggml_build_forward_expand(g, sum);
    const bool fine = ggml_backend_graph_compute(b, g) == GGML_STATUS_SUCCESS;
    ggml_backend_tensor_get(sum, out.data(), 0, 4000);
    ggml_backend_buffer_free(buffer);
    ggml_free(c);
    ggml_backend_free(b);
    return !fine ? "the graph failed" : out == std::vector<float>(1000, 3.0f) ? nullptr : "a wrong sum";
}

// Runs `body` in a forked copy. Its exit code; 200 and more: it ended by a signal.
template <class Body> int in_a_copy(Body body) {
    fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(20);  // a copy that hangs is a failure, not a hang of the test
        _exit(body());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}
int code_of(const char *problem) {
    if (problem) fprintf(stderr, "in the copy: %s\n", problem);
    return problem ? 1 : 0;
}

using plugin_process = plugin_test;

TEST_F(plugin_process, a_copy_made_before_the_first_session_has_its_own) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(in_a_copy([] { return code_of(add_on_npu()); }), 0);
    ggml_tensor *a = f32(64), *sum = ggml_add(context_, a, a);
    allocate();
    set(a, std::vector<float>(64, 1.0f));
    ASSERT_EQ(compute(sum), GGML_STATUS_SUCCESS);
    EXPECT_EQ(get(sum), std::vector<float>(64, 2.0f));
}

TEST_F(plugin_process, a_copy_made_with_an_open_session_gets_an_error) {
    ggml_tensor *a = f32(64), *sum = ggml_add(context_, a, a);
    allocate();
    set(a, std::vector<float>(64, 1.0f));
    ASSERT_EQ(compute(sum), GGML_STATUS_SUCCESS);
    const std::vector<pid_t> before = session_processes();
    EXPECT_EQ(in_a_copy([&] { return compute(sum) == GGML_STATUS_FAILED && add_on_npu() ? 0 : 1; }), 0);
    EXPECT_EQ(session_processes(), before);
    ASSERT_EQ(compute(sum), GGML_STATUS_SUCCESS);
    EXPECT_EQ(get(sum), std::vector<float>(64, 2.0f));
}

TEST_F(plugin_process, a_copy_made_after_the_last_session_has_its_own) {
    ggml_backend_free(backend_);
    backend_ = nullptr;
    ASSERT_EQ(add_on_npu(), nullptr);
    ASSERT_TRUE(session_processes().empty());
    EXPECT_EQ(in_a_copy([] { return code_of(add_on_npu()); }), 0);
    EXPECT_EQ(add_on_npu(), nullptr);
}

// What the host handles and a terminal or a supervisor sends to its whole group; the session must not notice.
int survive_signals() {
    setpgid(0, 0);
    constexpr int handled[] = {SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGTSTP, SIGINT, SIGHUP, SIGQUIT};
    struct sigaction action{};
    action.sa_handler = [](int) {};
    for (const int s : handled) sigaction(s, &action, nullptr);
    ggml_backend_t keeps_open = ggml_backend_hexagon_init(0);
    if (const char *problem = add_on_npu()) return code_of(problem);
    const std::vector<pid_t> before = session_processes();
    if (before.size() != 1) return code_of("no session stays open");
    for (const int s : handled) {
        kill(0, s);
        usleep(20'000);
        if (const char *problem = add_on_npu()) return code_of(problem);
        if (session_processes() != before) return code_of(strsignal(s));
    }
    ggml_backend_free(keeps_open);
    return 0;
}

TEST_F(plugin_process, signals_to_the_group_do_not_reach_a_session) {
    EXPECT_EQ(in_a_copy([] { return survive_signals(); }), 0);
}

// Processor time of a process in clock ticks.
long ticks_of(pid_t pid) {
    FILE *stat = fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
    long user = -1, system = 0;
    if (stat && fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) != 2)
        user = -1;
    if (stat) fclose(stat);
    return user + system;
}

// A process that computes products of about half a second each, for as long as they succeed; it writes the number of its session's process
// when the first one is under way.
class busy_host {
  public:
    busy_host() {
        if (pipe(ends_) != 0) return;
        fflush(nullptr);
        pid_ = fork();
        if (pid_ == 0) {
            alarm(60);
            _exit(work());
        }
        if (read(ends_[0], &session_, sizeof session_) != sizeof session_) session_ = 0;
    }
    ~busy_host() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        close(ends_[0]);
        close(ends_[1]);
    }
    pid_t pid() const { return pid_; }
    pid_t session() const { return session_; }
    bool still_works() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

  private:
    int work() const {
        ggml_backend_t b = ggml_backend_hexagon_init(0);
        ggml_context *c = ggml_init({1u << 20, nullptr, true});
        ggml_tensor *weights = ggml_new_tensor_2d(c, GGML_TYPE_F16, 2048, 2048);
        ggml_tensor *in = ggml_new_tensor_2d(c, GGML_TYPE_F32, 2048, 1024);
        ggml_tensor *out = ggml_mul_mat(c, weights, in);
        ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(c, b);
        ggml_backend_buffer_clear(buffer, 0);
        ggml_cgraph *g = ggml_new_graph(c);
        ggml_build_forward_expand(g, out);
        if (ggml_backend_graph_compute(b, g) != GGML_STATUS_SUCCESS) return 1;
        const pid_t session = session_processes().at(0);
        if (write(ends_[1], &session, sizeof session) != sizeof session) return 1;
        while (ggml_backend_graph_compute(b, g) == GGML_STATUS_SUCCESS) {}
        return 2;
    }

    int ends_[2] = {-1, -1};
    pid_t pid_ = -1;
    pid_t session_ = 0;
};

// The deadline of this program is 2 s. A machine that sleeps stops both sides and wakes them one after the other.
TEST_F(plugin_process, a_machine_that_slept_costs_no_session) {
    const busy_host host;
    ASSERT_GT(host.session(), 0);
    for (int i = 0; i < 2; ++i) {
        const pid_t first = i ? host.pid() : host.session(), second = i ? host.session() : host.pid();
        usleep(150'000);
        kill(first, SIGSTOP);
        kill(second, SIGSTOP);
        sleep(4);
        kill(second, SIGCONT);
        usleep(20'000);
        kill(first, SIGCONT);
        sleep(3);
        EXPECT_TRUE(host.still_works()) << "round " << i;
    }
    EXPECT_EQ(kill(host.session(), 0), 0) << "the same session";
}

TEST_F(plugin_process, a_session_that_could_not_run_for_longer_than_the_deadline_goes_on) {
    const busy_host host;
    ASSERT_GT(host.session(), 0);
    kill(host.session(), SIGSTOP);
    sleep(3);
    kill(host.session(), SIGCONT);
    sleep(3);
    EXPECT_TRUE(host.still_works());
    EXPECT_EQ(kill(host.session(), 0), 0) << "the same session";
}

TEST_F(plugin_process, the_end_of_a_process_waits_for_hung_sessions_all_at_once_and_two_seconds_at_most) {
    fflush(nullptr);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(in_a_copy([] {
                  const ggml_backend_t both[] = {ggml_backend_hexagon_init(0), ggml_backend_hexagon_init(1)};
                  if (!both[0] || !both[1] || add_on_npu(0) || add_on_npu(1)) return 1;
                  const std::vector<pid_t> sessions = session_processes();
                  if (sessions.size() != 2) return 2;
                  for (const pid_t s : sessions) kill(s, SIGSTOP);
                  exit(0);
              }),
              0);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
    for (int tries = 0; tries < 100 && !session_processes().empty(); ++tries) usleep(20'000);
    EXPECT_TRUE(session_processes().empty());
}

TEST_F(plugin_process, a_session_that_dies_while_idle_costs_no_graph) {
    ggml_tensor *a = f32(64), *sum = ggml_add(context_, a, a);
    allocate();
    for (int i = 0; i < 20; ++i) {
        set(a, std::vector<float>(64, static_cast<float>(i)));
        ASSERT_EQ(compute(sum), GGML_STATUS_SUCCESS) << i;
        EXPECT_EQ(get(sum), std::vector<float>(64, static_cast<float>(2 * i)));
        kill(session_processes().at(0), SIGKILL);
        if (i % 2) usleep(1000 * i);
    }
    EXPECT_EQ(lines_with("graph failed"), 0u);
}

TEST_F(plugin_process, a_session_whose_host_is_stopped_rests) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    fflush(nullptr);
    const pid_t host = fork();
    if (host == 0) {
        alarm(20);
        ggml_backend_t keeps_open = ggml_backend_hexagon_init(0);
        const bool fine = keeps_open && !add_on_npu();
        const pid_t session = fine ? session_processes().at(0) : 0;
        (void)!write(ends[1], &session, sizeof session);
        for (;;)
            if (add_on_npu()) _exit(1);
    }
    pid_t session = 0;
    ASSERT_EQ(read(ends[0], &session, sizeof session), static_cast<ssize_t>(sizeof session));
    ASSERT_GT(session, 0);
    kill(host, SIGSTOP);
    usleep(100'000);
    const long before = ticks_of(session);
    usleep(500'000);
    EXPECT_LE(ticks_of(session) - before, 2) << "of 50 ticks";
    kill(host, SIGKILL);
    kill(host, SIGCONT);
    int status = 0;
    waitpid(host, &status, 0);
    for (int tries = 0; tries < 100 && kill(session, 0) == 0; ++tries) usleep(50'000);
    EXPECT_NE(kill(session, 0), 0) << "the session outlives its host";
    close(ends[0]);
    close(ends[1]);
}

}  // namespace
}  // namespace hexane::testing
