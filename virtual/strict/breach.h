// virtual/strict/breach.h -- where the models of strict mode tell what they found.
#pragma once

#include <string>

namespace hexane::virt::strict {

// What went wrong, where, and what was expected, in one line; op, thread and session are added by whoever receives it. A session ends
// there; a test notes it, so a model must stay usable after it.
using breach_sink = void (*)(const std::string &what);

// "0x12345678".
std::string hex(uint64_t address);

}  // namespace hexane::virt::strict
