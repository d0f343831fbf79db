// sys/types.h -- the C library of the session program for Hexagon.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int pid_t;
typedef long ssize_t;
typedef long long off_t;
