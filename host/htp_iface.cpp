// host/htp_iface.cpp
#include "host/htp_iface.h"

namespace hexane::host {

namespace {

// All scalar inputs of a method travel as one struct, all scalar outputs as another.
template <class T> remote_arg struct_argument(T *value) {
    remote_arg a{};
    a.buf = {value, sizeof *value};
    return a;
}

}  // namespace

int htp_iface::close() {
    const remote_handle64 handle = handle_;
    handle_ = 0;
    return handle ? rpc_.handle_close(handle) : AEE_SUCCESS;
}

int htp_iface::hwinfo(hwinfo_result *out) const {
    *out = {};
    remote_arg a = struct_argument(out);
    return rpc_.handle_invoke(handle_, method::hwinfo, &a);
}

int htp_iface::start(const start_args &args) const {
    start_args copy = args;
    remote_arg a = struct_argument(&copy);
    return rpc_.handle_invoke(handle_, method::start, &a);
}

int htp_iface::stop() const { return rpc_.handle_invoke(handle_, method::stop, nullptr); }

int htp_iface::unmap(int fd) const {
    unmap_args args{static_cast<uint32_t>(fd), 0};
    remote_arg a = struct_argument(&args);
    return rpc_.handle_invoke(handle_, method::unmap, &a);
}

int htp_iface::request_low_latency() const {
    remote_rpc_control_latency request{RPC_PM_QOS, 0};
    return rpc_.handle_control(handle_, DSPRPC_CONTROL_LATENCY, &request, sizeof request);
}

}  // namespace hexane::host
