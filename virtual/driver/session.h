// virtual/driver/session.h -- the host's side of one session: its process, its mappings, its queues.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/remote.h"
#include "virtual/channel/control_socket.h"
#include "virtual/channel/queue_end.h"
#include "virtual/driver/forks.h"
#include "virtual/driver/module_uri.h"
#include "virtual/driver/process.h"

namespace hexane::virt {

// Thread-safe. Destroyed after shut_down().
class session : public buffer_table, public std::enable_shared_from_this<session> {
  public:
    // Starts the process and greets it. Null after one log line.
    static std::shared_ptr<session> start(const device_description &device, const std::string &domain, uint32_t number);
    ~session() override;

    const std::string &name() const { return name_; }  // "nsp1000:0", as in log lines
    const device_description &device() const { return device_; }
    bool alive() const { return !dead_.load(std::memory_order_acquire); }
    // Its process runs at this moment; alive() learns of the end a little later, by the monitor.
    bool runs() const;
    int process_descriptor() const { return child_.pidfd.get(); }
    int socket_descriptor() const { return socket_.get(); }

    // AEE codes: the NPU's where the NPU answered, else the driver's.
    AEEResult open_module(const module_uri &uri, uint32_t *module);
    AEEResult close_module(uint32_t module);
    AEEResult invoke(uint32_t module, uint32_t scalars, remote_arg *arguments);
    bool has_modules() const { return n_modules_.load() != 0; }

    AEEResult map(int fd, void *address, size_t bytes, bool now);
    AEEResult unmap(int fd);
    AEEResult add_queue(uint64_t id, int memory, uint64_t bytes);
    void forget_queue(uint64_t id);

    // Queues learn of the session's end.
    void attach(queue_end *queue);
    void detach(queue_end *queue);

    // buffer_table
    AEEResult check(dspqueue_buffer *buffer) override;
    void translate(dspqueue_buffer *buffer) override;

    // Ends the process in order and reaps it; kills it when it does not end. Returns when it is gone.
    void shut_down();

    // Ends the process at once; everything that waits for it returns. The session still has to be shut down.
    void kill();
    bool was_killed() const { return killed_.load(std::memory_order_relaxed); }

    // By the monitor: the process may have ended (true when it has), or it closed its socket.
    bool try_reap();
    void on_hang_up();

  private:
    struct mapping {
        uint8_t *address;
        size_t bytes;
        uint32_t references = 0;
    };
    session(const device_description &device, const std::string &domain, uint32_t number);
    bool launch();
    bool greet();
    AEEResult exchange(request_kind kind, const std::vector<uint8_t> &payload, int fd, control_packet *answer);
    AEEResult exchange(request_kind kind, const std::vector<uint8_t> &payload, int fd = -1);
    template <class Transfer> transfer_result within_deadline(Transfer transfer) const;
    bool await_exit(uint64_t patience_us);
    void die(AEEResult error);

    const counted_session counted_{};
    const device_description device_;
    const std::string domain_;
    const uint32_t number_;
    const std::string name_;
    child_process child_;
    owned_fd socket_;
    std::atomic<bool> killed_{false};  // on request
    std::atomic<bool> dead_{false};
    std::atomic<bool> closing_{false};
    std::atomic<bool> unexpected_{false};  // it ended without being asked to
    std::atomic<uint32_t> n_modules_{0};

    std::mutex exchange_lock_;
    uint64_t serial_ = 0;

    std::mutex state_lock_;
    std::condition_variable exited_changed_;
    bool exited_ = false;
    std::map<int, mapping> mappings_;
    std::vector<queue_end *> queues_;
};

}  // namespace hexane::virt
