// wchar.h -- the C library of the session program for Hexagon: a type that libc++'s headers name. There are no wide characters.
#pragma once

#include <stddef.h>

struct mbstate_t {
    int unused;
};
