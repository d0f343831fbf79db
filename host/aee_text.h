// host/aee_text.h -- FastRPC result codes in plain words.
#pragma once

#include <string>

namespace hexane::host {

// "0x80000406: the NPU could not load the library (...)". Codes of the NPU have the offset 0x80000400; the same number
// without it comes from the driver on this side.
std::string aee_text(int code);

}  // namespace hexane::host
