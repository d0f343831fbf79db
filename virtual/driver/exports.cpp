// virtual/driver/exports.cpp -- the exported functions of libcdsprpc: each is a call of the library that stands behind them.
#include "platform/rpcmem.h"
#include "virtual/driver/export.h"
#include "virtual/driver/fastrpc_library.h"

using namespace hexane::virt;

namespace {

// Runs one call on the library and lets no exception out.
template <class Call> AEEResult on_library(Call call) {
    return guarded([&] { return call(*the_library()); });
}

}  // namespace

// ---- rpcmem

HEX_EXPORT void rpcmem_init(void) {}
HEX_EXPORT void rpcmem_deinit(void) {}

HEX_EXPORT void *rpcmem_alloc2(int, uint32_t, size_t size) {
    void *memory = nullptr;
    (void)on_library([&](auto &library) { return (memory = library.allocate(size)) ? AEE_SUCCESS : AEE_ENOMEMORY; });
    return memory;
}

HEX_EXPORT void *rpcmem_alloc(int heap_id, uint32_t flags, int size) {
    return size > 0 ? rpcmem_alloc2(heap_id, flags, static_cast<size_t>(size)) : nullptr;
}

HEX_EXPORT void rpcmem_free(void *memory) {
    (void)on_library([&](auto &library) { return library.release(memory), AEE_SUCCESS; });
}

HEX_EXPORT int rpcmem_to_fd(void *memory) {
    int fd = -1;
    (void)on_library([&](auto &library) { return fd = library.descriptor(memory), AEE_SUCCESS; });
    return fd;
}

// ---- remote and fastrpc

HEX_EXPORT int remote_handle64_open(const char *name, remote_handle64 *handle) {
    return on_library([&](auto &library) { return library.open(name, handle); });
}

HEX_EXPORT int remote_handle64_close(remote_handle64 handle) {
    return on_library([&](auto &library) { return library.close(handle); });
}

HEX_EXPORT int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    return on_library([&](auto &library) { return library.invoke(handle, scalars, arguments); });
}

HEX_EXPORT int remote_handle_control(uint32_t request, void *data, uint32_t datalen) {
    return on_library([&](auto &library) { return library.control(request, data, datalen); });
}

HEX_EXPORT int remote_handle64_control(remote_handle64 handle, uint32_t request, void *data, uint32_t datalen) {
    return on_library([&](auto &library) { return library.handle_control(handle, request, data, datalen); });
}

HEX_EXPORT int remote_session_control(uint32_t request, void *data, uint32_t datalen) {
    return on_library([&](auto &library) { return library.session_control(request, data, datalen); });
}

HEX_EXPORT int remote_system_request(system_req_payload *request) {
    return on_library([&](auto &library) { return library.system_request(request); });
}

HEX_EXPORT int fastrpc_mmap(int domain, int fd, void *address, int offset, size_t length,
                            enum fastrpc_map_flags flags) {
    return on_library([&](auto &library) { return library.map(domain, fd, address, offset, length, flags); });
}

HEX_EXPORT int fastrpc_munmap(int domain, int fd, void *, size_t) {
    return on_library([&](auto &library) { return library.unmap(domain, fd); });
}

// ---- dspqueue

HEX_EXPORT AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                                     dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                                     void *callback_context, dspqueue_t *queue) {
    const queue_request request{flags, request_size, response_size, packet_callback, error_callback, callback_context};
    return on_library([&](auto &library) { return library.create_queue(domain, request, queue); });
}

HEX_EXPORT AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id) {
    return on_library([&](auto &library) { return library.export_queue(queue, queue_id); });
}

HEX_EXPORT AEEResult dspqueue_close(dspqueue_t queue) {
    return on_library([&](auto &library) { return library.close_queue(queue); });
}

HEX_EXPORT AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                            struct dspqueue_buffer *buffers, uint32_t message_length,
                                            const uint8_t *message) {
    const packet p{flags, num_buffers, buffers, message_length, message};
    return on_library([&](auto &library) { return library.write(queue, p, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                    struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message,
                                    uint32_t timeout_us) {
    const packet p{flags, num_buffers, buffers, message_length, message};
    return on_library([&](auto &library) { return library.write(queue, p, patience::us(timeout_us)); });
}

HEX_EXPORT AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                           uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                           uint32_t max_message_length, uint32_t *message_length, uint8_t *message) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_library([&](auto &library) { return library.read(queue, sink, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                   struct dspqueue_buffer *buffers, uint32_t max_message_length,
                                   uint32_t *message_length, uint8_t *message, uint32_t timeout_us) {
    const packet_sink sink{flags, max_buffers, num_buffers, buffers, max_message_length, message_length, message};
    return on_library([&](auto &library) { return library.read(queue, sink, patience::us(timeout_us)); });
}

HEX_EXPORT AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                                           uint32_t *message_length) {
    return on_library(
        [&](auto &library) { return library.peek(queue, flags, num_buffers, message_length, patience::none()); });
}

HEX_EXPORT AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                                   uint32_t timeout_us) {
    return on_library([&](auto &library) {
        return library.peek(queue, flags, num_buffers, message_length, patience::us(timeout_us));
    });
}
