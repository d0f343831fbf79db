// virtual/driver/export.h -- the frame of every exported function: visible, and no exception leaves it.
#pragma once

#include <new>

#include "platform/AEEStdErr.h"
#include "virtual/driver/forks.h"

#define HEX_EXPORT extern "C" __attribute__((visibility("default")))

namespace hexane::virt {

// Runs the body of an exported function.
template <class Body> AEEResult guarded(Body body) {
    if (is_forked_child()) return AEE_EBADSTATE;
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return AEE_ENOMEMORY;
    } catch (...) {
        return AEE_EFAILED;
    }
}

}  // namespace hexane::virt
