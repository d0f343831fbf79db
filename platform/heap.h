// platform/heap.h -- the heap of the NPU process. Images export it under these names, which the SDK's linker options
// (--wrap=malloc,...) turn plain calls into; here they are called directly. Reachable by DMA. Null on failure.
#pragma once

#include <stddef.h>

#include "platform/npu_side.h"

extern "C" {

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_memalign(size_t alignment, size_t bytes);
void __wrap_free(void *memory);

}  // extern "C"
