// platform/dspqueue.h -- packet queues between host and NPU: one request and one response FIFO in shared memory.
//
// The host creates and exports a queue, the NPU imports it by its id. A packet carries a message of bytes and up to 64 references
// to mapped buffers. Names of the two sides differ only in create/export (host) and import (NPU).
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <dspqueue.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/AEEStdErr.h"

extern "C" {

struct dspqueue;
typedef struct dspqueue *dspqueue_t;
typedef void (*dspqueue_callback_t)(dspqueue_t queue, AEEResult error, void *context);

inline constexpr uint32_t DSPQUEUE_MAX_BUFFERS = 64;
inline constexpr uint32_t DSPQUEUE_MAX_MESSAGE_SIZE = 65536;
inline constexpr uint32_t DSPQUEUE_MAX_QUEUE_SIZE = 16u << 20;
inline constexpr uint32_t DSPQUEUE_MAX_PROCESS_QUEUES = 64;
inline constexpr uint32_t DSPQUEUE_DEFAULT_REQ_SIZE = 65536;
inline constexpr uint32_t DSPQUEUE_DEFAULT_RESP_SIZE = 16384;
inline constexpr uint32_t DSPQUEUE_TIMEOUT_NONE = 0xffffffffu;

enum dspqueue_packet_flags : uint32_t {
    DSPQUEUE_PACKET_FLAG_MESSAGE = 0x01,
    DSPQUEUE_PACKET_FLAG_BUFFERS = 0x02,
    DSPQUEUE_PACKET_FLAG_WAKEUP = 0x04,
    DSPQUEUE_PACKET_FLAG_DRIVER_READY = 0x08,
    DSPQUEUE_PACKET_FLAG_USER_READY = 0x10,
    DSPQUEUE_PACKET_FLAG_RESERVED_ZERO = 0xffe0,
};
enum dspqueue_buffer_flags : uint32_t {
    DSPQUEUE_BUFFER_FLAG_REF = 0x04,
    DSPQUEUE_BUFFER_FLAG_DEREF = 0x08,
    DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER = 0x10,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_SENDER = 0x20,
    DSPQUEUE_BUFFER_FLAG_FLUSH_RECIPIENT = 0x40,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT = 0x80,
};

// Part of a mapped buffer. On a read `ptr` is the reader's address of it; the other fields are the sender's.
struct dspqueue_buffer {
    uint32_t fd;
    uint32_t size;  // 0: the whole mapping, offset must be 0
    uint32_t offset;
    uint32_t flags;  // dspqueue_buffer_flags
    union {
        void *ptr;
        uint64_t address;
    };
};
static_assert(sizeof(dspqueue_buffer) == 24 && offsetof(dspqueue_buffer, ptr) == 16);

enum dspqueue_stat : uint32_t {
    DSPQUEUE_STAT_READ_QUEUE_PACKETS = 1,
    DSPQUEUE_STAT_READ_QUEUE_BYTES,
    DSPQUEUE_STAT_WRITE_QUEUE_PACKETS,
    DSPQUEUE_STAT_WRITE_QUEUE_BYTES,
    DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME,
    DSPQUEUE_STAT_EARLY_WAKEUP_MISSES,
    DSPQUEUE_STAT_SIGNALING_PERF,
};

// Host only. `domain` is an effective domain id with a running session; `flags` must be 0; a size of 0 means the default. The
// callbacks may be null.
AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                          dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *callback_context, dspqueue_t *queue);
// Host only. The id by which the NPU imports the queue.
AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id);
// NPU only.
AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *callback_context, dspqueue_t *queue);
// Waiters of this side return AEE_EINTERRUPTED. On the host AEE_EBADPARM while the NPU still has the queue imported.
AEEResult dspqueue_close(dspqueue_t queue);

// A full queue: AEE_EWOULDBLOCK, or AEE_EEXPIRED after timeout_us. AEE_ENOSUCHMAP for a buffer that is not mapped.
AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message);
AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers, struct dspqueue_buffer *buffers,
                         uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
// An empty queue: AEE_EWOULDBLOCK, or AEE_EEXPIRED after timeout_us. AEE_EBADPARM, and the packet stays, when it does not fit.
AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message);
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                        struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                        uint8_t *message, uint32_t timeout_us);
// Sizes of the next packet, which stays.
AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length);
AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                        uint32_t timeout_us);
AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay, uint32_t packet_flags);
AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value);

}  // extern "C"

#endif  // HEXANE_WITH_SDK
