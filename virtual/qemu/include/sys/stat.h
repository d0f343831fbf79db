// sys/stat.h -- the C library of the session program for Hexagon: what the sources ask about a descriptor, by statx().
#pragma once

#include <sys/types.h>

#define S_ISSOCK(mode) (((mode) & 0170000) == 0140000)

struct stat {
    uint32_t st_mode;
    off_t st_size;
};

extern "C" int fstat(int fd, struct stat *result);
