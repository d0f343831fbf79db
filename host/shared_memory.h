// host/shared_memory.h -- one rpcmem allocation: memory that the NPU reaches by its descriptor.
#pragma once

#include <cstdint>

#include "host/fastrpc.h"

namespace hexane::host {

// Owns the allocation. It belongs to this process and outlives every session that maps it.
class shared_memory {
  public:
    shared_memory() = default;
    ~shared_memory() { release(); }
    shared_memory(const shared_memory &) = delete;
    shared_memory &operator=(const shared_memory &) = delete;

    // At least `bytes`, whole pages, zero or not as the driver likes. False when there is none; then nothing is held.
    bool allocate(const fastrpc &rpc, uint64_t bytes);
    void release();

    uint8_t *base() const { return base_; }
    uint64_t bytes() const { return bytes_; }
    int fd() const { return fd_; }

  private:
    const fastrpc *rpc_ = nullptr;
    uint8_t *base_ = nullptr;
    uint64_t bytes_ = 0;
    int fd_ = -1;
};

}  // namespace hexane::host
