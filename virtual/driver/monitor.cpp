// virtual/driver/monitor.cpp -- poll over the pidfd and the socket of every session.
#include "virtual/driver/monitor.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "virtual/driver/session.h"

namespace hexane::virt {

monitor &the_monitor() {
    static monitor &m = *new monitor;  // never destroyed: exit() may come while sessions are open
    return m;
}

bool monitor::watch(std::shared_ptr<session> s) {
    const std::lock_guard lifecycle(lifecycle_lock_);
    if (n_sessions_ == 0) {
        wake_fd_ = above_standard(owned_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
        if (!wake_fd_.valid()) return false;
        stopping_ = false;
        sigset_t all, before;  // signals are for the program's own threads
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { serve(); });
        pthread_setname_np(thread_.native_handle(), "hexane-monitor");
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ++n_sessions_;
    {
        const std::lock_guard list(list_lock_);
        watched_.push_back(std::move(s));
    }
    wake();
    return true;
}

void monitor::leave(const session *s) {
    const std::lock_guard lifecycle(lifecycle_lock_);
    {
        const std::lock_guard list(list_lock_);
        std::erase_if(watched_, [s](const auto &w) { return w.get() == s; });
        stopping_ = n_sessions_ == 1;
    }
    wake();
    if (--n_sessions_ != 0) return;
    if (thread_.get_id() == std::this_thread::get_id())
        thread_.detach();  // closed from an error callback
    else
        thread_.join();
    wake_fd_.reset();
}

void monitor::wake() {
    const uint64_t one = 1;
    (void)!write(wake_fd_.get(), &one, sizeof one);
}

std::vector<std::shared_ptr<session>> monitor::copy_of_watched() {
    const std::lock_guard list(list_lock_);
    return watched_;
}

void monitor::serve() {
    const int wake_fd = wake_fd_.get();
    for (;;) {
        {
            const std::lock_guard list(list_lock_);
            if (stopping_) return;
        }
        const auto sessions = copy_of_watched();
        std::vector<pollfd> polled{{wake_fd, POLLIN, 0}};
        for (const auto &s : sessions) {
            polled.push_back({s->process_descriptor(), POLLIN, 0});
            // After a hang-up only the end of the process is of interest.
            polled.push_back({s->alive() ? s->socket_descriptor() : -1, POLLRDHUP, 0});
        }
        if (poll(polled.data(), polled.size(), -1) < 0) continue;
        if (polled[0].revents) {
            uint64_t count;
            (void)!read(wake_fd, &count, sizeof count);
        }
        for (size_t i = 0; i < sessions.size(); ++i)
            check(sessions[i], polled[1 + 2 * i].revents, polled[2 + 2 * i].revents);
    }
}

void monitor::check(const std::shared_ptr<session> &s, short process_events, short socket_events) {
    if (process_events && s->try_reap()) {
        const std::lock_guard list(list_lock_);
        std::erase(watched_, s);
    } else if (socket_events) {
        s->on_hang_up();
    }
}

}  // namespace hexane::virt
