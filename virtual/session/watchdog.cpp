// virtual/session/watchdog.cpp
#include "virtual/session/watchdog.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "virtual/session/log.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEX_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEX_SANITIZED 1
#endif
#if !defined(HEX_SANITIZED)
#define HEX_SANITIZED 0
#endif

namespace hexane::virt {

namespace {

// The host's process as a descriptor. It is this process's parent, unless it died already or a launcher stands between.
int open_host(int host_pid) { return static_cast<int>(syscall(SYS_pidfd_open, host_pid, 0)); }

void watch(int control, int host) {
    for (;;) {
        pollfd polled[2] = {{control, POLLRDHUP, 0}, {host, POLLIN, 0}};
        if (poll(polled, 2, -1) <= 0) continue;
        if (polled[0].revents || polled[1].revents) _exit(0);  // no destructors: threads are still computing
    }
}

[[maybe_unused]] void crashed(int signal, siginfo_t *info, void *) {
    char line[256];
    const int n = snprintf(line, sizeof line, "hexane-dsp[%s %s]: fatal: %s at address %p\n", session_name(),
                           thread_name(), sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", info->si_addr);
    (void)!write(STDERR_FILENO, line, static_cast<size_t>(n));
    raise(signal);  // SA_RESETHAND: the default action, which the host sees
}

}  // namespace

bool start_watchdog(int control, int host_pid) {
    const int host = open_host(host_pid);
    if (host < 0 && errno == ESRCH) return false;  // died meanwhile
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread t([control, host] {
        name_this_thread("watchdog");
        watch(control, host);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    t.detach();
    return true;
}

void install_signal_handlers() {
    // Ctrl-C goes to the whole process group, and what it means is the host program's affair.
    for (const int s : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) signal(s, SIG_IGN);
#if !HEX_SANITIZED  // the sanitizer has better handlers
    struct sigaction action{};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
    for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(s, &action, nullptr);
#endif
}

}  // namespace hexane::virt
