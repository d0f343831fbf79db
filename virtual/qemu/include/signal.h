// signal.h -- the C library of the session program for Hexagon: signals of Linux, generic numbers.
#pragma once

#include <stdint.h>

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGSEGV 11
#define SIGPIPE 13

#define SA_SIGINFO 0x00000004u
#define SA_NODEFER 0x40000000u
#define SA_RESETHAND 0x80000000u

#define SIG_SETMASK 2

typedef uint64_t sigset_t;

struct siginfo_t {
    int si_signo;
    int si_errno;
    int si_code;
    void *si_addr;  // of the faults; the other members of this union are not used here
    uint32_t rest[28];
};
static_assert(sizeof(siginfo_t) == 128);

typedef void (*sighandler_t)(int);
struct sigaction {
    union {
        sighandler_t sa_handler;
        void (*sa_sigaction)(int, siginfo_t *, void *);
    };
    int sa_flags;
    sigset_t sa_mask;
};

#define SIG_DFL (static_cast<sighandler_t>(nullptr))
#define SIG_IGN (reinterpret_cast<sighandler_t>(1))

extern "C" {

int sigaction(int signal, const struct sigaction *action, struct sigaction *before);
sighandler_t signal(int signal, sighandler_t handler);
int sigfillset(sigset_t *set);
int raise(int signal);

}  // extern "C"
