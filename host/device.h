// host/device.h -- one device of the registry: its session when there is one, its lock, its plans, its sums.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "host/domains.h"
#include "host/graph_cache.h"
#include "host/options.h"
#include "host/plan_memo.h"
#include "host/session.h"
#include "host/stats.h"

namespace hexane::host {

class recorder;

// Lives as long as the registry, which is until the process ends. A session is opened by the first graph and closed
// when the last buffer and the last backend are gone.
class device {
  public:
    device(const fastrpc &rpc, const options &o, const op_table &ops, const device_spec &spec, const domain &core,
           uint32_t arch);

    const std::string &name() const { return spec_.name; }
    const device_spec &spec() const { return spec_; }
    const std::string &description() const { return description_; }
    const options &opts() const { return options_; }
    const fastrpc &rpc() const { return rpc_; }
    const op_table &ops() const { return ops_; }
    uint32_t arch_version() const { return arch_; }
    // Address space for buffers, all of a batch together.
    uint64_t window_bytes() const { return limits_.window_bytes; }
    const batch_limits &limits() const { return limits_; }

    void memory(size_t *free, size_t *total) const;

    // The largest buffer that ggml is told to ask for: GGML_HEXAGON_MBUF, or the largest tensor that was seen, and no more than one mapping
    // of the architecture. Any thread.
    uint64_t named_buffer_bytes() const;
    void saw_tensor(uint64_t bytes);

    // One at a time: graphs, and every access to a buffer's bytes.
    std::mutex &mutex() { return mutex_; }

    // Plans for supports_op: the least hardware that a session may have. Any thread.
    plan_memo &support_plans() { return support_plans_; }

    // -- with the lock held --
    // The open session, or a new one. Null when it cannot be opened, which is logged.
    session *ensure_session();
    // After a failure of the session itself: its process is ended, the next ensure_session() opens another one.
    void drop_session();
    plan_memo &session_plans() { return *session_plans_; }
    graph_cache &graphs() { return graphs_; }

    // A buffer or a backend exists. The last one to go closes the session.
    void add_user(uint64_t buffer_bytes);
    void remove_user(uint64_t buffer_bytes);
    // A buffer is about to be freed.
    void forget(mappable &m);

    stats &sums() { return stats_; }
    // Ops are recorded there; null: they are not. Set before the device is used.
    void record_to(recorder *r) { recorder_ = r; }
    recorder *recording() const { return recorder_; }
    // Called after a session was closed, without the lock.
    void on_session_closed(std::function<void()> f) { session_closed_ = std::move(f); }
    // At the end of the process: closes the session unless a thread is busy with it.
    void close_at_exit() noexcept;

  private:
    void close_if_unused();

    const fastrpc &rpc_;
    const options &options_;
    const op_table &ops_;
    device_spec spec_;
    domain core_;
    uint32_t arch_;
    std::string description_;
    batch_limits limits_;
    plan_memo support_plans_;

    std::mutex mutex_;
    std::optional<reservation> reservation_;  // that no session has used so far
    std::unique_ptr<session> session_;
    std::optional<plan_memo> session_plans_;
    graph_cache graphs_;
    stats stats_;
    recorder *recorder_ = nullptr;
    std::function<void()> session_closed_;
    std::atomic<uint64_t> allocated_bytes_{0};
    std::atomic<uint32_t> users_{0};
    std::atomic<uint64_t> largest_tensor_bytes_{0};
};

}  // namespace hexane::host
