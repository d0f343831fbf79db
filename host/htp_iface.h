// host/htp_iface.h -- the methods of the NPU library as functions; abi/session_interface.h has the wire side.
#pragma once

#include <cstdint>

#include "abi/session_interface.h"
#include "host/fastrpc.h"

namespace hexane::host {

// An open module. Each call returns an AEE code and waits for the method; see watchdog.h for the time limit.
class htp_iface {
  public:
    explicit htp_iface(const fastrpc &rpc) : rpc_(rpc) {}

    int open(const char *uri) { return rpc_.handle_open(uri, &handle_); }
    int close();
    bool is_open() const { return handle_ != 0; }

    int hwinfo(hwinfo_result *out) const;
    int start(const start_args &args) const;
    int stop() const;
    // The session forgets its mapping of a descriptor.
    int unmap(int fd) const;
    // Asks the driver for low latency of the calls on this handle.
    int request_low_latency() const;

  private:
    const fastrpc &rpc_;
    remote_handle64 handle_ = 0;
};

}  // namespace hexane::host
