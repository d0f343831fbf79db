// virtual/strict/cached_memory.h -- a shared buffer behind a data cache that is not coherent.
//
// The NPU's loads and stores reach a private copy, the cache; DMA, the host and other sessions reach the memory itself. A line (128 bytes)
// of the copy is either held, and then as fresh as its last fetch, or not held, and then its content is poison. A held line is dirty
// where it differs from what was fetched. Stores of the value that was there are not seen: that is the blind spot. A line is written
// back whole: what others wrote to the rest of it is lost, which is told.
//
// A page without a held line is inaccessible: a cached read there is a fault and told at once. Elsewhere poison tells. The model itself goes
// through a second mapping of the copy, which is always accessible.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "virtual/strict/breach.h"

namespace hexane::virt::strict {

// Not thread-safe: the owner has the lock.
class cached_memory {
  public:
    // `view` and `cache` are two mappings of the same private memory, page-aligned, whole pages; the NPU's loads and stores reach `view`.
    // `memory` is the shared buffer. All are the caller's and outlive this. Nothing is held at first. `name` is for messages.
    cached_memory(uint8_t *view, uint8_t *cache, uint8_t *memory, uint64_t bytes, std::string name, breach_sink breach);
    ~cached_memory();
    cached_memory(const cached_memory &) = delete;

    bool contains(uint64_t address) const { return address >= begin() && address < begin() + bytes_; }
    bool contains(uint64_t address, uint64_t bytes) const {
        return contains(address) && bytes <= bytes_ - (address - begin());
    }
    uint64_t begin() const { return reinterpret_cast<uint64_t>(view_); }
    uint8_t *cache() const { return cache_; }
    uint64_t bytes() const { return bytes_; }
    const std::string &name() const { return name_; }

    // The memory behind an address of the cache. REQUIRES: contains(address).
    uint8_t *memory_of(uint64_t address) const { return memory_ + (address - begin()); }

    // The line that holds `address`: written back whole if it is dirty, dropped, and fetched again at once.
    void clean_invalidate(uint64_t address);
    // All lines that touch the range.
    void clean_invalidate(uint64_t address, uint64_t bytes);
    // Written back, and held still: what a real cache may do to a dirty line at any time. A line that is not held stays as it is: stores
    // to it may be under way.
    void evict(uint64_t address);

    // Somebody else wrote the memory: lines of the range are not held any more. REQUIRES: none of them is dirty.
    void memory_changed(uint64_t address, uint64_t bytes);
    // The same for all lines that are not dirty.
    void forget_clean_lines();

    // Address of the first dirty line that touches the range, 0 if none does.
    uint64_t first_dirty(uint64_t address, uint64_t bytes) const;
    uint64_t first_dirty() const { return first_dirty(begin(), bytes_); }

    // A store met a page without a held line: real hardware allocates one. The page becomes accessible, poison but for the store.
    void open_for_store(uint64_t address);

  private:
    uint64_t line_begin(uint64_t offset) const { return offset / line * line; }
    uint64_t line_end(uint64_t offset) const;
    bool page_is_open(uint64_t offset) const { return open_[offset / page]; }
    bool line_is_dirty(uint64_t offset) const;
    void write_back(uint64_t offset);
    void check_line_is_ours(uint64_t offset);
    void fetch(uint64_t offset);
    void drop(uint64_t offset);
    void open_page(uint64_t offset);
    void close_page_if_empty(uint64_t offset);

    static constexpr uint64_t line = 128, page = 4096;

    uint8_t *view_;
    uint8_t *cache_;
    uint8_t *memory_;
    uint8_t *fetched_;  // what each held line was when it was fetched or written back last
    uint64_t bytes_;
    std::string name_;
    breach_sink breach_;
    std::vector<uint8_t> held_;  // per line
    std::vector<uint8_t> open_;  // per page
};

}  // namespace hexane::virt::strict
