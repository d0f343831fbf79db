// virtual/session/queues.cpp -- the NPU's dspqueue_* functions.
#include "virtual/session/queues.h"

#include <sys/mman.h>

#include <map>
#include <memory>
#include <mutex>

#include "platform/dspqueue.h"
#include "virtual/channel/queue_end.h"
#include "virtual/session/export.h"
#include "virtual/session/mappings.h"

using namespace hexane::virt;

// A queue that the host exported. The end exists while the NPU library has it imported.
struct dspqueue {
    queue_memory *memory = nullptr;
    uint64_t bytes = 0;
    std::unique_ptr<queue_end> end;

    ~dspqueue() {
        end.reset();
        if (memory) munmap(memory, bytes);
    }
};

namespace {

struct queue_table {
    std::mutex lock;
    std::map<uint64_t, std::shared_ptr<dspqueue>> queues;  // by the host's id
};
queue_table &the_queues() {
    static queue_table &t = *new queue_table;
    return t;
}

// The end of an imported queue, kept alive while the caller uses it.
std::shared_ptr<dspqueue> imported(dspqueue_t q) {
    queue_table &t = the_queues();
    const std::lock_guard guard(t.lock);
    for (auto &[id, queue] : t.queues) {
        if (queue.get() == q && queue->end) return queue;
    }
    return nullptr;
}

template <class Call> AEEResult on(dspqueue_t q, Call &&call) {
    const auto queue = imported(q);
    return queue ? call(*queue->end) : AEE_EBADPARM;
}

}  // namespace

namespace hexane::virt::queues {

AEEResult add(uint64_t id, owned_fd fd, uint64_t bytes) {
    if (!fd.valid() || bytes < sizeof(queue_memory)) return AEE_EBADPARM;
    auto queue = std::make_shared<dspqueue>();
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return AEE_ENOMEMORY;
    queue->memory = static_cast<queue_memory *>(memory);
    queue->bytes = bytes;
    queue_table &t = the_queues();
    const std::lock_guard guard(t.lock);
    return t.queues.try_emplace(id, std::move(queue)).second ? AEE_SUCCESS : AEE_EALREADY;
}

AEEResult forget(uint64_t id) {
    queue_table &t = the_queues();
    const std::lock_guard guard(t.lock);
    const auto found = t.queues.find(id);
    if (found == t.queues.end()) return AEE_ENOSUCHMAP;
    if (found->second->end) return AEE_EBADPARM;
    t.queues.erase(found);
    return AEE_SUCCESS;
}

}  // namespace hexane::virt::queues

HEX_EXPORT AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                                     void *context, dspqueue_t *queue) {
    if (!queue) return AEE_EBADPARM;
    queue_table &t = the_queues();
    const std::lock_guard guard(t.lock);
    const auto found = t.queues.find(queue_id);
    if (found == t.queues.end()) return AEE_EBADPARM;
    dspqueue &q = *found->second;
    if (q.end) return AEE_EALREADY;
    q.end = std::make_unique<queue_end>(q.memory, queue_side::npu, mappings::packet_buffers());
    q.memory->imported.store(1, std::memory_order_release);
    if (packet_callback || error_callback) q.end->start_callbacks(&q, packet_callback, error_callback, context);
    *queue = &q;
    return AEE_SUCCESS;
}

HEX_EXPORT AEEResult dspqueue_close(dspqueue_t q) {
    const auto queue = imported(q);
    if (!queue) return AEE_EBADPARM;
    queue->end->stop(AEE_EINTERRUPTED);
    const std::lock_guard guard(the_queues().lock);
    queue->end.reset();
    queue->memory->imported.store(0, std::memory_order_release);
    return AEE_SUCCESS;
}

HEX_EXPORT AEEResult dspqueue_write(dspqueue_t q, uint32_t flags, uint32_t n_buffers, dspqueue_buffer *buffers, uint32_t bytes,
                                    const uint8_t *message, uint32_t timeout_us) {
    return on(q, [&](queue_end &e) { return e.write(flags, n_buffers, buffers, bytes, message, patience::us(timeout_us)); });
}
HEX_EXPORT AEEResult dspqueue_write_noblock(dspqueue_t q, uint32_t flags, uint32_t n_buffers, dspqueue_buffer *buffers,
                                            uint32_t bytes, const uint8_t *message) {
    return on(q, [&](queue_end &e) { return e.write(flags, n_buffers, buffers, bytes, message, patience::none()); });
}
HEX_EXPORT AEEResult dspqueue_read(dspqueue_t q, uint32_t *flags, uint32_t max_buffers, uint32_t *n_buffers, dspqueue_buffer *buffers,
                                   uint32_t max_bytes, uint32_t *bytes, uint8_t *message, uint32_t timeout_us) {
    const packet_sink sink{flags, max_buffers, n_buffers, buffers, max_bytes, bytes, message};
    return on(q, [&](queue_end &e) { return e.read(sink, patience::us(timeout_us)); });
}
HEX_EXPORT AEEResult dspqueue_read_noblock(dspqueue_t q, uint32_t *flags, uint32_t max_buffers, uint32_t *n_buffers,
                                           dspqueue_buffer *buffers, uint32_t max_bytes, uint32_t *bytes, uint8_t *message) {
    const packet_sink sink{flags, max_buffers, n_buffers, buffers, max_bytes, bytes, message};
    return on(q, [&](queue_end &e) { return e.read(sink, patience::none()); });
}
HEX_EXPORT AEEResult dspqueue_peek(dspqueue_t q, uint32_t *flags, uint32_t *n_buffers, uint32_t *bytes, uint32_t timeout_us) {
    return on(q, [&](queue_end &e) { return e.peek(flags, n_buffers, bytes, patience::us(timeout_us)); });
}
HEX_EXPORT AEEResult dspqueue_peek_noblock(dspqueue_t q, uint32_t *flags, uint32_t *n_buffers, uint32_t *bytes) {
    return on(q, [&](queue_end &e) { return e.peek(flags, n_buffers, bytes, patience::none()); });
}
