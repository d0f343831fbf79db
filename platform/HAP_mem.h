// platform/HAP_mem.h -- mapping of host memory into the NPU process.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <HAP_mem.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

enum HAP_prot : int { HAP_PROT_READ = 1, HAP_PROT_WRITE = 2, HAP_PROT_EXEC = 4 };

// (void *)-1 on failure. `fd` is the number that the host's driver knows the memory by; the host must have mapped it for this
// domain with fastrpc_mmap. v73 images have HAP_mmap only, which is limited to 2 GiB; v75 and later HAP_mmap2.
void *HAP_mmap(void *address, int bytes, int prot, int flags, int fd, long offset);
int HAP_munmap(void *address, int bytes);
void *HAP_mmap2(void *address, size_t bytes, int prot, int flags, int fd, long offset);
int HAP_munmap2(void *address, size_t bytes);

// Address of a buffer that the host mapped with FASTRPC_MAP_FD.
int HAP_mmap_get(int fd, void **address, uint64_t *physical);
int HAP_mmap_put(int fd);

}  // extern "C"

inline void *const HAP_MAP_FAILED = reinterpret_cast<void *>(~static_cast<uintptr_t>(0));

#endif  // HEXANE_WITH_SDK
