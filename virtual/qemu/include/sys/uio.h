// sys/uio.h -- the C library of the session program for Hexagon.
#pragma once

#include <stddef.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};
