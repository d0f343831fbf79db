// errno.h -- the C library of the session program for Hexagon: error numbers of Linux.
#pragma once

extern "C" int *__errno_location();
#define errno (*__errno_location())

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ERANGE 34
#define EDEADLK 35
#define EOVERFLOW 75
#define ETIMEDOUT 110
