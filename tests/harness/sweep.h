// tests/harness/sweep.h -- the questions that are asked of every case. Each function returns the first wrong answer, or nothing.
#pragma once

#include <string>

#include "tests/harness/problem.h"

namespace hexane::testing {

// The plan is accepted on the least hardware there is, and what some hardware accepts, all with more of anything accept.
std::string check_plans(problem &p);

// The kernel, run in this process over archs, threads, VTCM from tiny to full, scratch and engine modes: rejected or right, always
// the same bits, nothing else touched.
std::string check_kernel(problem &p);

// The same op through ggml, the plug-in and a session, twice, on the first device.
std::string check_graph(problem &p);

// Some hardware takes the case.
bool is_planned(problem &p);

// A node as a person would want it told: op, parameters, types, shapes and strides.
std::string text_of(const ggml_tensor *node);

// What is being run, for the line that a crash leaves. The text is kept.
void note_running(const std::string &what);
const char *now_running();

}  // namespace hexane::testing
