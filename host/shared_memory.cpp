// host/shared_memory.cpp
#include "host/shared_memory.h"

#include <climits>

#include "base/align.h"

namespace hexane::host {

namespace {

constexpr uint64_t page_bytes = 4096;

void *allocate_pages(const fastrpc &rpc, uint64_t bytes) {
    if (rpc.rpcmem_alloc2) return rpc.rpcmem_alloc2(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, bytes);
    if (bytes > INT_MAX) return nullptr;  // older drivers count in int
    return rpc.rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, static_cast<int>(bytes));
}

}  // namespace

bool shared_memory::allocate(const fastrpc &rpc, uint64_t bytes) {
    release();
    if (bytes > UINT64_MAX - page_bytes) return false;
    bytes = base::align_up(base::max<uint64_t>(bytes, 1), page_bytes);
    void *memory = allocate_pages(rpc, bytes);
    if (!memory) return false;
    const int fd = rpc.rpcmem_to_fd(memory);
    if (fd < 0) {
        rpc.rpcmem_free(memory);
        return false;
    }
    rpc_ = &rpc;
    base_ = static_cast<uint8_t *>(memory);
    bytes_ = bytes;
    fd_ = fd;
    return true;
}

void shared_memory::release() {
    if (base_) rpc_->rpcmem_free(base_);
    base_ = nullptr;
    bytes_ = 0;
    fd_ = -1;
}

}  // namespace hexane::host
