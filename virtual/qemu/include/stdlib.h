// stdlib.h -- the C library of the session program for Hexagon: the heap of C++ objects, and the end.
#pragma once

#include <stddef.h>

// libc++'s headers name these.
struct ldiv_t {
    long quot, rem;
};
struct lldiv_t {
    long long quot, rem;
};

extern "C" {

void *malloc(size_t bytes);
void free(void *memory);
[[noreturn]] void abort();

ldiv_t ldiv(long a, long b);
lldiv_t lldiv(long long a, long long b);

}  // extern "C"
