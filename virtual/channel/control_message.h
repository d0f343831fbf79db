// virtual/channel/control_message.h -- what driver and session process say to each other over the control socket.
//
// The driver asks, the session answers, one exchange at a time. A message is one packet of a SOCK_SEQPACKET socket: a
// control_header, then the payload of its kind; map and add_queue carry a file descriptor. Both ends are one build.
#pragma once

#include <stdint.h>

#include "virtual/description/device_description.h"

namespace hexane::virt {

// In a session process the control socket always has this number.
inline constexpr int control_fd = 3;

inline constexpr uint32_t max_payload_bytes = 128u << 10;  // well within the default send buffer of a unix socket

enum class request_kind : uint32_t { hello = 1, open, close, invoke, map, unmap, add_queue, forget_queue };

struct control_header {
    request_kind kind;
    int32_t result;   // of an answer: an AEE code as the NPU gives it
    uint64_t serial;  // the answer repeats the request's
};

struct hello_request {
    device_description device;
    int32_t host_pid;
    uint32_t session;
    char domain[32];
};
// The same in 64-bit and in 32-bit processes, as everything here.
static_assert(sizeof(control_header) == 16 && sizeof(hello_request) == sizeof(device_description) + 40);
struct hello_answer {
    uint64_t window_bytes;  // what the process can really map
};

struct open_request {
    char library[128];
    char entry[128];
    char uri[512];
};
struct open_answer {
    uint32_t module;
};

struct close_request {
    uint32_t module;
};

// Followed by the length of every buffer and the value of every in-handle as uint64_t, then the bytes of the in-buffers.
// The answer is the bytes of the out-buffers, then the out-handles as uint64_t.
struct invoke_request {
    uint32_t module;
    uint32_t scalars;
};

enum map_time : uint32_t { map_now, map_when_asked };
struct map_request {
    int32_t fd;     // the host's number, by which code on the NPU names the memory
    uint32_t when;  // map_time
    uint64_t bytes;
};
static_assert(sizeof(map_request) == 16);
struct unmap_request {
    int32_t fd;
};

struct add_queue_request {
    uint64_t id;
    uint64_t bytes;  // of the whole shared memory
};
static_assert(sizeof(add_queue_request) == 16);
struct forget_queue_request {
    uint64_t id;
};

// Fields of a scalars word.
struct scalar_counts {
    uint32_t method, in, out, in_handles, out_handles;
    static scalar_counts of(uint32_t scalars) {
        return {(scalars >> 24) & 0x1f, (scalars >> 16) & 0xff, (scalars >> 8) & 0xff, (scalars >> 4) & 0xf,
                scalars & 0xf};
    }
};

}  // namespace hexane::virt
