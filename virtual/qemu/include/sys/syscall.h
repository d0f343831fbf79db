// sys/syscall.h -- the C library of the session program for Hexagon: numbers of the generic table, with 64-bit time.
#pragma once

#define SYS_openat 56
#define SYS_close 57
#define SYS_read 63
#define SYS_write 64
#define SYS_exit 93
#define SYS_exit_group 94
#define SYS_set_tid_address 96
#define SYS_sched_yield 124
#define SYS_tgkill 131
#define SYS_rt_sigaction 134
#define SYS_rt_sigprocmask 135
#define SYS_prctl 167
#define SYS_getpid 172
#define SYS_gettid 178
#define SYS_sendmsg 211
#define SYS_recvmsg 212
#define SYS_munmap 215
#define SYS_clone 220
#define SYS_mmap2 222
#define SYS_mprotect 226
#define SYS_madvise 233
#define SYS_statx 291
#define SYS_clock_gettime64 403
#define SYS_clock_nanosleep_time64 407
#define SYS_ppoll_time64 414
#define SYS_futex_time64 422
#define SYS_pidfd_open 434

// The sources' timespec is the 64-bit one.
#define SYS_futex SYS_futex_time64

// As in the C library: -1 and errno.
extern "C" long syscall(long number, ...);
