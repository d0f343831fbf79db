// inttypes.h -- the C library of the session program for Hexagon: formats of the 64-bit types that log lines print.
#pragma once

#include <stdint.h>

#define PRIu64 "llu"
#define PRIx64 "llx"
