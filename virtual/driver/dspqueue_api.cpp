// virtual/driver/dspqueue_api.cpp -- the host's dspqueue_* functions.
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "platform/dspqueue.h"
#include "virtual/channel/queue_end.h"
#include "virtual/driver/directory.h"
#include "virtual/driver/export.h"
#include "virtual/driver/log.h"

using namespace hexane::virt;

// A queue of the host: its shared memory and its end of it.
struct dspqueue {
    owned_fd fd;
    queue_memory *memory = nullptr;
    uint64_t bytes = 0;
    uint64_t id = 0;
    bool exported = false;
    std::shared_ptr<session> owner;
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

AEEResult export_queue(dspqueue &q, uint64_t *id) {
    if (!q.exported) {
        if (const AEEResult e = q.owner->add_queue(q.id, q.fd.get(), q.bytes)) return e;
        q.exported = true;
    }
    *id = q.id;
    return AEE_SUCCESS;
}

AEEResult close_queue(dspqueue &q) {
    if (q.owner->alive() && q.memory->imported.load(std::memory_order_acquire)) {
        log_line("dspqueue_close: session %s still has the queue imported (stop it first)", q.owner->name().c_str());
        return AEE_EBADPARM;
    }
    if (q.exported && q.owner->alive()) q.owner->forget_queue(q.id);
    the_queues().remove(&q);
    q.end->stop(AEE_EINTERRUPTED);
    return AEE_SUCCESS;
}

// Runs `call` on the end of a queue that exists.
template <class Call> AEEResult on_queue(dspqueue_t queue, Call call) {
    return guarded([&] {
        const auto q = the_queues().find(queue);
        return q ? call(*q->end) : AEE_EBADPARM;
    });
}

}  // namespace

}  // namespace hexane::virt

HEX_EXPORT AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                                     dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                                     void *callback_context, dspqueue_t *queue) {
    return guarded([&] {
        if (flags != 0 || !queue || request_size > DSPQUEUE_MAX_QUEUE_SIZE || response_size > DSPQUEUE_MAX_QUEUE_SIZE)
            return AEE_EBADPARM;
        auto q = std::make_shared<dspqueue>();
        q->owner = the_directory().running(domain);
        if (!q->owner) {
            log_line("dspqueue_create: domain %d has no open session", domain);
            return AEE_EBADSTATE;
        }
        const AEEResult e = allocate_memory(*q, ring_bytes(request_size, DSPQUEUE_DEFAULT_REQ_SIZE),
                                            ring_bytes(response_size, DSPQUEUE_DEFAULT_RESP_SIZE));
        if (e) return e;
        q->end = std::make_unique<queue_end>(q->memory, queue_side::host, *q->owner);
        q->owner->attach(q->end.get());
        if (const AEEResult full = the_queues().add(q)) return full;
        q->end->start_callbacks(q.get(), packet_callback, error_callback, callback_context);
        *queue = q.get();
        return AEE_SUCCESS;
    });
}

HEX_EXPORT AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id) {
    return guarded([&] {
        const auto q = the_queues().find(queue);
        return q && queue_id ? export_queue(*q, queue_id) : AEE_EBADPARM;
    });
}

HEX_EXPORT AEEResult dspqueue_close(dspqueue_t queue) {
    return guarded([&] {
        const auto q = the_queues().find(queue);
        return q ? close_queue(*q) : AEE_EBADPARM;
    });
}

HEX_EXPORT AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                            struct dspqueue_buffer *buffers, uint32_t message_length,
                                            const uint8_t *message) {
    return on_queue(queue, [&](queue_end &e) {
        return e.write(flags, num_buffers, buffers, message_length, message, patience::none());
    });
}

HEX_EXPORT AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                    struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message,
                                    uint32_t timeout_us) {
    return on_queue(queue, [&](queue_end &e) {
        return e.write(flags, num_buffers, buffers, message_length, message, patience::us(timeout_us));
    });
}

HEX_EXPORT AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                           uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                           uint32_t max_message_length, uint32_t *message_length, uint8_t *message) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_queue(queue, [&](queue_end &e) { return e.read(sink, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                   struct dspqueue_buffer *buffers, uint32_t max_message_length,
                                   uint32_t *message_length, uint8_t *message, uint32_t timeout_us) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_queue(queue, [&](queue_end &e) { return e.read(sink, patience::us(timeout_us)); });
}

HEX_EXPORT AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                                           uint32_t *message_length) {
    return on_queue(queue, [&](queue_end &e) { return e.peek(flags, num_buffers, message_length, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                                   uint32_t timeout_us) {
    return on_queue(queue,
                    [&](queue_end &e) { return e.peek(flags, num_buffers, message_length, patience::us(timeout_us)); });
}
