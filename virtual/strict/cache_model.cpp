// virtual/strict/cache_model.cpp
#include "virtual/strict/cache_model.h"

#include <utility>

namespace hexane::virt::strict {

namespace {
// Lines that this thread cleaned and has not synchronised yet.
thread_local std::vector<uint64_t> posted_lines;
}  // namespace

cached_memory *cache_model::find(uint64_t address) {
    auto next = buffers_.upper_bound(address);
    if (next == buffers_.begin()) return nullptr;
    cached_memory *buffer = std::prev(next)->second.get();
    return buffer->contains(address) ? buffer : nullptr;
}

void cache_model::add(uint8_t *view, uint8_t *cache, uint8_t *memory, uint64_t bytes, std::string name) {
    const std::lock_guard guard(lock_);
    buffers_.emplace(reinterpret_cast<uint64_t>(view),
                     std::make_unique<cached_memory>(view, cache, memory, bytes, std::move(name), breach_));
}

cache_model::mappings cache_model::remove(uint8_t *view) {
    const std::lock_guard guard(lock_);
    const auto found = buffers_.find(reinterpret_cast<uint64_t>(view));
    if (found == buffers_.end()) return {};
    if (const uint64_t dirty = found->second->first_dirty())
        breach_(found->second->name() + " is unmapped while the cache holds a dirty line of it, at " + hex(dirty) +
                "; expected: cleaned before");
    const mappings given{found->second->cache(), found->second->memory_of(found->first)};
    buffers_.erase(found);
    return given;
}

void cache_model::post_clean_invalidate(uint64_t address) { posted_lines.push_back(address); }

void cache_model::synchronise() {
    const std::lock_guard guard(lock_);
    for (const uint64_t address : posted_lines) {
        if (cached_memory *b = find(address)) b->clean_invalidate(address);
    }
    posted_lines.clear();
}

void cache_model::others_wrote() {
    const std::lock_guard guard(lock_);
    for (auto &[address, buffer] : buffers_) buffer->forget_clean_lines();
}

void cache_model::clean_invalidate(uint64_t address, uint64_t bytes) {
    const std::lock_guard guard(lock_);
    if (cached_memory *b = find(address)) b->clean_invalidate(address, bytes);
}

uint64_t cache_model::first_dirty(uint64_t address, uint64_t bytes) {
    const std::lock_guard guard(lock_);
    const cached_memory *b = find(address);
    return b ? b->first_dirty(address, bytes) : 0;
}

void cache_model::require_all_clean(const char *who) {
    const std::lock_guard guard(lock_);
    for (auto &[address, buffer] : buffers_) {
        if (const uint64_t dirty = buffer->first_dirty())
            breach_("the line at " + hex(dirty) + " of " + buffer->name() + " is dirty in the cache while " + who +
                    "; expected: written back before");
    }
}

void cache_model::evict_some(uint32_t choice) {
    const std::lock_guard guard(lock_);
    if (buffers_.empty()) return;
    const auto buffer = std::next(buffers_.begin(), choice % buffers_.size());
    if (const uint64_t dirty = buffer->second->first_dirty()) buffer->second->evict(dirty);
}

cache_model::place cache_model::place_of(uint64_t address) {
    const std::lock_guard guard(lock_);
    const cached_memory *b = find(address);
    return b ? place{b->name().c_str(), address - b->begin()} : place{};
}

void cache_model::open_for_store(uint64_t address) {
    const std::lock_guard guard(lock_);
    if (cached_memory *b = find(address)) b->open_for_store(address);
}

uint8_t *cache_model::reach(uint64_t address) {
    const std::lock_guard guard(lock_);
    cached_memory *b = find(address);
    return b ? b->memory_of(address) : reinterpret_cast<uint8_t *>(address);
}

// A range lies in one buffer, or touches none.
void cache_model::require_within(uint64_t address, uint64_t bytes, const char *what) {
    cached_memory *b = find(address);
    if (b && b->contains(address, bytes)) return;
    if (!b) {
        const auto next = buffers_.upper_bound(address);
        if (next == buffers_.end() || next->first >= address + bytes) return;
        b = next->second.get();
    }
    breach_("DMA " + std::string(what) + " " + hex(address) + " + " + std::to_string(bytes) + ", which leaves " +
            b->name() + " (" + hex(b->begin()) + " + " + std::to_string(b->bytes()) + "); expected: within one buffer");
}

void cache_model::require_clean(uint64_t address, uint64_t bytes, const char *what) {
    const std::lock_guard guard(lock_);
    require_within(address, bytes, what);
    const cached_memory *b = find(address);
    if (!b) return;
    if (const uint64_t dirty = b->first_dirty(address, bytes))
        breach_("DMA " + std::string(what) + " " + hex(address) + " + " + std::to_string(bytes) + " of " + b->name() +
                " while the line at " + hex(dirty) +
                " is dirty in the cache; expected: cleaned (before_dma) and synchronised before");
}

void cache_model::about_to_read(uint64_t address, uint64_t bytes) { require_clean(address, bytes, "reads"); }
void cache_model::about_to_write(uint64_t address, uint64_t bytes) { require_clean(address, bytes, "writes"); }

void cache_model::written(uint64_t address, uint64_t bytes) {
    const std::lock_guard guard(lock_);
    if (cached_memory *b = find(address)) b->memory_changed(address, bytes);
}

}  // namespace hexane::virt::strict
