// unistd.h -- the C library of the session program for Hexagon.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define STDOUT_FILENO 1
#define STDERR_FILENO 2

extern "C" {

ssize_t read(int fd, void *memory, size_t bytes);
ssize_t write(int fd, const void *memory, size_t bytes);
int close(int fd);
pid_t getpid();
int usleep(unsigned us);
[[noreturn]] void _exit(int code);

}  // extern "C"
