// virtual/strict/late_transfers.cpp
#include "virtual/strict/late_transfers.h"

#include <stdio.h>
#include <string.h>

#include <utility>

#include "virtual/strict/poison.h"

namespace hexane::virt::strict {

namespace {

uint64_t src_row(const dma_work &w, uint32_t row) { return w.src + uint64_t{row} * w.src_stride; }
uint64_t dst_row(const dma_work &w, uint32_t row) { return w.dst + uint64_t{row} * w.dst_stride; }

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
    pending p{work, descriptor, std::vector<uint8_t>(size_t{work.rows} * work.row_bytes)};
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

void late_transfers::check_source_made(const pending &p) {
    for (uint32_t row = 0; row < p.work.rows; ++row) {
        const uint8_t *source = memory_.reach(src_row(p.work, row));
        const uint64_t at = first_poison_word(source, p.work.row_bytes);
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
