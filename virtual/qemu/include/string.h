// string.h -- the C library of the session program for Hexagon.
#pragma once

#include <stddef.h>

extern "C" {

void *memcpy(void *__restrict to, const void *__restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *memory, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *memory, int value, size_t bytes);

size_t strlen(const char *text);
char *strrchr(const char *text, int c);
int strcmp(const char *a, const char *b);

// The signal's name without SIG; null for those that have none here.
const char *sigabbrev_np(int signal);

}  // extern "C"
