// host/batch_queue.cpp
#include "host/batch_queue.h"

#include <thread>

namespace hexane::host {

namespace {

// How long one blocking read lasts before the session's signs are looked at.
constexpr uint32_t read_slice_us = std::chrono::microseconds(batch_patience::interval).count();
constexpr uint32_t write_limit_us = 1'000'000;
// Between two tries to close.
constexpr std::chrono::milliseconds close_interval{2};
// Polls between two looks at the clock.
constexpr uint32_t spins_per_slice = 4096;

// A packet: header, buffer references, message. Twice the depth, so that a write never waits.
uint32_t ring_bytes(uint32_t depth, uint32_t message_bytes) {
    return depth * 2 * (8 + static_cast<uint32_t>(sizeof(dspqueue_buffer)) + message_bytes) + 1024;
}

void pause_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

int batch_queue::create(int domain, uint64_t *queue_id) {
    domain_ = domain;
    const int error =
        rpc_.queue_create(domain, 0, ring_bytes(limits_.depth, sizeof(batch_request)),
                          ring_bytes(limits_.depth, sizeof(batch_response)), nullptr, nullptr, nullptr, &queue_);
    if (error) {
        queue_ = nullptr;
        return error;
    }
    return rpc_.queue_export(queue_, queue_id);
}

int batch_queue::map_slots(int domain) {
    if (!slots_.allocate(rpc_, limits_.depth * limits_.slot_bytes)) return AEE_ENOMEMORY;
    const int error = rpc_.mmap(domain, slots_.fd(), slots_.base(), 0, slots_.bytes(), FASTRPC_MAP_FD);
    mapped_ = error == AEE_SUCCESS;
    return error;
}

int batch_queue::close(std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const int error = rpc_.queue_close(queue_);
        // Any other error is not mended by time, and the queue may be gone.
        if (error != AEE_EBADPARM || std::chrono::steady_clock::now() >= until) return error;
        std::this_thread::sleep_for(close_interval);
    }
}

int batch_queue::destroy(std::chrono::milliseconds limit) {
    const int error = queue_ ? close(limit) : AEE_SUCCESS;
    queue_ = nullptr;
    if (mapped_) rpc_.munmap(domain_, slots_.fd(), slots_.base(), slots_.bytes());
    mapped_ = false;
    slots_.release();
    flights_.clear();
    return error;
}

int batch_queue::send(uint64_t bytes, uint32_t first, uint32_t n_ops) {
    batch_request request{batch_magic, 0, sequence_ + 1};
    dspqueue_buffer slot{};
    slot.fd = static_cast<uint32_t>(slots_.fd());
    slot.size = static_cast<uint32_t>(bytes);
    slot.offset = static_cast<uint32_t>(next_slot_ * limits_.slot_bytes);
    slot.flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER | DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT;
    const int error = rpc_.queue_write(queue_, 0, 1, &slot, sizeof request, reinterpret_cast<const uint8_t *>(&request),
                                       write_limit_us);
    if (error) return error;
    flights_.push_back({++sequence_, next_slot_, first, n_ops});
    next_slot_ = (next_slot_ + 1) % limits_.depth;
    return AEE_SUCCESS;
}

int batch_queue::read(batch_response *response, uint32_t *bytes, bool spin) {
    uint32_t flags = 0, n_buffers = 0;
    dspqueue_buffer slot{};
    auto *message = reinterpret_cast<uint8_t *>(response);
    if (!spin)
        return rpc_.queue_read(queue_, &flags, 1, &n_buffers, &slot, sizeof *response, bytes, message, read_slice_us);
    for (uint32_t i = 0; i < spins_per_slice; ++i) {
        const int error =
            rpc_.queue_read_noblock(queue_, &flags, 1, &n_buffers, &slot, sizeof *response, bytes, message);
        if (error != AEE_EWOULDBLOCK) return error;
        pause_cpu();
    }
    return AEE_EEXPIRED;
}

batch_signs batch_queue::signs_of(const flight &f) const {
    const auto *h = reinterpret_cast<const batch_header *>(slot(f));
    return {__atomic_load_n(&h->progress, __ATOMIC_ACQUIRE), __atomic_load_n(&h->heartbeat, __ATOMIC_ACQUIRE)};
}

// The session takes batches up in order.
bool batch_queue::begun() const { return !flights_.empty() && signs_of(flights_.front()).heartbeat != 0; }

bool batch_queue::peer_gone() {
    batch_response response{};
    uint32_t flags = 0, n_buffers = 0, bytes = 0;
    dspqueue_buffer slot{};
    const int error = rpc_.queue_read_noblock(queue_, &flags, 1, &n_buffers, &slot, sizeof response, &bytes,
                                              reinterpret_cast<uint8_t *>(&response));
    return error != AEE_EWOULDBLOCK && error != AEE_EEXPIRED;
}

wait_result batch_queue::wait(std::chrono::seconds deadline, bool spin) {
    using clock = batch_patience::clock;
    wait_result result{wait_end::answered, 0, flights_.front(), {}};
    batch_patience patience(deadline, clock::now(), signs_of(result.batch));
    for (;;) {
        uint32_t bytes = 0;
        result.code = read(&result.response, &bytes, spin);
        if (result.code == AEE_SUCCESS) {
            const bool right = bytes == sizeof result.response && result.response.magic == batch_magic &&
                               result.response.sequence == result.batch.sequence;
            if (!right) result.end = wait_end::garbled;
            result.response.reason[reason_bytes - 1] = 0;
            flights_.pop_front();
            if (flights_.empty()) next_slot_ = 0;
            return result;
        }
        if (result.code != AEE_EEXPIRED && result.code != AEE_EWOULDBLOCK) {
            const bool death = result.code == AEE_ECONNRESET || result.code == AEE_ENOSUCH;
            result.end = death ? wait_end::died : wait_end::unheard;
            return result;
        }
        if (!patience.look(clock::now(), signs_of(result.batch))) {
            result.end = patience.was_silent() ? wait_end::silent : wait_end::stuck;
            return result;
        }
    }
}

}  // namespace hexane::host
