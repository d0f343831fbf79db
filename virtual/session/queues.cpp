// virtual/session/queues.cpp -- the NPU's dspqueue_* functions.
#include "virtual/session/queues.h"

#include <sys/mman.h>

#include <map>
#include <memory>
#include <mutex>

#include "platform/dspqueue.h"
#include "virtual/channel/queue_end.h"
#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/mappings.h"
#include "virtual/session/strict_mode.h"

using namespace hexane::virt;

// A queue as the NPU library holds it.
struct dspqueue {
    uint64_t id = 0;
    uint64_t bytes = 0;
    queue_memory *memory = nullptr;
    std::unique_ptr<queue_end> end;

    ~dspqueue() {
        end.reset();
        if (memory) munmap(memory, bytes);
    }
};

namespace hexane::virt::queues {

namespace {

struct exported_queue {
    owned_fd fd;
    uint64_t bytes;
};

struct tables {
    std::mutex lock;
    std::map<uint64_t, exported_queue> exported;
    std::map<dspqueue_t, std::shared_ptr<dspqueue>> imported;
};
tables &the_tables() {
    static tables &t = *new tables;
    return t;
}

std::shared_ptr<dspqueue> find(dspqueue_t queue) {
    tables &t = the_tables();
    const std::lock_guard guard(t.lock);
    const auto found = t.imported.find(queue);
    return found == t.imported.end() ? nullptr : found->second;
}

bool is_well_formed(const queue_memory *m, uint64_t bytes) {
    return bytes >= sizeof(queue_memory) && queue_memory::bytes_for(m->request_bytes, m->response_bytes) == bytes;
}

AEEResult import(uint64_t id, std::shared_ptr<dspqueue> *result) {
    tables &t = the_tables();
    const std::lock_guard guard(t.lock);
    const auto found = t.exported.find(id);
    if (found == t.exported.end()) {
        log_line("dspqueue_import: the host exported no queue with id 0x%llx", static_cast<unsigned long long>(id));
        return AEE_EBADPARM;
    }
    if (__atomic_load_n(&this_device().hvx_votes, __ATOMIC_ACQUIRE) == 0) {
        log_line("dspqueue_import before any power vote for the vector units (HAP_power_set, HAP_power_set_HVX)");
        return AEE_EBADSTATE;
    }
    auto q = std::make_shared<dspqueue>();
    void *memory = mmap(nullptr, found->second.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, found->second.fd.get(), 0);
    if (memory == MAP_FAILED) return AEE_ENOMEMORY;
    q->memory = static_cast<queue_memory *>(memory);
    q->bytes = found->second.bytes;
    q->id = id;
    if (!is_well_formed(q->memory, q->bytes)) return AEE_EBADITEM;
    if (q->memory->imported.exchange(1) != 0) return AEE_EALREADY;
    q->end = std::make_unique<queue_end>(q->memory, queue_side::npu, mappings::packet_buffers());
    t.imported.emplace(q.get(), q);
    *result = q;
    return AEE_SUCCESS;
}

AEEResult write(queue_end &end, uint32_t flags, uint32_t n_buffers, const dspqueue_buffer *buffers, uint32_t bytes,
                const uint8_t *message, patience p) {
    if (strict::is_on()) strict::packet_leaves(buffers, n_buffers);
    return end.write(flags, n_buffers, buffers, bytes, message, p);
}

AEEResult read(queue_end &end, const packet_sink &sink, patience p) {
    uint32_t n_buffers = 0;
    packet_sink counted = sink;
    if (!counted.num_buffers) counted.num_buffers = &n_buffers;
    const AEEResult e = end.read(counted, p);
    if (e == AEE_SUCCESS && strict::is_on()) strict::packet_arrives(sink.buffers, *counted.num_buffers);
    return e;
}

template <class Call> AEEResult on_queue(dspqueue_t queue, Call call) {
    const auto q = find(queue);
    return q ? call(*q->end) : AEE_EBADPARM;
}

}  // namespace

AEEResult add(uint64_t id, owned_fd memory, uint64_t bytes) {
    tables &t = the_tables();
    const std::lock_guard guard(t.lock);
    return t.exported.try_emplace(id, exported_queue{std::move(memory), bytes}).second ? AEE_SUCCESS : AEE_EALREADY;
}

AEEResult forget(uint64_t id) {
    tables &t = the_tables();
    const std::lock_guard guard(t.lock);
    return t.exported.erase(id) ? AEE_SUCCESS : AEE_EBADPARM;
}

}  // namespace hexane::virt::queues

using queues::on_queue;

HEX_EXPORT AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                                     dspqueue_callback_t error_callback, void *callback_context, dspqueue_t *queue) {
    if (!queue) return AEE_EBADPARM;
    std::shared_ptr<dspqueue> q;
    if (const AEEResult e = queues::import(queue_id, &q)) return e;
    q->end->start_callbacks(q.get(), packet_callback, error_callback, callback_context);
    *queue = q.get();
    return AEE_SUCCESS;
}

HEX_EXPORT AEEResult dspqueue_close(dspqueue_t queue) {
    const auto q = queues::find(queue);
    if (!q) return AEE_EBADPARM;
    q->end->stop(AEE_EINTERRUPTED);
    {
        queues::tables &t = queues::the_tables();
        const std::lock_guard guard(t.lock);
        t.imported.erase(queue);
    }
    q->memory->imported.store(0, std::memory_order_release);
    return AEE_SUCCESS;
}

HEX_EXPORT AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                            struct dspqueue_buffer *buffers, uint32_t message_length,
                                            const uint8_t *message) {
    return on_queue(queue, [&](queue_end &e) {
        return queues::write(e, flags, num_buffers, buffers, message_length, message, patience::none());
    });
}

HEX_EXPORT AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                    struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message,
                                    uint32_t timeout_us) {
    return on_queue(queue, [&](queue_end &e) {
        return queues::write(e, flags, num_buffers, buffers, message_length, message, patience::us(timeout_us));
    });
}

HEX_EXPORT AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                           uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                           uint32_t max_message_length, uint32_t *message_length, uint8_t *message) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_queue(queue, [&](queue_end &e) { return queues::read(e, sink, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                   struct dspqueue_buffer *buffers, uint32_t max_message_length,
                                   uint32_t *message_length, uint8_t *message, uint32_t timeout_us) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_queue(queue, [&](queue_end &e) { return queues::read(e, sink, patience::us(timeout_us)); });
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
