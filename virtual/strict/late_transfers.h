// virtual/strict/late_transfers.h -- the DMA engine of one hardware thread at its most hostile: bytes move when they are waited for,
// and not a moment earlier.
#pragma once

#include <stdint.h>

#include <deque>
#include <vector>

#include "virtual/session/dma_descriptor_decode.h"
#include "virtual/strict/breach.h"

namespace hexane::virt::strict {

// Memory as an engine sees it that goes around the caches.
class dma_memory {
  public:
    virtual ~dma_memory() = default;
    // Where the engine finds the bytes that a kernel names by `address`.
    virtual uint8_t *reach(uint64_t address) = 0;
    // Called before a row is read and before it is written, at push and when it lands.
    virtual void about_to_read(uint64_t address, uint64_t bytes) = 0;
    virtual void about_to_write(uint64_t address, uint64_t bytes) = 0;
    // Called after a row was written.
    virtual void written(uint64_t address, uint64_t bytes) = 0;
};

// Transfers in flight, oldest first. Used by one thread; in_flight() by others between jobs.
//   - The source is remembered at push and must be the same when the transfer lands: pushed before the data was there, or overwritten
//     too early, shows.
//   - The destination is poisoned at push and must be poison until the bytes land: bytes read too early are NaN, and bytes
//     written too early show.
//   - What leaves must not be made of poison: not be the destination of a transfer in flight, nor hold the marks of it.
//   - The descriptor must stay as it was pushed, but for what the engine itself writes.
class late_transfers {
  public:
    late_transfers(dma_memory &memory, breach_sink breach) : memory_(memory), breach_(breach) {}

    // Starts a transfer; `descriptor` gets its done bit when it lands. REQUIRES: a decoded, checked descriptor.
    void push(const dma_work &work, uint32_t *descriptor);
    // Lets the oldest transfer land. Nothing happens when there is none.
    void land_oldest();

    size_t in_flight() const { return waiting_.size(); }
    // The oldest one, for messages. REQUIRES: in_flight() > 0.
    const dma_work &oldest() const { return waiting_.front().work; }
    // After a breach that was noted only: forgets what is in flight.
    void forget() { waiting_.clear(); }

  private:
    struct pending {
        dma_work work;
        uint32_t *descriptor;
        std::vector<uint8_t> source;  // as it was at push
        uint32_t words[8];            // of the descriptor, then
    };

    void check_descriptor_free(const uint32_t *descriptor);
    void check_source_made(const pending &p);
    void check_source_landed(const dma_work &work);
    void check_descriptor_kept(const pending &p);
    void check_source_kept(const pending &p);
    void check_destination_kept(const pending &p);

    dma_memory &memory_;
    breach_sink breach_;
    std::deque<pending> waiting_;
};

// "4 rows of 256 bytes from 0x... (stride 512) to 0x... (stride 256)".
std::string describe(const dma_work &work);

}  // namespace hexane::virt::strict
