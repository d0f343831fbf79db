// poll.h -- the C library of the session program for Hexagon.
#pragma once

#define POLLIN 0x0001
#define POLLOUT 0x0004
#define POLLRDHUP 0x2000

struct pollfd {
    int fd;
    short events;
    short revents;
};

extern "C" int poll(pollfd *polled, unsigned long count, int timeout_ms);
