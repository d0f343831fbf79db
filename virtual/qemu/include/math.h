// math.h -- the C library of the session program for Hexagon: what libc++'s headers want to see. There are no functions.
#pragma once

typedef float float_t;
typedef double double_t;

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
