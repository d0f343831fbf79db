// ggml-hexagon.h -- public C API of the Hexagon NPU backend.
//
// The shared library is loaded by ggml itself (GGML_BACKEND_PATH or the backends directory) and needs none of this. A
// program that links the static library registers the backend by hand:
//
//     ggml_backend_register(ggml_backend_hexagon_reg());
#pragma once

#include "ggml-backend.h"
#include "ggml.h"

#if defined(__GNUC__)
#define GGML_HEXAGON_API __attribute__((visibility("default")))
#else
#define GGML_HEXAGON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The registry "HTP". Its devices follow from GGML_HEXAGON_DEVICES; there are none when the FastRPC library cannot be
// loaded. Never NULL; the same on every call. Any thread.
GGML_HEXAGON_API ggml_backend_reg_t ggml_backend_hexagon_reg(void);

// A backend on device `device` of the registry, 0 .. count-1. NULL when there is no such device. No session is opened
// before work is computed. Free it with ggml_backend_free().
GGML_HEXAGON_API ggml_backend_t ggml_backend_hexagon_init(size_t device);

// Whether `backend` is one of ours. NULL is not.
GGML_HEXAGON_API bool ggml_backend_is_hexagon(ggml_backend_t backend);

#ifdef __cplusplus
}
#endif
