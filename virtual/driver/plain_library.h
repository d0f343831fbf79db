// virtual/driver/plain_library.h -- the FastRPC library that does what it is asked.
#pragma once

#include "virtual/driver/fastrpc_library.h"

namespace hexane::virt {

// Around a fork (virtual/driver/forks.cpp): nobody is in the middle of an allocation.
void lock_memory_for_fork();
void unlock_memory_after_fork();

// Has no state of its own: sessions, memory and queues belong to the process (the_directory() and the like), so that they stay
// whatever stands before this.
class plain_library final : public fastrpc_library {
  public:
    // rpcmem_api.cpp
    void *allocate(size_t bytes) override;
    void release(void *memory) override;
    int descriptor(void *memory) override;

    // remote_api.cpp
    AEEResult open(const char *uri, remote_handle64 *handle) override;
    AEEResult close(remote_handle64 handle) override;
    AEEResult invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) override;
    AEEResult control(uint32_t request, void *data, uint32_t bytes) override;
    AEEResult handle_control(remote_handle64 handle, uint32_t request, void *data, uint32_t bytes) override;
    AEEResult session_control(uint32_t request, void *data, uint32_t bytes) override;
    AEEResult system_request(system_req_payload *request) override;
    AEEResult map(int domain, int fd, void *address, int offset, size_t bytes, fastrpc_map_flags flags) override;
    AEEResult unmap(int domain, int fd) override;

    // dspqueue_api.cpp
    AEEResult create_queue(int domain, const queue_request &request, dspqueue_t *queue) override;
    AEEResult export_queue(dspqueue_t queue, uint64_t *id) override;
    AEEResult close_queue(dspqueue_t queue) override;
    AEEResult write(dspqueue_t queue, const packet &p, patience limit) override;
    AEEResult read(dspqueue_t queue, const packet_sink &sink, patience limit) override;
    AEEResult peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                   patience limit) override;
};

}  // namespace hexane::virt
