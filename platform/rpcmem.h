// platform/rpcmem.h -- memory that host and NPU share, known to the driver by a file descriptor.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

enum rpcmem_heap_id : int {
    RPCMEM_HEAP_ID_SECURE = 9,
    RPCMEM_HEAP_ID_CONTIG = 22,
    RPCMEM_HEAP_ID_SYSTEM = 25,
    RPCMEM_DEFAULT_HEAP = -1,
};
enum rpcmem_flags : uint32_t {
    RPCMEM_FLAG_UNCACHED = 0,
    RPCMEM_FLAG_CACHED = 1,
    RPCMEM_DEFAULT_FLAGS = 1,
    RPCMEM_FORCE_NOFLUSH = 0x01000000,
    RPCMEM_FORCE_NOINVALIDATE = 0x02000000,
    RPCMEM_TRY_MAP_STATIC = 0x04000000,
    RPCMEM_HEAP_NONCOHERENT = 0x08000000,
    RPCMEM_HEAP_NOVA = 0x10000000,
    RPCMEM_HEAP_UNCACHED = 0x20000000,
    RPCMEM_HEAP_NOREG = 0x40000000,
    RPCMEM_HEAP_DEFAULT = 0x80000000,
};

// Not needed when the driver library is loaded at run time.
void rpcmem_init(void);
void rpcmem_deinit(void);

// Page-rounded and page-aligned; null on failure. The caller frees it.
void *rpcmem_alloc(int heap_id, uint32_t flags, int size);
// The same for 2 GiB and more; absent from older drivers.
void *rpcmem_alloc2(int heap_id, uint32_t flags, size_t size);
void rpcmem_free(void *memory);
// Descriptor of an allocation, which stays the driver's; -1 for an address that rpcmem_alloc did not return.
int rpcmem_to_fd(void *memory);

}  // extern "C"
