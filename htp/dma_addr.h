// htp/dma_addr.h -- an address as the DMA engine sees it.
#pragma once

#include <stdint.h>

namespace hexane::htp {

// Base or final address of a transfer. It is not a pointer: on v81 it may lie above 4 GiB, where no load instruction reaches.
// Form a final address by adding a 32-bit byte offset to the base of a tensor.
class dma_addr_t {
  public:
    constexpr dma_addr_t() = default;
    constexpr explicit dma_addr_t(uint64_t value) : value_(value) {}
    constexpr dma_addr_t operator+(uint32_t bytes) const { return dma_addr_t(value_ + bytes); }
    constexpr uint64_t value() const { return value_; }
    constexpr bool is_32bit() const { return value_ >> 32 == 0; }

    // REQUIRES: the address is below 4 GiB (or the process is 32-bit).
    template <class T> T *pointer() const { return reinterpret_cast<T *>(static_cast<uintptr_t>(value_)); }

    // Address of memory that this process can touch: VTCM, scratch, descriptors.
    static dma_addr_t of(const void *p) { return dma_addr_t(reinterpret_cast<uintptr_t>(p)); }

  private:
    uint64_t value_ = 0;
};

}  // namespace hexane::htp
