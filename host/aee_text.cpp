// host/aee_text.cpp
#include "host/aee_text.h"

#include <cstdint>
#include <cstdio>

#include "platform/AEEStdErr.h"

namespace hexane::host {

namespace {

struct meaning {
    uint32_t number;
    const char *text;
};

// Numbers without the offset, with what they mean to somebody who sets up a device.
constexpr meaning meanings[] = {
    {0x01, "failed"},
    {0x02, "out of memory"},
    {0x04, "interface version not supported"},
    {0x06,
     "could not load the library: file not on the search path, not signed for this device, or a symbol is missing"},
    {0x0c, "timed out"},
    {0x0d, "called in the wrong state"},
    {0x0e, "bad parameter: sizes or domain do not fit this driver"},
    {0x14, "unsupported request"},
    {0x16, "resource not found"},
    {0x1a, "already done"},
    {0x20, "in use"},
    {0x2c, "invalid handle"},
    {0x39, "no such domain"},
    {0x3a, "invalid file descriptor"},
    {0x3e, "no such module"},
    {0x42, "no such symbol in the library"},
    {0x43, "driver refused the module"},
    {0x48, "buffer is not mapped"},
    {0x4d, "bad size"},
    {0x65, "mapping failed"},
    {0x6b, "not initialised"},
    {0x6c, "driver does not have this function"},
    {0x72, "connection refused: driver package and firmware do not belong together, or no access to the device node"},
    {0x81, "module is not signed and unsigned modules are not allowed"},
    {0x85, "mapping is still referenced"},
    {0x8a, "no free session on this core"},
    {0x14b, "NPU could not create a thread"},
    {0x183, "busy"},
    {0x194, "library and plug-in are of different interfaces"},
    {0x200, "remote call failed: platform fault, see the kernel log"},
    {0x201, "file error"},
};

const char *absolute_text(int code) {
    switch (code) {
        case AEE_SUCCESS: return "success";
        case AEE_ENOSUCH: return "the session's process has ended";
        case AEE_EINTERRUPTED: return "interrupted, the queue was closed";
        case AEE_ECONNRESET: return "the session's process died";
        case AEE_EWOULDBLOCK: return "would block";
        case AEE_EUNKNOWN: return "unknown error";
    }
    return nullptr;
}

}  // namespace

std::string aee_text(int code) {
    const auto bits = static_cast<uint32_t>(code);
    const bool from_npu = bits >= platform::npu_error_offset && bits < platform::npu_error_offset + 0x400;
    const uint32_t n = from_npu ? bits - platform::npu_error_offset : bits;
    const char *text = from_npu ? nullptr : absolute_text(code);
    for (const meaning &m : meanings) {
        if (!text && m.number == n) text = m.text;
    }
    char head[16];
    std::snprintf(head, sizeof head, "0x%08x", bits);
    return std::string(head) + ": " + (from_npu ? "NPU: " : "") + (text ? text : "code not known to this plug-in");
}

}  // namespace hexane::host
