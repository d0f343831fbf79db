// host/watchdog.h -- a time limit for FastRPC calls, which have none of their own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hexane::host {

// While it lives, `expire` runs once if `limit` passes; the destructor returns at once otherwise. For calls that are
// rare and take long: it costs a thread. `expire` should end the session's process, which makes the call return.
template <class Expire> class watchdog {
  public:
    watchdog(std::chrono::milliseconds limit, Expire expire)
        : expire_(std::move(expire)), thread_([this, limit] { wait(limit); }) {}
    ~watchdog() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        signal_.notify_one();
        thread_.join();
    }
    watchdog(const watchdog &) = delete;
    watchdog &operator=(const watchdog &) = delete;

  private:
    void wait(std::chrono::milliseconds limit) {
        std::unique_lock lock(mutex_);
        if (!signal_.wait_for(lock, limit, [this] { return done_; })) expire_();
    }

    Expire expire_;
    std::mutex mutex_;
    std::condition_variable signal_;
    bool done_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace hexane::host
