// virtual/channel/owned_fd.h -- a file descriptor that closes itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace hexane::virt {

class owned_fd {
  public:
    owned_fd() = default;
    explicit owned_fd(int fd) : fd_(fd) {}
    owned_fd(owned_fd &&other) noexcept : fd_(other.release()) {}
    owned_fd &operator=(owned_fd &&other) noexcept {
        reset(other.release());
        return *this;
    }
    ~owned_fd() { reset(); }

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        if (fd_ >= 0) close(fd_);
        fd_ = fd;
    }

  private:
    int fd_ = -1;
};

// The same file under a number above standard error's. Where a program closed its standard descriptors, the next files get their
// numbers, and whatever is then printed would be written into shared memory or the control socket.
inline owned_fd above_standard(owned_fd fd) {
    if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
    return owned_fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace hexane::virt
