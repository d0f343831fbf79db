// sys/socket.h -- the C library of the session program for Hexagon: messages with descriptors. 32-bit layouts of the kernel.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SOL_SOCKET 1
#define SCM_RIGHTS 1

#define MSG_DONTWAIT 0x40
#define MSG_NOSIGNAL 0x4000
#define MSG_CMSG_CLOEXEC 0x40000000

struct msghdr {
    void *msg_name;
    uint32_t msg_namelen;
    iovec *msg_iov;
    size_t msg_iovlen;
    void *msg_control;
    size_t msg_controllen;
    int msg_flags;
};

struct cmsghdr {
    size_t cmsg_len;
    int cmsg_level;
    int cmsg_type;
};

#define CMSG_ALIGN(bytes) (((bytes) + sizeof(long) - 1) & ~(sizeof(long) - 1))
#define CMSG_SPACE(bytes) (CMSG_ALIGN(sizeof(cmsghdr)) + CMSG_ALIGN(bytes))
#define CMSG_LEN(bytes) (CMSG_ALIGN(sizeof(cmsghdr)) + (bytes))
#define CMSG_DATA(header) (reinterpret_cast<unsigned char *>((header) + 1))
#define CMSG_FIRSTHDR(message) \
    ((message)->msg_controllen >= sizeof(cmsghdr) ? static_cast<cmsghdr *>((message)->msg_control) : nullptr)
#define CMSG_NXTHDR(message, header) hexane_next_header(message, header)

inline cmsghdr *hexane_next_header(const msghdr *message, cmsghdr *header) {
    const auto end = reinterpret_cast<uintptr_t>(message->msg_control) + message->msg_controllen;
    const auto next = reinterpret_cast<uintptr_t>(header) + CMSG_ALIGN(header->cmsg_len);
    return next + sizeof(cmsghdr) <= end ? reinterpret_cast<cmsghdr *>(next) : nullptr;
}

extern "C" {

ssize_t sendmsg(int socket, const msghdr *message, int flags);
ssize_t recvmsg(int socket, msghdr *message, int flags);

}  // extern "C"
