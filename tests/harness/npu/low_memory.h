// tests/harness/npu/low_memory.h -- memory below 4 GiB with an inaccessible page on either side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hexane::testing {

struct memory_range {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool contains(uint64_t address, uint64_t bytes) const {
        return address >= begin && address <= end && bytes <= end - address;
    }
};

// Owns its pages. The bytes end at a guard page, up to the alignment.
class guarded_memory {
  public:
    static constexpr size_t alignment = 128;

    // Aborts the test program if there is no room below 4 GiB.
    explicit guarded_memory(size_t bytes);
    ~guarded_memory();
    guarded_memory(guarded_memory &&other) noexcept;
    guarded_memory(const guarded_memory &) = delete;
    guarded_memory &operator=(const guarded_memory &) = delete;

    uint8_t *data() const { return data_; }
    size_t size() const { return bytes_; }
    // From the first byte to the end of the last 128-byte line, which may be read.
    memory_range range() const;

  private:
    uint8_t *pages_ = nullptr;
    size_t page_bytes_ = 0;
    uint8_t *data_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace hexane::testing
