// virtual/channel/queue_end.cpp -- reading and writing packets with the return codes of a device.
#include "virtual/channel/queue_end.h"

#include <signal.h>

#include <chrono>

namespace hexane::virt {

namespace {

// A peer that answers within this time is met awake: a sleep and a wake cost about as much.
constexpr uint64_t spin_ns = 20'000;
// Spinning pays only when answers come quickly. Credit is won and lost with every wait; without credit only every
// 16th wait spins, to notice when the peer becomes quick again.
constexpr int most_credit = 8;
constexpr uint32_t probe_interval = 16;

uint8_t *ring_data(queue_memory *m, bool request) {
    auto *first = reinterpret_cast<uint8_t *>(m + 1);
    return request ? first : first + m->request_bytes;
}

// Several threads of a side may call at once; none waits for another longer than its own patience.
std::unique_lock<std::timed_mutex> lock_within(std::timed_mutex &mutex, const patience &p) {
    std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
    if (lock.try_lock()) return lock;
    const uint64_t now = now_ns();
    if (p.limit.is_never())
        lock.lock();
    else if (p.limit.ns > now)
        (void)lock.try_lock_for(std::chrono::nanoseconds(p.limit.ns - now));
    return lock;
}

packet_ring ring_of(queue_memory *m, bool request) {
    return request ? packet_ring(m->request, ring_data(m, true), m->request_bytes)
                   : packet_ring(m->response, ring_data(m, false), m->response_bytes);
}

}  // namespace

queue_end::queue_end(queue_memory *memory, queue_side side, buffer_table &buffers)
    : out_(ring_of(memory, side == queue_side::host)),
      in_(ring_of(memory, side == queue_side::npu)),
      buffers_(buffers) {}

queue_end::~queue_end() { stop(AEE_EINTERRUPTED); }

void queue_end::fail(AEEResult error) {
    AEEResult none = AEE_SUCCESS;
    error_.compare_exchange_strong(none, error);
    out_.wake_all();
    in_.wake_all();
}

template <class Ready> bool queue_end::spin(Ready ready) {
    const bool probe = waits_.fetch_add(1, std::memory_order_relaxed) % probe_interval == 0;
    if (spin_credit_.load(std::memory_order_relaxed) <= 0 && !probe) return false;
    const uint64_t end = now_ns() + spin_ns;
    do {
        for (int i = 0; i < 8; ++i) {
            if (ready()) {
                if (spin_credit_.load(std::memory_order_relaxed) < most_credit) ++spin_credit_;
                return true;
            }
            spin_pause();
        }
    } while (now_ns() < end);
    if (spin_credit_.load(std::memory_order_relaxed) > 0) --spin_credit_;
    return false;
}

AEEResult queue_end::await_packet(patience p, record_header *header) {
    const auto ready = [this] { return in_.has_packet() || error() != AEE_SUCCESS; };
    if (!ready() && !p.limit.passed()) {
        if (!spin(ready)) {
            while (!ready() && !p.limit.passed()) in_.wait_for_data(ready, p.limit);
        }
    }
    if (const AEEResult e = error()) return e;
    if (!in_.has_packet()) return p.when_over;
    if (!in_.front(header)) {
        fail(AEE_ECONNRESET);  // the peer wrote nonsense: nothing after it can be trusted
        return AEE_ECONNRESET;
    }
    return AEE_SUCCESS;
}

AEEResult queue_end::await_space(patience p, uint32_t record) {
    const auto ready = [this, record] { return out_.has_space(record) || error() != AEE_SUCCESS; };
    while (!ready() && !p.limit.passed()) out_.wait_for_space(ready, p.limit);
    if (const AEEResult e = error()) return e;
    return out_.has_space(record) ? AEE_SUCCESS : p.when_over;
}

AEEResult queue_end::write(uint32_t flags, uint32_t num_buffers, const dspqueue_buffer *buffers,
                           uint32_t message_length, const uint8_t *message, patience p) {
    if ((flags & DSPQUEUE_PACKET_FLAG_RESERVED_ZERO) || flags > 0xffff) return AEE_EBADPARM;
    if (num_buffers > DSPQUEUE_MAX_BUFFERS || (num_buffers && !buffers)) return AEE_EBADPARM;
    if (message_length > DSPQUEUE_MAX_MESSAGE_SIZE || (message_length && !message)) return AEE_EBADPARM;
    const uint32_t record = packet_ring::record_bytes(num_buffers, message_length);
    if (record > out_.bytes() - sizeof(record_header)) return AEE_EBADPARM;
    flags &= ~uint32_t{DSPQUEUE_PACKET_FLAG_MESSAGE | DSPQUEUE_PACKET_FLAG_BUFFERS};
    if (message_length) flags |= DSPQUEUE_PACKET_FLAG_MESSAGE;
    if (num_buffers) flags |= DSPQUEUE_PACKET_FLAG_BUFFERS;

    const auto lock = lock_within(write_lock_, p);
    if (!lock) return error() ? error() : p.when_over;
    if (const AEEResult e = await_space(p, record)) return e;
    dspqueue_buffer checked[DSPQUEUE_MAX_BUFFERS];
    for (uint32_t i = 0; i < num_buffers; ++i) {
        checked[i] = buffers[i];
        if (const AEEResult e = buffers_.check(&checked[i])) return e;
        checked[i].address = 0;  // addresses mean nothing to the other side
    }
    out_.put(flags, {checked, num_buffers}, {message, message_length});
    return AEE_SUCCESS;
}

AEEResult queue_end::read(const packet_sink &sink, patience p) {
    const auto lock = lock_within(read_lock_, p);
    if (!lock) return error() ? error() : p.when_over;
    record_header header;
    if (const AEEResult e = await_packet(p, &header)) return e;
    const uint32_t message_bytes = header.bytes - packet_ring::record_bytes(header.n_buffers, 0);
    if (header.n_buffers > sink.max_buffers || (header.n_buffers && !sink.buffers)) return AEE_EBADPARM;
    if (message_bytes > sink.max_message_length || (message_bytes && !sink.message)) return AEE_EBADPARM;
    in_.take(header, sink.buffers, sink.message);
    for (uint32_t i = 0; i < header.n_buffers; ++i) buffers_.translate(&sink.buffers[i]);
    if (sink.flags) *sink.flags = header.flags;
    if (sink.num_buffers) *sink.num_buffers = header.n_buffers;
    if (sink.message_length) *sink.message_length = message_bytes;
    return AEE_SUCCESS;
}

AEEResult queue_end::peek(uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length, patience p) {
    const auto lock = lock_within(read_lock_, p);
    if (!lock) return error() ? error() : p.when_over;
    record_header header;
    if (const AEEResult e = await_packet(p, &header)) return e;
    if (flags) *flags = header.flags;
    if (num_buffers) *num_buffers = header.n_buffers;
    if (message_length) *message_length = header.bytes - packet_ring::record_bytes(header.n_buffers, 0);
    return AEE_SUCCESS;
}

void queue_end::start_callbacks(dspqueue_t queue, dspqueue_callback_t packet, dspqueue_callback_t error,
                                void *context) {
    if (!packet && !error) return;
    sigset_t all, before;  // signals are for the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    callback_thread_ = std::thread([=, this] { serve_callbacks(queue, packet, error, context); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void queue_end::serve_callbacks(dspqueue_t queue, dspqueue_callback_t packet, dspqueue_callback_t error,
                                void *context) {
    const auto ready = [&] { return (packet && in_.has_packet()) || this->error() != AEE_SUCCESS; };
    for (;;) {
        while (!ready()) in_.wait_for_data(ready, time_limit::never());
        const AEEResult e = this->error();
        if (e == AEE_EINTERRUPTED) return;  // closed by this side
        if (e != AEE_SUCCESS) {
            if (error) error(queue, e, context);
            return;
        }
        packet(queue, AEE_SUCCESS, context);
        // A callback that leaves its packets is asked again, but not in a busy loop.
        if (in_.has_packet())
            in_.wait_for_data([&] { return this->error() != AEE_SUCCESS; }, time_limit::after_us(1000));
    }
}

void queue_end::stop(AEEResult reason) {
    fail(reason);
    if (callback_thread_.joinable()) callback_thread_.join();
}

}  // namespace hexane::virt
