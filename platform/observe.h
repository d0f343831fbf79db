// platform/observe.h -- what the runtime tells a virtual device, so that this one can name the op in its complaints and spoil
// what an op may not find. A device has no use for it.
#pragma once

#include <stdint.h>

namespace hexane::platform {

#if defined(__hexagon__)

inline void *op_begins(const char *, uint32_t, void *vtcm, uint32_t) { return vtcm; }
inline void op_ends() {}

#else

extern "C" {
void *hexane_virtual_op_begins(const char *name, uint32_t index, void *vtcm, uint32_t bytes);
void hexane_virtual_op_ends();
}

// An op begins on the session's main thread: VTCM is undefined now. `name` stays valid; `index` is its place in the batch. Returns
// where the `bytes` are that the op has of `vtcm`: its beginning, or where a virtual device would rather see an overrun.
inline void *op_begins(const char *name, uint32_t index, void *vtcm, uint32_t bytes) {
    return hexane_virtual_op_begins(name, index, vtcm, bytes);
}
// It has ended, well or not, and left nothing behind: no transfer is in flight on any thread.
inline void op_ends() { hexane_virtual_op_ends(); }

#endif

}  // namespace hexane::platform
