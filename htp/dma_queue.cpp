// htp/dma_queue.cpp -- splitting transfers into descriptors, and waiting for them in order.
#include "htp/dma_queue.h"

#include "base/align.h"
#include "htp/clock.h"

namespace hexane::htp {

namespace {

// Linear pieces of a longer transfer: a multiple of the line size that fits the 24-bit length of every architecture.
constexpr uint32_t linear_piece_bytes = 0xf00000;

// A transfer of the whole window takes well under a second at DDR speed.
constexpr uint64_t transfer_deadline_us = 10'000'000;

bool is_done(const uint32_t *descriptor) { return __atomic_load_n(&descriptor[1], __ATOMIC_ACQUIRE) & dma_word1::done; }

bool is_linear(const transfer &t) {
    return t.rows == 1 || (t.src_stride == t.row_bytes && t.dst_stride == t.row_bytes);
}

bool fits_box(const transfer &t, const dma_limits &l) {
    return t.row_bytes <= l.row_bytes && t.src_stride <= l.stride && t.dst_stride <= l.stride;
}

platform::dma_hint hint_of(const transfer &t) {
    return t.kind == traffic::write || t.land_at_dst ? platform::dma_hint_none : platform::dma_hint_read_only;
}

}  // namespace

void dma_queue::init(arch a, uint8_t *ring, trace_log *trace) {
    codec_.select(a);
    ring_ = ring;
    trace_ = trace;
    __builtin_memset(ring, 0, ring_bytes());
    tail_ = static_cast<uint32_t>(dma_addr_t::of(ring + n_descriptors * dma_descriptor_bytes).value());
}

void dma_queue::push(const transfer &t) {
    account(t);
    uint32_t where;
    if (is_linear(t)) {
        where = push_linear(t.dst, t.src, uint64_t{t.rows} * t.row_bytes, hint_of(t));
    } else if (fits_box(t, codec_.limits())) {
        where = push_boxes(t);
    } else {
        where = push_rows(t);
    }
    entries_[pushed_++ % capacity] = {where, linked_ - 1};
}

const vtcm_byte *dma_queue::pop() {
    const entry &e = entries_[popped_ % capacity];
    wait_descriptor(e.last);
    ++popped_;
    return dma_addr_t(e.where).pointer<const vtcm_byte>();
}

void dma_queue::flush() {
    while (in_flight()) (void)pop();
}

dma_bytes dma_queue::take_bytes() {
    const dma_bytes taken = bytes_;
    bytes_ = {};
    return taken;
}

void dma_queue::account(const transfer &t) {
    const uint64_t bytes = uint64_t{t.rows} * t.row_bytes;
    switch (t.kind) {
        case traffic::read: bytes_.read += bytes; break;
        case traffic::weights: bytes_.weights += bytes; break;
        case traffic::write: bytes_.write += bytes; break;
    }
}

// Slot of the next descriptor, free to be written: its former user is done.
uint32_t *dma_queue::claim_slot() {
    if (linked_ - completed_ == n_descriptors) wait_descriptor(completed_);
    return reinterpret_cast<uint32_t *>(ring_ + linked_ % n_descriptors * dma_descriptor_bytes);
}

uint32_t dma_queue::link(uint32_t *descriptor, dma_addr_t dst, platform::dma_hint hint) {
    const uint32_t address = static_cast<uint32_t>(dma_addr_t::of(descriptor).value());
    const uint32_t where = platform::dma_link(tail_, address, static_cast<uint32_t>(dst.value()), hint);
    tail_ = address;
    ++linked_;
    return where;
}

void dma_queue::wait_descriptor(uint32_t sequence) {
    if (static_cast<int32_t>(sequence - completed_) < 0) return;
    deadline give_up(transfer_deadline_us);
    while (static_cast<int32_t>(sequence - completed_) >= 0) {
        const auto *d = reinterpret_cast<const uint32_t *>(ring_ + completed_ % n_descriptors * dma_descriptor_bytes);
        if (is_done(d)) {
            ++completed_;
            continue;
        }
        trace_scope traced(*trace_, trace_event::dma, completed_);
        while (!is_done(d) && !failed_) {
            platform::dma_poll();
            if (give_up.expired()) failed_ = true;
        }
        if (failed_) {
            completed_ = linked_;  // nothing more is waited for; the op fails
            return;
        }
    }
}

uint32_t dma_queue::push_linear(dma_addr_t dst, dma_addr_t src, uint64_t bytes, platform::dma_hint hint) {
    uint32_t where = 0;
    for (uint64_t offset = 0; offset < bytes; offset += linear_piece_bytes) {
        const uint32_t piece = static_cast<uint32_t>(base::min<uint64_t>(bytes - offset, linear_piece_bytes));
        uint32_t *d = claim_slot();
        const dma_addr_t to = dst + static_cast<uint32_t>(offset);
        codec_.linear(d, to, src + static_cast<uint32_t>(offset), piece);
        const uint32_t landed = link(d, to, hint);
        if (offset == 0) where = landed;
    }
    return where;
}

uint32_t dma_queue::push_boxes(const transfer &t) {
    const uint32_t most_rows = codec_.limits().rows;
    for (uint32_t row = 0; row < t.rows; row += most_rows) {
        uint32_t *d = claim_slot();
        const dma_addr_t to = t.dst + row * t.dst_stride;
        codec_.box(d, {to, t.src + row * t.src_stride, t.row_bytes, base::min(t.rows - row, most_rows), t.dst_stride,
                       t.src_stride});
        (void)link(d, to, platform::dma_hint_none);
    }
    return static_cast<uint32_t>(t.dst.value());
}

// A row or a stride exceeds the fields of a box: one linear descriptor per row.
uint32_t dma_queue::push_rows(const transfer &t) {
    for (uint32_t row = 0; row < t.rows; ++row) {
        (void)push_linear(t.dst + row * t.dst_stride, t.src + row * t.src_stride, t.row_bytes, platform::dma_hint_none);
    }
    return static_cast<uint32_t>(t.dst.value());
}

}  // namespace hexane::htp
