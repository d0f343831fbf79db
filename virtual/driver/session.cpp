// virtual/driver/session.cpp -- exchanges with the session process, and what happens when it ends.
#include "virtual/driver/session.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "virtual/driver/log.h"
#include "virtual/driver/monitor.h"

namespace hexane::virt {

namespace {

// No method of the NPU library takes nearly as long; a session that needs more is hung.
constexpr uint64_t answer_deadline_us = 30'000'000;
// An orderly exit takes milliseconds.
constexpr uint64_t exit_patience_us = 2'000'000;
constexpr uint64_t kill_patience_us = 10'000'000;

template <class T> std::vector<uint8_t> payload_of(const T &request) {
    std::vector<uint8_t> payload;
    append(payload, request);
    return payload;
}

void copy_text(char *to, size_t size, const std::string &from) {
    const size_t n = std::min(from.size(), size - 1);
    memcpy(to, from.data(), n);
    to[n] = 0;
}

}  // namespace

session::session(const device_description &device, const std::string &domain, uint32_t number)
    : device_(device), domain_(domain), number_(number), name_(domain + ":" + std::to_string(number)) {}

session::~session() = default;

std::shared_ptr<session> session::start(const device_description &device, const std::string &domain, uint32_t number) {
    std::shared_ptr<session> s(new session(device, domain, number));
    if (!s->launch()) return nullptr;
    if (!the_monitor().watch(s)) {
        log_line("session %s: no descriptor to watch its process", s->name_.c_str());
        kill_child(s->child_);
        return nullptr;
    }
    if (s->greet()) return s;
    s->shut_down();
    return nullptr;
}

// The descriptor of a process becomes readable when it has ended.
bool session::runs() const {
    pollfd process{child_.pidfd.get(), POLLIN, 0};
    return alive() && poll(&process, 1, 0) == 0;
}

bool session::launch() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        log_line("session %s: no control socket: %s", name_.c_str(), strerror(errno));
        return false;
    }
    const owned_fd theirs(ends[1]);
    socket_ = above_standard(owned_fd(ends[0]));
    if (!socket_.valid()) return false;
    return spawn_session_process(theirs.get(), device_.mode, name_, &child_);
}

bool session::greet() {
    hello_request hello{};
    hello.device = device_;
    hello.host_pid = getpid();
    hello.session = number_;
    copy_text(hello.domain, sizeof hello.domain, domain_);
    if (exchange(request_kind::hello, payload_of(hello)) == AEE_SUCCESS) return true;
    log_line("session %s: its process did not come up", name_.c_str());
    return false;
}

// A person with a debugger takes as long as it takes; the end of the process is noticed anyway.
template <class Transfer> transfer_result session::within_deadline(Transfer transfer) const {
    if (device_.wait_for_debugger) return transfer(time_limit::never());
    transfer_result r = transfer_result::timed_out;
    wait_while_running(answer_deadline_us, [&](time_limit slice) {
        r = transfer(slice);
        return r != transfer_result::timed_out;
    });
    return r;
}

AEEResult session::exchange(request_kind kind, const std::vector<uint8_t> &payload, int fd, control_packet *answer) {
    if (!alive()) return AEE_ECONNRESET;
    if (payload.size() > max_payload_bytes) return AEE_EBADSIZE;
    const std::lock_guard guard(exchange_lock_);
    const uint64_t serial = ++serial_;
    transfer_result r = within_deadline(
        [&](time_limit slice) { return send_packet(socket_.get(), {kind, 0, serial}, payload, fd, slice); });
    // An answer that came after its request had been given up is skipped.
    while (r == transfer_result::ok) {
        r = within_deadline([&](time_limit slice) { return receive_packet(socket_.get(), answer, slice); });
        if (r == transfer_result::ok && answer->header.serial == serial) return answer->header.result;
    }
    if (r == transfer_result::timed_out) {
        log_line("session %s: no answer within %llu s", name_.c_str(),
                 static_cast<unsigned long long>(answer_deadline_us / 1'000'000));
        return AEE_EEXPIRED;
    }
    die(AEE_ECONNRESET);
    return AEE_ECONNRESET;
}

AEEResult session::exchange(request_kind kind, const std::vector<uint8_t> &payload, int fd) {
    control_packet answer;
    return exchange(kind, payload, fd, &answer);
}

AEEResult session::open_module(const module_uri &uri, uint32_t *module) {
    open_request request{};
    copy_text(request.library, sizeof request.library, uri.library);
    copy_text(request.entry, sizeof request.entry, uri.entry);
    copy_text(request.uri, sizeof request.uri, uri.text);
    control_packet answer;
    if (const AEEResult e = exchange(request_kind::open, payload_of(request), -1, &answer)) return e;
    *module = answer.as<open_answer>().module;
    ++n_modules_;
    return AEE_SUCCESS;
}

AEEResult session::close_module(uint32_t module) {
    --n_modules_;
    return exchange(request_kind::close, payload_of(close_request{module}));
}

AEEResult session::invoke(uint32_t module, uint32_t scalars, remote_arg *arguments) {
    const scalar_counts n = scalar_counts::of(scalars);
    const uint32_t total = n.in + n.out + n.in_handles + n.out_handles;
    if (total && !arguments) return AEE_EBADPARM;
    std::vector<uint8_t> payload = payload_of(invoke_request{module, scalars});
    for (uint32_t i = 0; i < n.in + n.out; ++i) append(payload, uint64_t{arguments[i].buf.nLen});
    for (uint32_t i = 0; i < n.in_handles; ++i) append(payload, arguments[n.in + n.out + i].h64);
    for (uint32_t i = 0; i < n.in; ++i) {
        const remote_buf &b = arguments[i].buf;
        if (b.nLen > max_payload_bytes || (b.nLen && !b.pv)) return AEE_EBADPARM;
        const auto *bytes = static_cast<const uint8_t *>(b.pv);
        payload.insert(payload.end(), bytes, bytes + b.nLen);
    }
    control_packet answer;
    if (const AEEResult e = exchange(request_kind::invoke, payload, -1, &answer)) return e;

    const uint8_t *at = answer.payload.data(), *end = at + answer.payload.size();
    for (uint32_t i = n.in; i < n.in + n.out; ++i) {
        const remote_buf &b = arguments[i].buf;
        if (static_cast<size_t>(end - at) < b.nLen) return AEE_ERPC;
        if (b.nLen) memcpy(b.pv, at, b.nLen);
        at += b.nLen;
    }
    for (uint32_t i = total - n.out_handles; i < total; ++i, at += sizeof(uint64_t)) {
        if (static_cast<size_t>(end - at) < sizeof(uint64_t)) return AEE_ERPC;
        memcpy(&arguments[i].h64, at, sizeof(uint64_t));
    }
    return AEE_SUCCESS;
}

AEEResult session::map(int fd, void *address, size_t bytes, bool now) {
    struct stat memory{};
    if (fstat(fd, &memory) != 0 || bytes == 0 || static_cast<uint64_t>(memory.st_size) < bytes) return AEE_EBADPARM;
    {
        const std::lock_guard guard(state_lock_);
        if (!mappings_.try_emplace(fd, mapping{static_cast<uint8_t *>(address), bytes}).second) return AEE_EALREADY;
    }
    const map_request request{fd, now ? map_now : map_when_asked, bytes};
    const AEEResult e = exchange(request_kind::map, payload_of(request), fd);
    if (e == AEE_SUCCESS) return AEE_SUCCESS;
    const std::lock_guard guard(state_lock_);
    mappings_.erase(fd);
    return e == AEE_ECONNRESET ? AEE_ECONNRESET : AEE_EFAILED;
}

AEEResult session::unmap(int fd) {
    {
        const std::lock_guard guard(state_lock_);
        const auto found = mappings_.find(fd);
        if (found == mappings_.end()) return AEE_ENOSUCHMAP;
        if (found->second.references) {
            log_line("session %s: fastrpc_munmap of descriptor %d, which packets still reference (REF without DEREF)",
                     name_.c_str(), fd);
            return AEE_EBADPARM;
        }
    }
    const AEEResult e = exchange(request_kind::unmap, payload_of(unmap_request{fd}));
    if (e != AEE_SUCCESS && e != AEE_ECONNRESET) {
        log_line("session %s: fastrpc_munmap of descriptor %d, which the NPU still has mapped (HAP_munmap is missing)",
                 name_.c_str(), fd);
        return AEE_EBADMAPREFCNT;
    }
    const std::lock_guard guard(state_lock_);
    mappings_.erase(fd);
    return AEE_SUCCESS;
}

AEEResult session::add_queue(uint64_t id, int memory, uint64_t bytes) {
    return exchange(request_kind::add_queue, payload_of(add_queue_request{id, bytes}), memory);
}

void session::forget_queue(uint64_t id) {
    (void)exchange(request_kind::forget_queue, payload_of(forget_queue_request{id}));
}

void session::attach(queue_end *queue) {
    const std::lock_guard guard(state_lock_);
    queues_.push_back(queue);
    if (!alive()) queue->fail(AEE_ECONNRESET);
}

void session::detach(queue_end *queue) {
    const std::lock_guard guard(state_lock_);
    std::erase(queues_, queue);
}

AEEResult session::check(dspqueue_buffer *buffer) {
    constexpr uint32_t both = DSPQUEUE_BUFFER_FLAG_REF | DSPQUEUE_BUFFER_FLAG_DEREF;
    const std::lock_guard guard(state_lock_);
    const auto found = mappings_.find(static_cast<int>(buffer->fd));
    if (found == mappings_.end()) return AEE_ENOSUCHMAP;
    mapping &m = found->second;
    if ((buffer->flags & both) == both) return AEE_EBADPARM;
    if (buffer->size == 0) {
        if (buffer->offset != 0 || m.bytes > UINT32_MAX) return AEE_EBADPARM;
        buffer->size = static_cast<uint32_t>(m.bytes);
    }
    if (uint64_t{buffer->offset} + buffer->size > m.bytes) return AEE_EBADPARM;
    if ((buffer->flags & DSPQUEUE_BUFFER_FLAG_DEREF) && m.references == 0) return AEE_EBADPARM;
    if (buffer->flags & DSPQUEUE_BUFFER_FLAG_REF) ++m.references;
    if (buffer->flags & DSPQUEUE_BUFFER_FLAG_DEREF) --m.references;
    return AEE_SUCCESS;
}

void session::translate(dspqueue_buffer *buffer) {
    const std::lock_guard guard(state_lock_);
    const auto found = mappings_.find(static_cast<int>(buffer->fd));
    buffer->address = 0;
    if (found == mappings_.end()) return;
    mapping &m = found->second;
    if ((buffer->flags & DSPQUEUE_BUFFER_FLAG_DEREF) && m.references) --m.references;
    if (m.address && uint64_t{buffer->offset} + buffer->size <= m.bytes) buffer->ptr = m.address + buffer->offset;
}

void session::die(AEEResult error) {
    const std::lock_guard guard(state_lock_);
    if (error == AEE_ECONNRESET && !closing_) unexpected_ = true;
    dead_.store(true, std::memory_order_release);
    for (queue_end *queue : queues_) queue->fail(error);
}

bool session::try_reap() {
    std::string how;
    if (poll_child(child_, &how) == child_state::running) return false;
    if (!closing_ || unexpected_)
        log_line("session %s (process %d) died: %s", name_.c_str(), static_cast<int>(child_.pid), how.c_str());
    die(AEE_ECONNRESET);
    const std::lock_guard guard(state_lock_);
    exited_ = true;
    exited_changed_.notify_all();
    return true;
}

void session::on_hang_up() {
    if (closing_) return;
    die(AEE_ECONNRESET);
    kill_child(child_);  // a process that no longer listens is of no use
}

void session::kill() {
    killed_.store(true, std::memory_order_relaxed);
    kill_child(child_);
}

bool session::await_exit(uint64_t patience_us) {
    std::unique_lock lock(state_lock_);
    return wait_while_running(patience_us, [&](time_limit slice) {
        return exited_changed_.wait_for(lock, slice.left(), [this] { return exited_; });
    });
}

void session::shut_down() {
    closing_ = true;
    die(AEE_ENOSUCH);
    shutdown(socket_.get(), SHUT_RDWR);
    if (!await_exit(exit_patience_us)) {
        log_line("session %s: its process does not end, it is killed", name_.c_str());
        kill_child(child_);
        await_exit(kill_patience_us);
    }
    the_monitor().leave(this);
}

}  // namespace hexane::virt
