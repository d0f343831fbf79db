// virtual/driver/monitor.h -- the one thread that notices the end of session processes.
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "virtual/channel/owned_fd.h"

namespace hexane::virt {

class session;

// The thread exists while sessions do: watch() of the first starts it, leave() of the last joins it.
class monitor {
  public:
    bool watch(std::shared_ptr<session> s);
    // REQUIRES: the process of `s` has ended.
    void leave(const session *s);

  private:
    void serve();
    void check(const std::shared_ptr<session> &s, short process_events, short socket_events);
    void wake();
    std::vector<std::shared_ptr<session>> copy_of_watched();

    std::mutex lifecycle_lock_;  // start and stop of the thread
    std::thread thread_;
    uint32_t n_sessions_ = 0;
    owned_fd wake_fd_;

    std::mutex list_lock_;
    std::vector<std::shared_ptr<session>> watched_;  // whose process has not been reaped yet
    bool stopping_ = false;
};

monitor &the_monitor();

}  // namespace hexane::virt
