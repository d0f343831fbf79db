// host/self_test.h -- known-answer ops at the opening of a session.
#pragma once

#include <string>

#include "host/fastrpc.h"

namespace hexane::host {

class session;

// Sends one batch with a NOOP, an ADD and a MUL_MAT over small whole numbers, planned by the ordinary planners, and
// compares every result. Empty when all are right, else what went wrong. It tells a platform fault from a fault of a
// model's graph.
std::string run_known_answers(const fastrpc &rpc, session &s);

}  // namespace hexane::host
