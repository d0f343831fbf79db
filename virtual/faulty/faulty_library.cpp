// virtual/faulty/faulty_library.cpp -- one function per call that may go wrong. The codes beside them are those that users met there.
#include "virtual/faulty/faulty_library.h"

#include <unistd.h>

#include "virtual/driver/log.h"
#include "virtual/faulty/corruption.h"

namespace hexane::virt {

namespace {

using platform::npu_aee;

// Library not found or not signed; clock vote refused; driver of another generation, twice; reserved memory missing.
constexpr AEEResult open_codes[] = {npu_aee(0x06), npu_aee(0x14), AEE_ECONNREFUSED, 0x43, npu_aee(0x200)};
constexpr AEEResult invoke_codes[] = {npu_aee(0x14), npu_aee(0x200), AEE_ECONNREFUSED};
constexpr AEEResult map_codes[] = {npu_aee(0x200), AEE_EMMAP, AEE_ENOMEMORY};
constexpr AEEResult unmap_codes[] = {npu_aee(0x200), AEE_EBADMAPREFCNT};
constexpr AEEResult create_queue_codes[] = {npu_aee(0x14), AEE_EUNSUPPORTED};
constexpr AEEResult write_codes[] = {AEE_EBADPARM};
constexpr AEEResult read_codes[] = {AEE_EINTERRUPTED, AEE_ECONNREFUSED};
constexpr AEEResult close_codes[] = {AEE_EFAILED, npu_aee(0x200)};

// Most messages are late by what a busy machine takes, one in eight by more than the shortest deadline of the host, which is 1 s.
uint64_t delay_us(uint64_t dice) { return dice % 8 == 0 ? 1'500'000 : 1000 * (1 + dice / 8 % 32); }

// From before the session has seen the batch to after it has answered.
constexpr uint32_t longest_before_kill_us = 2000;
// Between killing a process and the driver knowing it.
constexpr uint64_t death_limit_us = 2'000'000;

void sleep_us(uint64_t us) { usleep(static_cast<useconds_t>(us)); }

// Waits until `moment`, but no longer than `limit`. Whether the moment has come.
bool wait_until(time_limit moment, time_limit limit) {
    while (!moment.passed()) {
        if (limit.passed()) return false;
        sleep_us(1000);
    }
    return true;
}

}  // namespace

faulty_library::faulty_library(std::shared_ptr<fastrpc_library> inner, const device_description &device)
    : inner_(std::move(inner)), schedule_(device), seed_(device.seed), verbose_(device.log_level == 0) {}

std::optional<fault> faulty_library::next(faulty_call call) {
    const uint32_t number = ++counts_[static_cast<uint32_t>(call)];
    const std::optional<fault> f = schedule_.at(call, number);
    if (f && verbose_) log_line("fault %s: %s %u of seed %u", to_string(f->kind), to_string(call), number, seed_);
    return f;
}

template <size_t n> AEEResult faulty_library::pick(const fault &f, const AEEResult (&codes)[n]) {
    return codes[(f.dice >> 1) % n];
}

// ---- memory

void *faulty_library::allocate(size_t bytes) { return next(faulty_call::allocate) ? nullptr : inner_->allocate(bytes); }

int faulty_library::descriptor(void *memory) { return next(faulty_call::descriptor) ? -1 : inner_->descriptor(memory); }

// ---- modules

AEEResult faulty_library::open(const char *uri, remote_handle64 *handle) {
    if (const auto f = next(faulty_call::open)) return pick(*f, open_codes);
    return inner_->open(uri, handle);
}

// Closed all the same: a handle that stays open would be the driver's leak.
AEEResult faulty_library::close(remote_handle64 handle) {
    const auto f = next(faulty_call::close);
    const AEEResult e = inner_->close(handle);
    return f && !e ? pick(*f, close_codes) : e;
}

// Refused, or done and the answer lost.
AEEResult faulty_library::invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    const auto f = next(faulty_call::invoke);
    if (f && (f->dice & 1)) return pick(*f, invoke_codes);
    const AEEResult e = inner_->invoke(handle, scalars, arguments);
    return f && !e ? pick(*f, invoke_codes) : e;
}

AEEResult faulty_library::handle_control(remote_handle64 handle, uint32_t request, void *data, uint32_t bytes) {
    if (next(faulty_call::handle_control)) return AEE_EUNSUPPORTED;
    return inner_->handle_control(handle, request, data, bytes);
}

AEEResult faulty_library::session_control(uint32_t request, void *data, uint32_t bytes) {
    // The end of a process is what a host can rely on.
    if (request == FASTRPC_REMOTE_PROCESS_KILL) return inner_->session_control(request, data, bytes);
    if (next(faulty_call::session_control))
        return request == FASTRPC_RESERVE_NEW_SESSION ? AEE_ENOSESSION : AEE_EUNSUPPORTED;
    return inner_->session_control(request, data, bytes);
}

void faulty_library::kill(int domain) {
    remote_rpc_process_kill request{domain};
    (void)inner_->session_control(FASTRPC_REMOTE_PROCESS_KILL, &request, sizeof request);
}

// ---- mappings

AEEResult faulty_library::map(int domain, int fd, void *address, int offset, size_t bytes, fastrpc_map_flags flags) {
    const auto f = next(faulty_call::map);
    if (f && f->kind == fault_map) return pick(*f, map_codes);
    if (f) kill(domain);
    return inner_->map(domain, fd, address, offset, bytes, flags);
}

// Refused, or done and the answer lost.
AEEResult faulty_library::unmap(int domain, int fd) {
    const auto f = next(faulty_call::unmap);
    if (f && (f->dice & 1)) return pick(*f, unmap_codes);
    const AEEResult e = inner_->unmap(domain, fd);
    return f && !e ? pick(*f, unmap_codes) : e;
}

// ---- queues

AEEResult faulty_library::create_queue(int domain, const queue_request &request, dspqueue_t *queue) {
    if (const auto f = next(faulty_call::create_queue)) return pick(*f, create_queue_codes);
    const AEEResult e = inner_->create_queue(domain, request, queue);
    if (e) return e;
    const std::lock_guard guard(lock_);
    queues_[*queue].domain = domain;
    return AEE_SUCCESS;
}

AEEResult faulty_library::export_queue(dspqueue_t queue, uint64_t *id) {
    if (const auto f = next(faulty_call::export_queue)) return pick(*f, create_queue_codes);
    return inner_->export_queue(queue, id);
}

// As while the NPU still has the queue: the host is to come back later.
AEEResult faulty_library::close_queue(dspqueue_t queue) {
    if (next(faulty_call::close_queue)) return AEE_EBADPARM;
    const AEEResult e = inner_->close_queue(queue);
    if (e) return e;
    const std::lock_guard guard(lock_);
    queues_.erase(queue);
    return AEE_SUCCESS;
}

AEEResult faulty_library::write(dspqueue_t queue, const packet &p, patience limit) {
    const auto f = next(faulty_call::write);
    if (f && f->kind == fault_code) return pick(*f, write_codes);
    if (f && f->kind == fault_drop) return AEE_SUCCESS;
    if (f && f->kind == fault_delay) sleep_us(1000 * (1 + f->dice % 32));
    const AEEResult e = inner_->write(queue, p, limit);
    if (f && f->kind == fault_kill && !e) kill_in_the_middle(queue, *f);
    return e;
}

// Returns when the queue knows of the death, so that no answer of the dead is read on one run and not on the next.
void faulty_library::kill_in_the_middle(dspqueue_t queue, const fault &f) {
    const int domain = domain_of(queue);
    if (domain < 0) return;
    sleep_us(f.dice % longest_before_kill_us);
    kill(domain);
    const time_limit limit = time_limit::after_us(death_limit_us);
    for (AEEResult e = AEE_SUCCESS; (e == AEE_SUCCESS || e == AEE_EWOULDBLOCK) && !limit.passed(); sleep_us(500)) {
        uint32_t flags, n_buffers, bytes;
        e = inner_->peek(queue, &flags, &n_buffers, &bytes, patience::none());
    }
}

AEEResult faulty_library::read(dspqueue_t queue, const packet_sink &sink, patience limit) {
    for (;;) {
        uint32_t flags, n_buffers, bytes;
        if (const AEEResult e = inner_->peek(queue, &flags, &n_buffers, &bytes, limit)) return e;
        const verdict v = verdict_on_oldest(queue);
        if (!wait_until(v.not_before, limit.limit)) return limit.when_over;
        if (v.what && v.what->kind == fault_code) return forget_verdict(queue), pick(*v.what, read_codes);
        if (v.what && v.what->kind == fault_drop) {
            if (const AEEResult e = lose_oldest(queue)) return e;
            continue;
        }
        const AEEResult e = inner_->read(queue, sink, limit);
        if (e) return e;
        forget_verdict(queue);
        if (v.what && v.what->kind == fault_corrupt && sink.message && sink.message_length)
            corrupt_response(sink.message, sink.message_length, v.what->dice);
        return AEE_SUCCESS;
    }
}

faulty_library::verdict faulty_library::verdict_on_oldest(dspqueue_t queue) {
    const std::lock_guard guard(lock_);
    std::optional<verdict> &v = queues_[queue].of_oldest;
    if (!v) {
        v = verdict{next(faulty_call::response)};
        if (v->what && v->what->kind == fault_delay) v->not_before = time_limit::after_us(delay_us(v->what->dice));
    }
    return *v;
}

void faulty_library::forget_verdict(dspqueue_t queue) {
    const std::lock_guard guard(lock_);
    queues_[queue].of_oldest.reset();
}

AEEResult faulty_library::lose_oldest(dspqueue_t queue) {
    uint32_t flags, n_buffers, bytes;
    dspqueue_buffer buffers[DSPQUEUE_MAX_BUFFERS];
    const auto message = std::make_unique<uint8_t[]>(DSPQUEUE_MAX_MESSAGE_SIZE);
    const packet_sink nowhere{&flags, DSPQUEUE_MAX_BUFFERS, &n_buffers, buffers, DSPQUEUE_MAX_MESSAGE_SIZE,
                              &bytes, message.get()};
    forget_verdict(queue);
    return inner_->read(queue, nowhere, patience::none());
}

int faulty_library::domain_of(dspqueue_t queue) {
    const std::lock_guard guard(lock_);
    const auto found = queues_.find(queue);
    return found == queues_.end() ? -1 : found->second.domain;
}

}  // namespace hexane::virt
