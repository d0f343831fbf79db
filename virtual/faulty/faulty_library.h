// virtual/faulty/faulty_library.h -- a FastRPC library that stands before another one and spoils some of its calls.
//
// Its faults are those that users of the real driver report: the codes, and when they come. What a fault leaves behind is never less
// orderly than on a device: memory and handles that were refused do not exist, what was closed with an error is closed.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "virtual/driver/fastrpc_library.h"
#include "virtual/faulty/fault_schedule.h"

namespace hexane::virt {

// Thread-safe. With log=low each fault costs one line, which names the call by function and number: with the same seed the same call
// has the same fault.
class faulty_library final : public fastrpc_library {
  public:
    faulty_library(std::shared_ptr<fastrpc_library> inner, const device_description &device);

    void *allocate(size_t bytes) override;
    void release(void *memory) override { inner_->release(memory); }
    int descriptor(void *memory) override;

    AEEResult open(const char *uri, remote_handle64 *handle) override;
    AEEResult close(remote_handle64 handle) override;
    AEEResult invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) override;
    AEEResult control(uint32_t request, void *data, uint32_t bytes) override {
        return inner_->control(request, data, bytes);
    }
    AEEResult handle_control(remote_handle64 handle, uint32_t request, void *data, uint32_t bytes) override;
    AEEResult session_control(uint32_t request, void *data, uint32_t bytes) override;
    AEEResult system_request(system_req_payload *request) override { return inner_->system_request(request); }

    AEEResult map(int domain, int fd, void *address, int offset, size_t bytes, fastrpc_map_flags flags) override;
    AEEResult unmap(int domain, int fd) override;

    AEEResult create_queue(int domain, const queue_request &request, dspqueue_t *queue) override;
    AEEResult export_queue(dspqueue_t queue, uint64_t *id) override;
    AEEResult close_queue(dspqueue_t queue) override;
    AEEResult write(dspqueue_t queue, const packet &p, patience limit) override;
    AEEResult read(dspqueue_t queue, const packet_sink &sink, patience limit) override;
    AEEResult peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                   patience limit) override {
        return inner_->peek(queue, flags, num_buffers, message_length, limit);
    }

  private:
    // The fate of the oldest message of a queue, decided once.
    struct verdict {
        std::optional<fault> what;
        time_limit not_before{0};  // of a message that is held back
    };
    struct known_queue {
        int domain = -1;
        std::optional<verdict> of_oldest;
    };

    // The fault of this call, if it has one, with its line in the log.
    std::optional<fault> next(faulty_call call);
    // The code to answer with; `codes` are those that this function was seen to give.
    template <size_t n> static AEEResult pick(const fault &f, const AEEResult (&codes)[n]);

    verdict verdict_on_oldest(dspqueue_t queue);
    void forget_verdict(dspqueue_t queue);
    AEEResult lose_oldest(dspqueue_t queue);
    int domain_of(dspqueue_t queue);
    void kill(int domain);
    void kill_in_the_middle(dspqueue_t queue, const fault &f);

    const std::shared_ptr<fastrpc_library> inner_;
    const fault_schedule schedule_;
    const uint32_t seed_;
    const bool verbose_;
    std::atomic<uint32_t> counts_[n_faulty_calls]{};

    std::mutex lock_;
    std::map<dspqueue_t, known_queue> queues_;
};

}  // namespace hexane::virt
