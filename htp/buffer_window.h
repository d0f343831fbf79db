// htp/buffer_window.h -- which shared buffers are mapped into this session's 32-bit address space.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "base/span.h"
#include "htp/futex_lock.h"
#include "htp/status.h"

namespace hexane::htp {

// Buffers are mapped when a batch first uses them and stay mapped. When the window is full, those that the batch does not use make
// room, least recently used first. prepare() runs on the main thread, forget() on the FastRPC thread.
class buffer_window {
  public:
    static constexpr uint32_t max_mappings = 256;

    void init(uint64_t window_bytes, uint32_t arch_version) {
        window_bytes_ = window_bytes;
        arch_version_ = arch_version;
    }

    // Maps all buffers of a batch and writes their addresses to `addresses`, in order. They stay valid until the next prepare().
    status prepare(base::span<const buffer_desc> buffers, uint64_t *addresses);

    // The host freed the buffer behind `fd`. REQUIRES: no batch that uses it is queued.
    void forget(uint32_t fd);
    void forget_all();

    uint64_t mapped_bytes() const { return mapped_bytes_; }

  private:
    struct mapping {
        uint64_t address = 0;
        uint64_t bytes = 0;
        uint64_t last_use = 0;  // sequence number of prepare()
        uint32_t fd = 0;
        bool used = false;
    };

    mapping *find(uint32_t fd);
    mapping *free_slot();
    mapping *oldest_unused();
    status map(const buffer_desc &b);
    void unmap(mapping &m);
    bool map_once(mapping &m);
    bool has_mmap2() const;

    futex_lock lock_;
    uint64_t window_bytes_ = 0;
    uint64_t mapped_bytes_ = 0;
    uint64_t sequence_ = 0;
    uint32_t arch_version_ = 0;
    mapping mappings_[max_mappings];
};

}  // namespace hexane::htp
