// host/watchdog.h -- a time limit for FastRPC calls, which have none of their own.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/running_time.h"

namespace hexane::host {

// While it lives, `expire` runs once if `limit` passes; the destructor returns at once otherwise. Time in which this process was stopped
// does not count. For calls that are rare and take long: it costs a thread. `expire` should end the session's process, which makes the call
// return.
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
        const auto now_ms = [] {
            using namespace std::chrono;
            return static_cast<uint64_t>(duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count());
        };
        std::unique_lock lock(mutex_);
        for (base::running_time waited(now_ms(), 4 * slice.count()); !done_;) {
            const uint64_t spent = waited.at(now_ms()), all = static_cast<uint64_t>(limit.count());
            if (spent >= all) return expire_();
            signal_.wait_for(lock, std::min(slice, std::chrono::milliseconds(all - spent)), [this] { return done_; });
        }
    }

    static constexpr std::chrono::milliseconds slice{100};

    Expire expire_;
    std::mutex mutex_;
    std::condition_variable signal_;
    bool done_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace hexane::host
