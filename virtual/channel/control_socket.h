// virtual/channel/control_socket.h -- packets with a descriptor over a unix socket, with deadlines.
#pragma once

#include <stdint.h>

#include <vector>

#include "virtual/channel/control_message.h"
#include "virtual/channel/futex.h"
#include "virtual/channel/owned_fd.h"

namespace hexane::virt {

enum class transfer_result { ok, timed_out, peer_gone };

struct control_packet {
    control_header header{};
    std::vector<uint8_t> payload;
    owned_fd fd;

    // Payload as a struct; zeroes when it is shorter than that.
    template <class T> T as() const {
        T value{};
        if (payload.size() >= sizeof(T)) __builtin_memcpy(static_cast<void *>(&value), payload.data(), sizeof(T));
        return value;
    }
};

// Appends the bytes of a struct to a payload.
template <class T> void append(std::vector<uint8_t> &payload, const T &value) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
    payload.insert(payload.end(), bytes, bytes + sizeof(T));
}

// `fd` < 0: none is sent. Never raises SIGPIPE.
transfer_result send_packet(int socket, const control_header &header, const std::vector<uint8_t> &payload, int fd,
                            time_limit limit);
transfer_result receive_packet(int socket, control_packet *packet, time_limit limit);

}  // namespace hexane::virt
