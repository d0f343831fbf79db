// time.h -- the C library of the session program for Hexagon: the kernel's 64-bit time.
#pragma once

typedef long long time_t;
struct timespec {
    time_t tv_sec;
    long long tv_nsec;
};

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1

extern "C" {

int clock_gettime(int clock, timespec *now);
// Returns the error number.
int clock_nanosleep(int clock, int flags, const timespec *time, timespec *left);
int nanosleep(const timespec *time, timespec *left);

}  // extern "C"
