// virtual/qemu/system_interface.cpp -- the functions of the C library that are one system call each.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "virtual/qemu/system_call.h"
#include "virtual/qemu/thread.h"

using namespace hexane::virt;

namespace {

constexpr long at_cwd = -100;
constexpr long at_empty_path = 0x1000;
constexpr long statx_type_and_size = 0x001 | 0x200;
constexpr uint64_t mmap2_unit = 4096;

// The kernel's struct statx, up to the size.
struct statx_result {
    uint32_t mask, block_bytes;
    uint64_t attributes;
    uint32_t links, user, group;
    uint16_t mode, padding;
    uint64_t inode, bytes;
    uint64_t rest[26];
};
static_assert(sizeof(statx_result) == 256 && offsetof(statx_result, bytes) == 40);

// The kernel's struct sigaction.
struct kernel_sigaction {
    void *handler;
    unsigned long flags;
    void *restorer;
    sigset_t mask __attribute__((packed, aligned(4)));
};

thread_local int thread_errno = 0;

}  // namespace

namespace hexane::virt {
long checked(long result) {
    if (result >= 0 || result < -4095) return result;
    thread_errno = static_cast<int>(-result);
    return -1;
}
}  // namespace hexane::virt

extern "C" {

int *__errno_location() { return &thread_errno; }

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long a[6];
    for (long &argument : a) argument = va_arg(arguments, long);
    va_end(arguments);
    return checked(system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

// ---- files

int open(const char *path, int flags, ...) { return checked(system_call(SYS_openat, at_cwd, word(path), flags)); }
int close(int fd) { return checked(system_call(SYS_close, fd)); }
ssize_t read(int fd, void *memory, size_t bytes) {
    return checked(system_call(SYS_read, fd, word(memory), static_cast<long>(bytes)));
}
ssize_t write(int fd, const void *memory, size_t bytes) {
    return checked(system_call(SYS_write, fd, word(memory), static_cast<long>(bytes)));
}
int fstat(int fd, struct stat *result) {
    statx_result s{};
    const long r = checked(system_call(SYS_statx, fd, word(""), at_empty_path, statx_type_and_size, word(&s)));
    *result = {s.mode, static_cast<off_t>(s.bytes)};
    return r;
}
int poll(pollfd *polled, unsigned long count, int timeout_ms) {
    const timespec limit{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000};
    return checked(system_call(SYS_ppoll_time64, word(polled), static_cast<long>(count),
                               timeout_ms < 0 ? 0 : word(&limit), 0, sizeof(sigset_t)));
}
ssize_t sendmsg(int socket, const msghdr *message, int flags) {
    return checked(system_call(SYS_sendmsg, socket, word(message), flags));
}
ssize_t recvmsg(int socket, msghdr *message, int flags) {
    return checked(system_call(SYS_recvmsg, socket, word(message), flags));
}

// ---- memory

void *mmap(void *address, uint64_t bytes, int protection, int flags, int fd, off_t offset) {
    if (bytes > SIZE_MAX) return errno = ENOMEM, MAP_FAILED;
    const auto units = static_cast<long>(static_cast<uint64_t>(offset) / mmap2_unit);
    const long r = system_call(SYS_mmap2, word(address), static_cast<long>(bytes), protection, flags, fd, units);
    return reinterpret_cast<void *>(checked(r));
}
int munmap(void *address, uint64_t bytes) {
    return checked(system_call(SYS_munmap, word(address), static_cast<long>(bytes)));
}
int mprotect(void *address, uint64_t bytes, int protection) {
    return checked(system_call(SYS_mprotect, word(address), static_cast<long>(bytes), protection));
}
int madvise(void *address, uint64_t bytes, int advice) {
    return checked(system_call(SYS_madvise, word(address), static_cast<long>(bytes), advice));
}

// ---- time

int clock_gettime(int clock, timespec *now) { return checked(system_call(SYS_clock_gettime64, clock, word(now))); }
int clock_nanosleep(int clock, int flags, const timespec *time, timespec *left) {
    return static_cast<int>(-system_call(SYS_clock_nanosleep_time64, clock, flags, word(time), word(left)));
}
int nanosleep(const timespec *time, timespec *left) {
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return error ? (errno = error, -1) : 0;
}
int usleep(unsigned us) {
    const timespec time{us / 1'000'000, us % 1'000'000 * 1000};
    return nanosleep(&time, nullptr);
}

// ---- processes, threads and signals

pid_t getpid() { return static_cast<pid_t>(system_call(SYS_getpid)); }
int sched_yield() { return checked(system_call(SYS_sched_yield)); }
void _exit(int code) {
    for (;;) system_call(SYS_exit_group, code);
}
int prctl(int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    long a[4];
    for (long &argument : a) argument = va_arg(arguments, long);
    va_end(arguments);
    return checked(system_call(SYS_prctl, option, a[0], a[1], a[2], a[3]));
}
int sigaction(int signal, const struct sigaction *action, struct sigaction *) {
    const kernel_sigaction k{reinterpret_cast<void *>(action->sa_sigaction),
                             static_cast<unsigned long>(action->sa_flags), nullptr, action->sa_mask};
    return checked(system_call(SYS_rt_sigaction, signal, word(&k), 0, sizeof(sigset_t)));
}
sighandler_t signal(int signal, sighandler_t handler) {
    struct sigaction action{};
    action.sa_handler = handler;
    return sigaction(signal, &action, nullptr) == 0 ? handler : reinterpret_cast<sighandler_t>(-1);
}
int sigfillset(sigset_t *set) { return *set = ~sigset_t{0}, 0; }
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    return static_cast<int>(-system_call(SYS_rt_sigprocmask, how, word(set), word(before), sizeof(sigset_t)));
}
int raise(int signal) {
    return checked(system_call(SYS_tgkill, getpid(), static_cast<long>(this_thread()->tid), signal));
}
void abort() {
    raise(SIGABRT);
    _exit(127);
}

const char *sigabbrev_np(int signal) {
    switch (signal) {
        case SIGILL: return "ILL";
        case SIGBUS: return "BUS";
        case SIGFPE: return "FPE";
        case SIGSEGV: return "SEGV";
        default: return nullptr;
    }
}

}  // extern "C"
