// virtual/driver/process.cpp -- clone() with a pidfd and no exit signal; posix_spawn offers neither.
#include "virtual/driver/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <vector>

#include "virtual/channel/control_message.h"
#include "virtual/driver/log.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif
#ifndef P_PIDFD
#define P_PIDFD static_cast<idtype_t>(3)
#endif

namespace hexane::virt {

namespace {

constexpr char launcher_variable[] = "GGML_HEXAGON_VIRTUAL_LAUNCHER";
constexpr size_t child_stack_bytes = 128u << 10;

// The thread sanitizer takes clone() for a fork and cannot follow a child in the same memory: there the child gets a copy.
#if defined(__SANITIZE_THREAD__)
constexpr int shared_memory_flag = 0;
#elif defined(__has_feature)
constexpr int shared_memory_flag = __has_feature(thread_sanitizer) ? 0 : CLONE_VM;
#else
constexpr int shared_memory_flag = CLONE_VM;
#endif

// A mode's program, and what runs it: found on PATH, empty when the processor does.
struct session_program {
    const char *file;
    const char *runner;
    const char *needs;  // for the line that says that one of them is missing
};
constexpr session_program program_of(session_mode mode) {
    if (mode == session_mode::qemu)
        return {"hexane-dsp-v73", "qemu-hexagon",
                " (mode=qemu needs the package qemu-user, and a build by a clang that knows Hexagon)"};
    return {"hexane-dsp", "", ""};
}

// Code of the child runs on a stack of its own in the parent's memory: what the address sanitizer knows about the parent's thread is
// not true there.
#define HEX_CHILD_CODE __attribute__((no_sanitize_address))

// What the child of clone() needs; it shares the parent's memory, where that is possible, and may call nothing but system calls.
struct launch {
    char *const *arguments;
    int control;
    int failure;  // where it writes the error number of exec
};

std::string directory_of_this_library() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void *>(&spawn_session_process), &info) || !info.dli_fname) return ".";
    const std::unique_ptr<char, decltype(&free)> full(realpath(info.dli_fname, nullptr), free);
    const std::string path = full ? full.get() : info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == path.npos ? "." : path.substr(0, slash);
}

// Handlers of the host program must not run in the child, whose memory is the parent's.
HEX_CHILD_CODE void default_signal_handlers() {
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; ++s) sigaction(s, &action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

HEX_CHILD_CODE int child_main(void *data) {
    auto *l = static_cast<launch *>(data);
    default_signal_handlers();
    // A process group of its own: what a terminal or a supervisor sends to the host's group is not for the session, as it is not for the
    // NPU of a phone. It ends with its host by its socket, and has nothing to do while the host is stopped.
    setsid();
    // The descriptors may themselves sit on 0, 1 or 2 when the host program closed those.
    const int control = fcntl(l->control, F_DUPFD, control_fd + 1);
    const int failure = fcntl(l->failure, F_DUPFD, control_fd + 1);
    const int null = open("/dev/null", O_RDWR);
    const bool ok = control >= 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(control, control_fd) >= 0;
    if (ok && fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(null, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // stray output must not mix with the host program's
    if (ok) {
        if (syscall(SYS_close_range, control_fd + 1, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
            for (int fd = control_fd + 1; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
        execvp(l->arguments[0], l->arguments);
    }
    const int error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(127);
}

std::vector<std::string> command_line(const session_program &program, const std::string &path,
                                      const std::string &title) {
    std::vector<std::string> words;
    std::istringstream launcher(getenv(launcher_variable) ? getenv(launcher_variable) : "");
    for (std::string word; launcher >> word;) words.push_back(word);
    if (*program.runner) words.push_back(program.runner);
    words.push_back(path);
    words.push_back(title);
    return words;
}

// What a person may have to do when the first word cannot be run.
const char *advice(const session_program &program, const std::string &word) {
    if (word == program.runner) return program.needs;
    return getenv(launcher_variable) ? " (it stands in GGML_HEXAGON_VIRTUAL_LAUNCHER)" : "";
}

}  // namespace

bool spawn_session_process(int control, session_mode mode, const std::string &title, child_process *child) {
    const session_program program = program_of(mode);
    const std::string path = directory_of_this_library() + "/" + program.file;
    if (access(path.c_str(), X_OK) != 0) {
        log_line("cannot run %s: %s%s", path.c_str(), strerror(errno), program.needs);
        return false;
    }
    std::vector<std::string> words = command_line(program, path, title);
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int failure[2];
    if (pipe2(failure, O_CLOEXEC | O_NONBLOCK) != 0) {
        log_line("no descriptors to start %s: %s", words[0].c_str(), strerror(errno));
        return false;
    }
    const owned_fd told(failure[0]), tells(failure[1]);
    void *stack =
        mmap(nullptr, child_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        log_line("no memory to start %s: %s", words[0].c_str(), strerror(errno));
        return false;
    }
    launch l{arguments.data(), control, tells.get()};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int pidfd = -1;
    const auto start = [&](int exit_signal) {
        return clone(child_main, static_cast<char *>(stack) + child_stack_bytes,
                     shared_memory_flag | CLONE_VFORK | CLONE_PIDFD | exit_signal, &l, &pidfd);
    };
    pid_t pid = start(0);
    // An emulator of another architecture's programs may know children with an exit signal only, and copies memory.
    if (pid < 0 && errno == EINVAL) pid = start(SIGCHLD);
    const int clone_error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    munmap(stack, child_stack_bytes);

    if (pid < 0) {
        log_line("cannot start %s: %s", words[0].c_str(), strerror(clone_error));
        return false;
    }
    child->pid = pid;
    child->pidfd.reset(pidfd);
    int error = 0;  // nothing is there when exec succeeded: the child is past it when clone() returns
    if (read(told.get(), &error, sizeof error) != sizeof error) return true;
    std::string how;
    log_line("cannot run %s: %s%s", words[0].c_str(), strerror(error), advice(program, words[0]));
    for (int tries = 0; poll_child(*child, &how) == child_state::running && tries < 1000; ++tries) usleep(1000);
    return false;
}

child_state poll_child(const child_process &child, std::string *how) {
    siginfo_t info{};
    const int wait_flags = WEXITED | WNOHANG | __WALL;  // __WALL: a child without an exit signal
    if (waitid(P_PIDFD, static_cast<id_t>(child.pidfd.get()), &info, wait_flags) != 0) {
        if (errno == EINTR) return child_state::running;
        *how = "gone";
        return child_state::reaped_elsewhere;
    }
    if (info.si_pid == 0) return child_state::running;
    if (info.si_code == CLD_EXITED) {
        *how = "exit code " + std::to_string(info.si_status);
    } else {
        const char *name = strsignal(info.si_status);
        *how = "signal " + std::to_string(info.si_status) + " (" + (name ? name : "?") + ")";
    }
    return child_state::exited;
}

void kill_child(const child_process &child) {
    if (child.pidfd.valid()) syscall(SYS_pidfd_send_signal, child.pidfd.get(), SIGKILL, nullptr, 0);
}

}  // namespace hexane::virt
