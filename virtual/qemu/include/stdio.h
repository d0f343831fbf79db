// stdio.h -- the C library of the session program for Hexagon: text into buffers. There are no streams.
//
// Conversions: d i u x X c s p and %, with the flags - and 0, width, precision and the lengths hh h l ll z t j. Nothing else.
#pragma once

#include <stdarg.h>
#include <stddef.h>

// libc++'s headers name these.
struct FILE;
#define EOF (-1)

extern "C" {

int remove(const char *path);

int snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *text, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

}  // extern "C"
