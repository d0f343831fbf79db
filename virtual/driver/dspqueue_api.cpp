// virtual/driver/dspqueue_api.cpp -- dspqueue_* of the plain library, the host's half.
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "platform/dspqueue.h"
#include "virtual/channel/queue_end.h"
#include "virtual/driver/directory.h"
#include "virtual/driver/log.h"
#include "virtual/driver/plain_library.h"

using hexane::virt::owned_fd;
using hexane::virt::queue_end;
using hexane::virt::queue_memory;

// A queue of the host: its shared memory and its end of it.
struct dspqueue {
    owned_fd fd;
    queue_memory *memory = nullptr;
    uint64_t bytes = 0;
    uint64_t id = 0;
    bool exported = false;
    std::shared_ptr<hexane::virt::session> owner;
    std::unique_ptr<queue_end> end;

    ~dspqueue() {
        if (end) owner->detach(end.get());
        end.reset();
        if (memory) munmap(memory, bytes);
    }
};

namespace hexane::virt {

namespace {

// The ids of a device look like addresses.
constexpr uint64_t queue_id_base = 0x7d00'0000'1000ull;

class queue_table {
  public:
    AEEResult add(std::shared_ptr<dspqueue> q) {
        const std::lock_guard guard(lock_);
        if (queues_.size() >= DSPQUEUE_MAX_PROCESS_QUEUES) return AEE_ENOMEMORY;
        q->id = queue_id_base + 0x40 * ++created_;
        queues_.emplace(q.get(), q);
        return AEE_SUCCESS;
    }
    std::shared_ptr<dspqueue> find(dspqueue_t q) {
        const std::lock_guard guard(lock_);
        const auto found = queues_.find(q);
        return found == queues_.end() ? nullptr : found->second;
    }
    void remove(dspqueue_t q) {
        const std::lock_guard guard(lock_);
        queues_.erase(q);
    }

  private:
    std::mutex lock_;
    std::map<dspqueue_t, std::shared_ptr<dspqueue>> queues_;
    uint64_t created_ = 0;
};

queue_table &the_queues() {
    static queue_table &t = *new queue_table;
    return t;
}

AEEResult allocate_memory(dspqueue &q, uint32_t request_bytes, uint32_t response_bytes) {
    q.bytes = queue_memory::bytes_for(request_bytes, response_bytes);
    q.fd = above_standard(owned_fd(memfd_create("dspqueue", MFD_CLOEXEC)));
    if (!q.fd.valid() || ftruncate(q.fd.get(), static_cast<off_t>(q.bytes)) != 0) return AEE_ENOMEMORY;
    void *memory = mmap(nullptr, q.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, q.fd.get(), 0);
    if (memory == MAP_FAILED) return AEE_ENOMEMORY;
    q.memory = new (memory) queue_memory{};
    q.memory->request_bytes = request_bytes;
    q.memory->response_bytes = response_bytes;
    return AEE_SUCCESS;
}

// A ring holds whole 8-byte units.
uint32_t ring_bytes(uint32_t asked, uint32_t otherwise) { return ((asked ? asked : otherwise) + 7) & ~7u; }

// Runs `call` on a queue that exists.
template <class Call> AEEResult on_queue(dspqueue_t queue, Call call) {
    const auto q = the_queues().find(queue);
    return q ? call(*q) : AEE_EBADPARM;
}

AEEResult add_to_session(dspqueue &q, uint64_t *id) {
    if (!q.exported) {
        if (const AEEResult e = q.owner->add_queue(q.id, q.fd.get(), q.bytes)) return e;
        q.exported = true;
    }
    *id = q.id;
    return AEE_SUCCESS;
}

AEEResult close_unless_imported(dspqueue &q) {
    if (q.owner->alive() && q.memory->imported.load(std::memory_order_acquire)) {
        // A killed one lets go of it in a moment, and whoever asked for its end knows.
        if (!q.owner->was_killed())
            log_line("dspqueue_close: session %s still has the queue imported (stop it first)",
                     q.owner->name().c_str());
        return AEE_EBADPARM;
    }
    if (q.exported && q.owner->alive()) q.owner->forget_queue(q.id);
    the_queues().remove(&q);
    q.end->stop(AEE_EINTERRUPTED);
    return AEE_SUCCESS;
}

}  // namespace

AEEResult plain_library::create_queue(int domain, const queue_request &request, dspqueue_t *queue) {
    if (request.flags != 0 || !queue || request.request_bytes > DSPQUEUE_MAX_QUEUE_SIZE ||
        request.response_bytes > DSPQUEUE_MAX_QUEUE_SIZE)
        return AEE_EBADPARM;
    auto q = std::make_shared<dspqueue>();
    q->owner = the_directory().running(domain);
    if (!q->owner) {
        log_line("dspqueue_create: domain %d has no open session", domain);
        return AEE_EBADSTATE;
    }
    const AEEResult e = allocate_memory(*q, ring_bytes(request.request_bytes, DSPQUEUE_DEFAULT_REQ_SIZE),
                                        ring_bytes(request.response_bytes, DSPQUEUE_DEFAULT_RESP_SIZE));
    if (e) return e;
    q->end = std::make_unique<queue_end>(q->memory, queue_side::host, *q->owner);
    q->owner->attach(q->end.get());
    if (const AEEResult full = the_queues().add(q)) return full;
    q->end->start_callbacks(q.get(), request.on_packet, request.on_error, request.context);
    *queue = q.get();
    return AEE_SUCCESS;
}

AEEResult plain_library::export_queue(dspqueue_t queue, uint64_t *id) {
    return on_queue(queue, [&](dspqueue &q) { return id ? add_to_session(q, id) : AEE_EBADPARM; });
}

AEEResult plain_library::close_queue(dspqueue_t queue) { return on_queue(queue, close_unless_imported); }

AEEResult plain_library::write(dspqueue_t queue, const packet &p, patience limit) {
    return on_queue(queue, [&](dspqueue &q) {
        if (!q.owner->runs()) return AEEResult{AEE_ECONNRESET};
        return q.end->write(p.flags, p.num_buffers, p.buffers, p.message_length, p.message, limit);
    });
}

AEEResult plain_library::read(dspqueue_t queue, const packet_sink &sink, patience limit) {
    return on_queue(queue, [&](dspqueue &q) {
        const AEEResult e = q.end->read(sink, limit);
        const bool nothing = e == AEE_EWOULDBLOCK || e == AEE_EEXPIRED;
        return nothing && !q.owner->runs() ? AEEResult{AEE_ECONNRESET} : e;
    });
}

AEEResult plain_library::peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                              patience limit) {
    return on_queue(queue, [&](dspqueue &q) { return q.end->peek(flags, num_buffers, message_length, limit); });
}

}  // namespace hexane::virt
