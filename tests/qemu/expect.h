// tests/qemu/expect.h -- expectations of a Hexagon program without a test framework.
#pragma once

#include <stdio.h>

namespace hexane::qemu_test {

extern int failures;
void failed(const char *file, int line, const char *what);

void test_conversions();  // conversions_test.cpp
void test_counters();     // counters_test.cpp
void test_library();      // library_test.cpp
void test_threads();      // threads_test.cpp

}  // namespace hexane::qemu_test

// A failure costs one line, the first twenty of them, and the exit code.
#define EXPECT(condition) ((condition) ? (void)0 : ::hexane::qemu_test::failed(__FILE__, __LINE__, #condition))
