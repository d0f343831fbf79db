// tests/qemu/test_main.cpp -- runs under qemu-hexagon, on nothing but the C library that it tests.
#include <unistd.h>

#include "tests/qemu/expect.h"

namespace hexane::qemu_test {

int failures = 0;

void failed(const char *file, int line, const char *what) {
    char text[256];
    const int n = snprintf(text, sizeof text, "%s:%d: %s\n", file, line, what);
    if (failures++ < 20) (void)write(STDERR_FILENO, text, static_cast<size_t>(n));
}

}  // namespace hexane::qemu_test

int main() {
    hexane::qemu_test::test_counters();
    hexane::qemu_test::test_conversions();
    hexane::qemu_test::test_library();
    hexane::qemu_test::test_threads();
    return hexane::qemu_test::failures != 0;
}
