// virtual/driver/fastrpc_library.h -- the FastRPC library as an interface: what stands behind the exported functions.
//
// exports.cpp has the functions by their C names; each of them calls the_library(). The plain library does what is asked, the faulty
// one (virtual/faulty/) stands before it. Contracts are those of platform/remote.h, platform/rpcmem.h and platform/dspqueue.h.
#pragma once

#include <memory>

#include "platform/dspqueue.h"
#include "platform/remote.h"
#include "virtual/channel/queue_end.h"

namespace hexane::virt {

// A packet that is to be sent.
struct packet {
    uint32_t flags;
    uint32_t num_buffers;
    const dspqueue_buffer *buffers;
    uint32_t message_length;
    const uint8_t *message;
};

// What a queue is created with.
struct queue_request {
    uint32_t flags;
    uint32_t request_bytes, response_bytes;  // 0: the default
    dspqueue_callback_t on_packet, on_error;
    void *context;
};

// Thread-safe. Functions that return an AEEResult may throw std::bad_alloc and the like: guarded() is around them.
class fastrpc_library {
  public:
    virtual ~fastrpc_library() = default;

    // -- rpcmem_*: null, or -1, when there is none.
    virtual void *allocate(size_t bytes) = 0;
    virtual void release(void *memory) = 0;
    virtual int descriptor(void *memory) = 0;

    // -- remote_*
    virtual AEEResult open(const char *uri, remote_handle64 *handle) = 0;
    virtual AEEResult close(remote_handle64 handle) = 0;
    virtual AEEResult invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) = 0;
    virtual AEEResult control(uint32_t request, void *data, uint32_t bytes) = 0;
    virtual AEEResult handle_control(remote_handle64 handle, uint32_t request, void *data, uint32_t bytes) = 0;
    virtual AEEResult session_control(uint32_t request, void *data, uint32_t bytes) = 0;
    virtual AEEResult system_request(system_req_payload *request) = 0;

    // -- fastrpc_*
    virtual AEEResult map(int domain, int fd, void *address, int offset, size_t bytes, fastrpc_map_flags flags) = 0;
    virtual AEEResult unmap(int domain, int fd) = 0;

    // -- dspqueue_*
    virtual AEEResult create_queue(int domain, const queue_request &request, dspqueue_t *queue) = 0;
    virtual AEEResult export_queue(dspqueue_t queue, uint64_t *id) = 0;
    virtual AEEResult close_queue(dspqueue_t queue) = 0;
    virtual AEEResult write(dspqueue_t queue, const packet &p, patience limit) = 0;
    virtual AEEResult read(dspqueue_t queue, const packet_sink &sink, patience limit) = 0;
    virtual AEEResult peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                           patience limit) = 0;
};

// The library that the environment describes now. A new description takes effect with the next call, in the middle of a session too,
// and begins its schedule of faults from the start.
std::shared_ptr<fastrpc_library> the_library();

}  // namespace hexane::virt
