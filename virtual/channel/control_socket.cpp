// virtual/channel/control_socket.cpp -- sendmsg and recvmsg with SCM_RIGHTS.
#include "virtual/channel/control_socket.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

namespace hexane::virt {

namespace {

// The socket is ready for `events` or broken: true. The limit passed: false.
bool wait_ready(int socket, short events, time_limit limit) {
    for (;;) {
        pollfd p{socket, events, 0};
        const int n = poll(&p, 1, limit.poll_ms());
        if (n > 0) return true;
        if (n == 0 && limit.passed()) return false;
        if (n < 0 && errno != EINTR) return true;  // the next system call reports it
    }
}

union descriptor_space {
    cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

void attach_descriptor(msghdr *message, descriptor_space *space, int fd) {
    message->msg_control = space->bytes;
    message->msg_controllen = sizeof space->bytes;
    cmsghdr *c = CMSG_FIRSTHDR(message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

owned_fd detach_descriptor(msghdr *message) {
    for (cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(sizeof(int))) continue;
        int fd;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        return owned_fd(fd);
    }
    return {};
}

}  // namespace

transfer_result send_packet(int socket, const control_header &header, const std::vector<uint8_t> &payload, int fd,
                            time_limit limit) {
    iovec parts[2] = {{const_cast<control_header *>(&header), sizeof header},
                      {const_cast<uint8_t *>(payload.data()), payload.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = payload.empty() ? 1 : 2;
    descriptor_space space{};
    if (fd >= 0) attach_descriptor(&message, &space, fd);
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return transfer_result::ok;
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return transfer_result::peer_gone;
        if (!wait_ready(socket, POLLOUT, limit)) return transfer_result::timed_out;
    }
}

transfer_result receive_packet(int socket, control_packet *packet, time_limit limit) {
    packet->payload.resize(max_payload_bytes);
    iovec parts[2] = {{&packet->header, sizeof packet->header}, {packet->payload.data(), packet->payload.size()}};
    descriptor_space space{};
    for (;;) {
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        message.msg_control = space.bytes;
        message.msg_controllen = sizeof space.bytes;
        const ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n >= static_cast<ssize_t>(sizeof packet->header)) {
            packet->payload.resize(static_cast<size_t>(n) - sizeof packet->header);
            packet->fd = detach_descriptor(&message);
            return transfer_result::ok;
        }
        if (n >= 0) return transfer_result::peer_gone;  // end of file, or not one of our messages
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return transfer_result::peer_gone;
        if (!wait_ready(socket, POLLIN, limit)) return transfer_result::timed_out;
    }
}

}  // namespace hexane::virt
