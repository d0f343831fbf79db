// virtual/session/export.h -- functions that the NPU library finds in this process.
#pragma once

#define HEX_EXPORT extern "C" __attribute__((visibility("default"), used))
