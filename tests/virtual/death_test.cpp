// tests/virtual/death_test.cpp -- sessions that die, hosts that die, and what is left of them.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;
using clock = std::chrono::steady_clock;

double ms_since(clock::time_point t) { return std::chrono::duration<double, std::milli>(clock::now() - t).count(); }

// Runs, that is: an orphan that has ended may stay a zombie until the system's init looks for it.
bool process_runs(int pid) {
    FILE *stat = fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
    if (!stat) return false;
    char state = 'Z';
    if (fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
    fclose(stat);
    return state != 'Z' && state != 'X';
}

class death_test : public testing::Test {
  protected:
    void SetUp() override { describe_device("v79,threads=1"); }
};

TEST_F(death_test, a_killed_session_wakes_a_waiting_reader) {
    const size_t before = open_descriptors();
    {
        open_session s;
        open_queue q(s);
        ASSERT_EQ(q.error, 0);
        const int child = *child_processes().begin();
        clock::time_point killed;
        std::thread killer([&] {
            sleep_ms(50);
            killed = clock::now();
            kill(child, SIGKILL);
        });
        std::string answer;
        EXPECT_EQ(q.receive(&answer, DSPQUEUE_TIMEOUT_NONE), AEE_ECONNRESET);
        killer.join();
        EXPECT_LT(ms_since(killed), 500);
        EXPECT_EQ(q.receive(&answer, 0), AEE_ECONNRESET);
        EXPECT_EQ(q.send("e"), AEE_ECONNRESET);
        EXPECT_EQ(s.call(stop), AEE_ECONNRESET);
        EXPECT_TRUE(eventually(1000, [&] { return child_processes().empty(); })) << "a zombie is left";
        remote_handle64 h = 0;
        EXPECT_EQ(remote_handle64_open(uri_of(first_domain(), 0).c_str(), &h), AEE_ECONNRESET);  // close it first
        EXPECT_EQ(s.close(), 0);
    }
    EXPECT_EQ(open_descriptors(), before);
    open_session again;
    EXPECT_EQ(again.error, 0);
}

TEST_F(death_test, a_killed_session_ends_an_invocation) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    const int child = *child_processes().begin();
    std::thread killer([&] {
        sleep_ms(50);
        kill(child, SIGKILL);
    });
    const auto began = clock::now();
    EXPECT_EQ(s.call(misbehave, static_cast<uint32_t>(hang)), AEE_ECONNRESET);
    EXPECT_LT(ms_since(began), 1000);
    killer.join();
}

TEST_F(death_test, the_error_callback_tells_of_a_death) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    static std::atomic<int> told;
    told = 0;
    dspqueue_t queue = nullptr;
    ASSERT_EQ(dspqueue_create(
                  s.domain, 0, 0, 0, nullptr, [](dspqueue_t, AEEResult e, void *) { told = e; }, nullptr, &queue),
              0);
    kill(*child_processes().begin(), SIGKILL);
    EXPECT_TRUE(eventually(1000, [] { return told == AEE_ECONNRESET; }));
    EXPECT_EQ(dspqueue_close(queue), 0);
}

TEST_F(death_test, misdeeds_end_the_session_only) {
    for (const misdeed m : {segfault, dma_outside, dma_to_free_vtcm, exit_quietly}) {
        open_session s;
        ASSERT_EQ(s.error, 0);
        EXPECT_EQ(s.call(misbehave, static_cast<uint32_t>(m)), AEE_ECONNRESET) << m;
        EXPECT_TRUE(eventually(5000, [] { return child_processes().empty(); })) << m;
    }
}

TEST_F(death_test, closing_a_session_whose_kernel_computes) {
    open_session s;
    open_queue q(s);
    ASSERT_EQ(q.error, 0);
    ASSERT_EQ(q.send(std::string(1, static_cast<char>(compute))), 0);
    const auto began = clock::now();
    EXPECT_EQ(s.close(), 0);
    EXPECT_LT(ms_since(began), 1500);
    EXPECT_TRUE(child_processes().empty());
    std::string answer;
    EXPECT_EQ(q.receive(&answer, 0), AEE_ENOSUCH);  // it ended in order
}

TEST_F(death_test, the_host_programs_own_children_are_left_alone) {
    const pid_t own = fork();
    if (own == 0) _exit(7);
    {
        open_session s;
        ASSERT_EQ(s.error, 0);
        for (const int child : child_processes()) {
            if (child != own) kill(child, SIGKILL);
        }
        sleep_ms(50);
    }
    int status = 0;
    EXPECT_EQ(waitpid(-1, &status, 0), own);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(waitpid(-1, &status, WNOHANG), -1);  // session processes are invisible to wait()
}

TEST_F(death_test, a_session_outlives_the_thread_that_opened_it) {
    open_session *s = nullptr;
    std::thread([&] { s = new open_session; }).join();
    sleep_ms(50);
    uint32_t sum = 0;
    EXPECT_EQ(s->call(add, stand_in::pair{1, 2}, &sum), 0);
    delete s;
}

TEST_F(death_test, a_forked_copy_of_the_host_cannot_use_its_sessions) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    const pid_t copy = fork();
    if (copy == 0) {
        uint32_t sum = 0;
        _exit(s.call(add, stand_in::pair{1, 2}, &sum) == AEE_EBADSTATE ? 0 : 1);
    }
    int status = 1;
    waitpid(copy, &status, 0);
    EXPECT_EQ(status, 0);
    uint32_t sum = 0;
    EXPECT_EQ(s.call(add, stand_in::pair{1, 2}, &sum), 0);
}

TEST_F(death_test, a_session_waits_for_a_debugger_on_request) {
    describe_device("v79,threads=1,wait_for_debugger");
    std::atomic<bool> opened{false};
    std::thread opener([&] {
        open_session s;
        EXPECT_EQ(s.error, 0);
        opened = s.error == 0;
    });
    ASSERT_TRUE(eventually(5000, [] { return !child_processes().empty(); }));
    sleep_ms(300);
    EXPECT_FALSE(opened);
    EXPECT_EQ(ptrace(PTRACE_SEIZE, *child_processes().begin(), nullptr, nullptr), 0);
    opener.join();
    EXPECT_TRUE(opened);
}

// Runs `host` in a process of its own, which reports its session's pid and then ends in some way; the session must follow.
template <class Host> void expect_session_to_follow(Host host, bool kill_host) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        // A fresh program: the driver does not work in a forked copy.
        close(pipe_ends[0]);
        const std::string fd = std::to_string(pipe_ends[1]);
        execl("/proc/self/exe", "host", "--gtest_also_run_disabled_tests",
              ("--gtest_filter=" + std::string(host)).c_str(), fd.c_str(), nullptr);
        _exit(1);
    }
    close(pipe_ends[1]);
    int session = 0;
    const ssize_t told = read(pipe_ends[0], &session, sizeof session);
    close(pipe_ends[0]);
    if (kill_host) {
        EXPECT_TRUE(process_runs(session));
        kill(pid, SIGKILL);
    }
    waitpid(pid, nullptr, 0);
    ASSERT_EQ(told, static_cast<ssize_t>(sizeof session));
    EXPECT_TRUE(eventually(1000, [&] { return !process_runs(session); })) << "the session lives on";
    if (process_runs(session)) kill(session, SIGKILL);
}

// The write end of the pipe is the last argument of the program.
int report_descriptor() {
    FILE *f = fopen("/proc/self/cmdline", "r");
    std::string all(4096, 0);
    all.resize(fread(all.data(), 1, all.size(), f));
    fclose(f);
    all.pop_back();
    return atoi(all.c_str() + all.rfind('\0') + 1);
}

void open_computing_session(open_session *&s, open_queue *&q) {
    s = new open_session;
    q = new open_queue(*s);
    q->send(std::string(1, static_cast<char>(compute)));
    sleep_ms(20);
    const int child = *child_processes().begin();
    (void)!write(report_descriptor(), &child, sizeof child);
}

// Hosts, run by the tests below in processes of their own.
TEST_F(death_test, DISABLED_host_that_waits) {
    open_session *s;
    open_queue *q;
    open_computing_session(s, q);
    std::string answer;
    q->receive(&answer, 60'000'000);
}

TEST_F(death_test, DISABLED_host_that_exits) {
    open_session *s;
    open_queue *q;
    open_computing_session(s, q);
    exit(0);
}

TEST_F(death_test, DISABLED_host_whose_forked_copy_lives_on) {
    open_session *s;
    open_queue *q;
    open_computing_session(s, q);
    if (fork() == 0) {
        sleep(3);
        _exit(0);
    }
    _exit(0);
}

TEST_F(death_test, a_session_follows_a_killed_host) {
    expect_session_to_follow("death_test.DISABLED_host_that_waits", true);
}
TEST_F(death_test, a_session_follows_a_host_that_exits) {
    expect_session_to_follow("death_test.DISABLED_host_that_exits", false);
}
TEST_F(death_test, a_session_follows_a_host_whose_copy_lives_on) {
    expect_session_to_follow("death_test.DISABLED_host_whose_forked_copy_lives_on", false);
}

}  // namespace
