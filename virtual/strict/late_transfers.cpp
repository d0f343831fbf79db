// virtual/strict/late_transfers.cpp
#include "virtual/strict/late_transfers.h"

#include <stdio.h>
#include <string.h>

#include <utility>

#include "virtual/strict/poison.h"

namespace hexane::virt::strict {

namespace {

uint64_t src_row(const dma_work &w, uint32_t row) { return w.src + uint64_t{row} * w.src_stride; }
// Words of poison in a row that no data has by chance.
constexpr uint32_t words_that_tell = 4;

// A descriptor of one row has 16 bytes, one of many 32.
size_t bytes_of(const uint32_t *descriptor) { return (descriptor[1] >> 24 & 3) == 1 ? 32 : 16; }

uint64_t dst_row(const dma_work &w, uint32_t row) { return w.dst + uint64_t{row} * w.dst_stride; }

// Some row of the destination has a byte in [from, from + bytes). REQUIRES: the range touches the destination's extent.
bool touches_rows(const dma_work &w, uint64_t from, uint64_t bytes) {
    if (w.rows == 1 || w.dst_stride == 0) return true;
    const uint64_t first = from > w.dst ? (from - w.dst) / w.dst_stride : 0;
    for (uint64_t row = first; row < w.rows; ++row) {
        const uint64_t begin = w.dst + row * w.dst_stride;
        if (begin >= from + bytes) return false;
        if (begin + w.row_bytes > from) return true;
    }
    return false;
}

}  // namespace

std::string hex(uint64_t address) {
    char text[24];
    snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(address));
    return text;
}

std::string describe(const dma_work &w) {
    const auto side = [&](uint64_t address, uint32_t stride) {
        return hex(address) + (w.rows > 1 ? " (stride " + std::to_string(stride) + ")" : "");
    };
    return std::to_string(w.rows) + " rows of " + std::to_string(w.row_bytes) + " bytes from " +
           side(w.src, w.src_stride) + " to " + side(w.dst, w.dst_stride);
}

void late_transfers::push(const dma_work &work, uint32_t *descriptor) {
    check_descriptor_free(descriptor);
    check_source_landed(work);
    pending p{work, descriptor, std::vector<uint8_t>(size_t{work.rows} * work.row_bytes), {}};
    memcpy(p.words, descriptor, bytes_of(descriptor));
    for (uint32_t row = 0; row < work.rows; ++row) {
        memory_.about_to_read(src_row(work, row), work.row_bytes);
        memcpy(&p.source[size_t{row} * work.row_bytes], memory_.reach(src_row(work, row)), work.row_bytes);
    }
    check_source_made(p);
    for (uint32_t row = 0; row < work.rows; ++row) {
        memory_.about_to_write(dst_row(work, row), work.row_bytes);
        poison(memory_.reach(dst_row(work, row)), work.row_bytes);
        memory_.written(dst_row(work, row), work.row_bytes);
    }
    waiting_.push_back(std::move(p));
}

void late_transfers::land_oldest() {
    if (waiting_.empty()) return;
    const pending p = std::move(waiting_.front());
    waiting_.pop_front();
    check_descriptor_kept(p);
    check_source_kept(p);
    check_destination_kept(p);
    for (uint32_t row = 0; row < p.work.rows; ++row) {
        memory_.about_to_write(dst_row(p.work, row), p.work.row_bytes);
        memcpy(memory_.reach(dst_row(p.work, row)), &p.source[size_t{row} * p.work.row_bytes], p.work.row_bytes);
        memory_.written(dst_row(p.work, row), p.work.row_bytes);
    }
    __atomic_fetch_or(p.descriptor + 1, descriptor_done_bit, __ATOMIC_RELEASE);
}

void late_transfers::check_descriptor_free(const uint32_t *descriptor) {
    for (const pending &p : waiting_) {
        if (p.descriptor != descriptor) continue;
        breach_("the descriptor at " + hex(reinterpret_cast<uint64_t>(descriptor)) +
                " is used again while its transfer is in flight: " + describe(p.work) +
                "; expected: waited for before it is written again");
        return;
    }
}

void late_transfers::check_source_landed(const dma_work &work) {
    for (const pending &p : waiting_) {
        const uint64_t begin = p.work.dst, end = begin + p.work.dst_extent();
        for (uint32_t row = 0; row < work.rows; ++row) {
            const uint64_t from = src_row(work, row);
            if (from >= end || from + work.row_bytes <= begin || !touches_rows(p.work, from, work.row_bytes)) continue;
            breach_("a transfer takes away bytes of another one's destination, made from undefined ones, at " +
                    hex(from) + ": " + describe(work) + ", and in flight: " + describe(p.work) +
                    "; expected: every byte landed (pop) before its use");
            return;
        }
    }
}

// The engine sets the done bit, and a link the address of the next one.
void late_transfers::check_descriptor_kept(const pending &p) {
    const size_t words = bytes_of(p.words) / sizeof(uint32_t);
    for (size_t i = 1; i < words; ++i) {
        const uint32_t ignored = i == 1 ? descriptor_done_bit : 0;
        if (((p.descriptor[i] ^ p.words[i]) & ~ignored) == 0) continue;
        breach_("the descriptor at " + hex(reinterpret_cast<uint64_t>(p.descriptor)) +
                " was changed while its transfer was in flight: " + describe(p.work) +
                "; expected: nobody writes it until the pop");
        return;
    }
}

void late_transfers::check_source_made(const pending &p) {
    for (uint32_t row = 0; row < p.work.rows; ++row) {
        const uint8_t *source = memory_.reach(src_row(p.work, row));
        const uint64_t at = first_poison_run(source, p.work.row_bytes, words_that_tell);
        if (at == p.work.row_bytes) continue;
        breach_("a transfer takes away bytes that were made from undefined ones, at " + hex(src_row(p.work, row) + at) +
                ": " + describe(p.work) + "; expected: every byte landed (pop) or was computed before its use");
        return;
    }
}

void late_transfers::check_source_kept(const pending &p) {
    for (uint32_t row = 0; row < p.work.rows; ++row) {
        const uint8_t *now = memory_.reach(src_row(p.work, row));
        const uint8_t *then = &p.source[size_t{row} * p.work.row_bytes];
        if (memcmp(now, then, p.work.row_bytes) == 0) continue;
        uint32_t at = 0;
        while (now[at] == then[at]) ++at;
        breach_("the source of a transfer changed while it was in flight, at " + hex(src_row(p.work, row) + at) + ": " +
                describe(p.work) + "; expected: the source complete before the push and kept until the pop");
        return;
    }
}

void late_transfers::check_destination_kept(const pending &p) {
    for (uint32_t row = 0; row < p.work.rows; ++row) {
        const uint64_t at = first_unpoisoned(memory_.reach(dst_row(p.work, row)), p.work.row_bytes);
        if (at == p.work.row_bytes) continue;
        breach_("the destination of a transfer was written while it was in flight, at " +
                hex(dst_row(p.work, row) + at) + ": " + describe(p.work) +
                "; expected: nobody touches it until the pop");
        return;
    }
}

}  // namespace hexane::virt::strict
