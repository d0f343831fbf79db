// fcntl.h -- the C library of the session program for Hexagon.
#pragma once

#define O_RDONLY 0
#define O_CLOEXEC 02000000

#define F_DUPFD_CLOEXEC 1030

extern "C" int open(const char *path, int flags, ...);
// Declared for owned_fd.h; nobody calls it in a session.
extern "C" int fcntl(int fd, int command, ...);
