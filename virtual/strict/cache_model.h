// virtual/strict/cache_model.h -- the data cache of a session over all the buffers that it has mapped.
#pragma once

#include <stdint.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "virtual/strict/cached_memory.h"
#include "virtual/strict/late_transfers.h"

namespace hexane::virt::strict {

// Thread-safe. Addresses outside of all buffers are memory that only this session sees (VTCM, heap): nothing happens for them.
class cache_model : public dma_memory {
  public:
    explicit cache_model(breach_sink breach) : breach_(breach) {}

    // See cached_memory.
    void add(uint8_t *view, uint8_t *cache, uint8_t *memory, uint64_t bytes, std::string name);
    // The other mappings that were given to add(). Dirty lines are lost, which is a breach.
    struct mappings {
        uint8_t *cache = nullptr;
        uint8_t *memory = nullptr;
    };
    mappings remove(uint8_t *view);

    // A line instruction: posted, and done when the calling thread synchronises.
    void post_clean_invalidate(uint64_t address);
    void synchronise();

    // The host or another session may have written anything.
    void others_wrote();
    void clean_invalidate(uint64_t address, uint64_t bytes);
    // Address of the first dirty line that touches the range, 0 if none does.
    uint64_t first_dirty(uint64_t address, uint64_t bytes);
    // Whoever is told now that results are there goes around this cache. `who` is for the message.
    void require_all_clean(const char *who);
    // Writes some dirty lines back early, as a real cache may: those of one open page that `choice` picks.
    void evict_some(uint32_t choice);

    // What an address that the processor refused belongs to. These two allocate nothing: a signal handler asks.
    struct place {
        const char *buffer;  // its name, valid as long as it is mapped; null: no buffer
        uint64_t offset;
    };
    place place_of(uint64_t address);
    // A store met a page without a held line. REQUIRES: the address is in a buffer.
    void open_for_store(uint64_t address);

    // dma_memory
    uint8_t *reach(uint64_t address) override;
    void about_to_read(uint64_t address, uint64_t bytes) override;
    void about_to_write(uint64_t address, uint64_t bytes) override;
    void written(uint64_t address, uint64_t bytes) override;

  private:
    cached_memory *find(uint64_t address);
    void require_clean(uint64_t address, uint64_t bytes, const char *what);
    void require_within(uint64_t address, uint64_t bytes, const char *what);

    std::mutex lock_;
    std::map<uint64_t, std::unique_ptr<cached_memory>> buffers_;  // by the address of their first byte
    breach_sink breach_;
};

}  // namespace hexane::virt::strict
