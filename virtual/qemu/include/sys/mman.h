// sys/mman.h -- the C library of the session program for Hexagon.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2

#define MAP_SHARED 0x01
#define MAP_PRIVATE 0x02
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MAP_FIXED_NOREPLACE 0x100000

#define MADV_HUGEPAGE 14

#define MAP_FAILED (reinterpret_cast<void *>(-1))

extern "C" {

// `bytes` may be 64 bits wide in the sources that two flavours share; what does not fit this address space fails.
void *mmap(void *address, uint64_t bytes, int protection, int flags, int fd, off_t offset);
int munmap(void *address, uint64_t bytes);
int mprotect(void *address, uint64_t bytes, int protection);
int madvise(void *address, uint64_t bytes, int advice);

}  // extern "C"
