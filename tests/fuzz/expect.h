// tests/fuzz/expect.h -- how a fuzz target says that something is wrong: one line, then the abort that libFuzzer reports.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace hexane::fuzz {

// Ends the program with `what` unless `holds`.
inline void expect(bool holds, const std::string &what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    std::abort();
}

}  // namespace hexane::fuzz
