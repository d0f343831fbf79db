// virtual/channel/packet_ring.cpp -- records in a ring of bytes.
#include "virtual/channel/packet_ring.h"

#include <string.h>

#include <algorithm>

namespace hexane::virt {

namespace {
constexpr uint32_t padded(uint32_t bytes) { return (bytes + 7) & ~7u; }
}  // namespace

bool packet_ring::has_packet() const {
    return state_.written.load(std::memory_order_acquire) != state_.read.load(std::memory_order_relaxed);
}

bool packet_ring::has_space(uint32_t record) const {
    const uint64_t used = state_.written.load(std::memory_order_relaxed) - state_.read.load(std::memory_order_acquire);
    return used <= bytes_ && bytes_ - used >= padded(record);
}

void packet_ring::copy_in(uint64_t position, const void *from, size_t bytes) {
    if (bytes == 0) return;
    const size_t at = position % bytes_;
    const size_t first = std::min<size_t>(bytes, bytes_ - at);
    memcpy(data_ + at, from, first);
    memcpy(data_, static_cast<const uint8_t *>(from) + first, bytes - first);
}

void packet_ring::copy_out(uint64_t position, void *to, size_t bytes) const {
    if (bytes == 0) return;
    const size_t at = position % bytes_;
    const size_t first = std::min<size_t>(bytes, bytes_ - at);
    memcpy(to, data_ + at, first);
    memcpy(static_cast<uint8_t *>(to) + first, data_, bytes - first);
}

void packet_ring::put(uint32_t flags, std::span<const dspqueue_buffer> buffers, std::span<const uint8_t> message) {
    const uint32_t record = record_bytes(buffers.size(), message.size());
    const record_header header{record, static_cast<uint16_t>(flags), static_cast<uint8_t>(buffers.size()), sequence_++};
    const uint64_t at = state_.written.load(std::memory_order_relaxed);
    copy_in(at, &header, sizeof header);
    copy_in(at + sizeof header, buffers.data(), buffers.size_bytes());
    copy_in(at + sizeof header + buffers.size_bytes(), message.data(), message.size());
    state_.written.store(at + padded(record), std::memory_order_seq_cst);
    signal(state_.data_event, state_.data_waiters);
}

bool packet_ring::front(record_header *header) const {
    const uint64_t at = state_.read.load(std::memory_order_relaxed);
    const uint64_t used = state_.written.load(std::memory_order_acquire) - at;
    if (used < sizeof *header || used > bytes_) return false;
    copy_out(at, header, sizeof *header);
    return header->n_buffers <= DSPQUEUE_MAX_BUFFERS && header->bytes >= record_bytes(header->n_buffers, 0) &&
           header->bytes <= record_bytes(header->n_buffers, DSPQUEUE_MAX_MESSAGE_SIZE) && padded(header->bytes) <= used;
}

void packet_ring::take(const record_header &header, dspqueue_buffer *buffers, uint8_t *message) {
    const uint64_t at = state_.read.load(std::memory_order_relaxed);
    const size_t buffer_bytes = header.n_buffers * sizeof(dspqueue_buffer);
    copy_out(at + sizeof header, buffers, buffer_bytes);
    copy_out(at + sizeof header + buffer_bytes, message, header.bytes - sizeof header - buffer_bytes);
    state_.read.store(at + padded(header.bytes), std::memory_order_seq_cst);
    signal(state_.space_event, state_.space_waiters);
}

void packet_ring::signal(std::atomic<uint32_t> &event, const std::atomic<uint32_t> &waiters) {
    if (waiters.load(std::memory_order_seq_cst) == 0) return;
    event.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_shared(event);
}

void packet_ring::wake_all() {
    for (std::atomic<uint32_t> *event : {&state_.data_event, &state_.space_event}) {
        event->fetch_add(1, std::memory_order_seq_cst);
        futex_wake_shared(*event);
    }
}

}  // namespace hexane::virt
