// virtual/strict/cached_memory.cpp
#include "virtual/strict/cached_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "virtual/strict/poison.h"

namespace hexane::virt::strict {

namespace {

uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// Without memory for the model nothing that it says is worth anything.
void *must_map(uint64_t bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory != MAP_FAILED) return memory;
    perror("strict mode: no memory for the model of the cache");
    abort();
}

void protect(uint8_t *page, uint64_t bytes, int access) {
    if (mprotect(page, bytes, access) == 0) return;
    perror("strict mode: mprotect");
    abort();
}

}  // namespace

cached_memory::cached_memory(uint8_t *view, uint8_t *cache, uint8_t *memory, uint64_t bytes, std::string name,
                             breach_sink breach)
    : view_(view),
      cache_(cache),
      memory_(memory),
      fetched_(static_cast<uint8_t *>(must_map(rounded_up(bytes, page)))),
      bytes_(bytes),
      name_(std::move(name)),
      breach_(breach),
      held_(rounded_up(bytes, page) / line),
      open_(rounded_up(bytes, page) / page) {
    protect(view_, rounded_up(bytes_, page), PROT_NONE);
}

cached_memory::~cached_memory() {
    protect(view_, rounded_up(bytes_, page), PROT_READ | PROT_WRITE);
    munmap(fetched_, rounded_up(bytes_, page));
}

uint64_t cached_memory::line_end(uint64_t offset) const { return std::min(line_begin(offset) + line, bytes_); }

bool cached_memory::line_is_dirty(uint64_t offset) const {
    if (!page_is_open(offset)) return false;
    const uint64_t at = line_begin(offset);
    return memcmp(cache_ + at, fetched_ + at, line_end(offset) - at) != 0;
}

void cached_memory::write_back(uint64_t offset) {
    check_line_is_ours(offset);
    const uint64_t at = line_begin(offset), bytes = line_end(offset) - at;
    // A store that comes in between is seen next time.
    uint8_t now[line];
    memcpy(now, cache_ + at, bytes);
    memcpy(memory_ + at, now, bytes);
    memcpy(fetched_ + at, now, bytes);
}

// A line that was never fetched must have been stored to as a whole; of one that was, memory must still be what was fetched.
void cached_memory::check_line_is_ours(uint64_t offset) {
    const uint64_t at = line_begin(offset), bytes = line_end(offset) - at;
    const char *how = nullptr;
    if (!held_[at / line] && first_poison_run(cache_ + at, bytes, 2) != bytes)
        how = "was stored to in part without having been fetched";
    if (held_[at / line] && memcmp(memory_ + at, fetched_ + at, bytes) != 0)
        how = "was written by somebody else since it was fetched";
    if (!how) return;
    breach_(
        "the line at " + hex(begin() + at) + " of " + name_ + " " + how +
        ", and is torn by writing it back whole; expected: one writer for a line of 128 bytes, which is invalidated before "
        "stores to a part of it");
}

void cached_memory::open_page(uint64_t offset) {
    if (page_is_open(offset)) return;
    const uint64_t at = offset / page * page;
    poison(cache_ + at, page);
    memcpy(fetched_ + at, cache_ + at, page);
    open_[offset / page] = 1;
    protect(view_ + at, page, PROT_READ | PROT_WRITE);  // other threads may store from here on
}

void cached_memory::close_page_if_empty(uint64_t offset) {
    const uint64_t at = offset / page * page, first = at / line;
    for (uint64_t l = first; l < first + page / line; ++l) {
        if (held_[l]) return;
    }
    protect(view_ + at, page, PROT_NONE);  // before the look: nobody stores after it
    if (memcmp(cache_ + at, fetched_ + at, page) != 0)
        protect(view_ + at, page, PROT_READ | PROT_WRITE);  // stores without a fetch
    else
        open_[offset / page] = 0;
}

void cached_memory::fetch(uint64_t offset) {
    open_page(offset);
    const uint64_t at = line_begin(offset), bytes = line_end(offset) - at;
    memcpy(cache_ + at, memory_ + at, bytes);
    memcpy(fetched_ + at, cache_ + at, bytes);
    held_[at / line] = 1;
}

void cached_memory::drop(uint64_t offset) {
    const uint64_t at = line_begin(offset);
    if (!held_[at / line]) return;
    held_[at / line] = 0;
    poison(cache_ + at, line);
    memcpy(fetched_ + at, cache_ + at, line);
}

void cached_memory::clean_invalidate(uint64_t address) {
    const uint64_t offset = address - begin();
    if (line_is_dirty(offset)) write_back(offset);
    fetch(offset);
}

void cached_memory::clean_invalidate(uint64_t address, uint64_t bytes) {
    for (uint64_t o = line_begin(address - begin()); o < address - begin() + bytes; o += line)
        clean_invalidate(begin() + o);
}

void cached_memory::evict(uint64_t address) {
    const uint64_t offset = address - begin();
    if (held_[offset / line] && line_is_dirty(offset)) write_back(offset);
}

void cached_memory::memory_changed(uint64_t address, uint64_t bytes) {
    const uint64_t first = line_begin(address - begin()), last = address - begin() + bytes - 1;
    for (uint64_t o = first; o <= last; o += line) {
        if (page_is_open(o)) drop(o);
    }
    for (uint64_t o = first / page * page; o <= last; o += page) {
        if (page_is_open(o)) close_page_if_empty(o);
    }
}

void cached_memory::forget_clean_lines() {
    for (uint64_t p = 0; p < open_.size(); ++p) {
        if (!open_[p]) continue;
        const uint64_t end = std::min((p + 1) * page, bytes_);
        for (uint64_t o = p * page; o < end; o += line) {
            if (!line_is_dirty(o)) drop(o);
        }
        close_page_if_empty(p * page);
    }
}

uint64_t cached_memory::first_dirty(uint64_t address, uint64_t bytes) const {
    const uint64_t end = address - begin() + bytes;
    for (uint64_t o = line_begin(address - begin()); o < end;) {
        if (!page_is_open(o)) {
            o = (o / page + 1) * page;
            continue;
        }
        if (line_is_dirty(o)) return begin() + o;
        o += line;
    }
    return 0;
}

void cached_memory::open_for_store(uint64_t address) { open_page(address - begin()); }

}  // namespace hexane::virt::strict
