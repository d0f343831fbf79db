// virtual/session/main.cpp -- hexane-dsp: one NPU session as a process.
//
// Started by the driver with the control socket as descriptor 3. The main thread is the FastRPC thread: it serves the driver's
// requests one by one until the socket closes.
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "virtual/channel/control_socket.h"
#include "virtual/session/device.h"
#include "virtual/session/heap.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/session/mappings.h"
#include "virtual/session/modules.h"
#include "virtual/session/queues.h"
#include "virtual/session/strict_mode.h"
#include "virtual/session/text_file.h"
#include "virtual/session/watchdog.h"

// Set by a person in a debugger to let a waiting session go on.
extern "C" {
__attribute__((used, visibility("default"))) volatile int hexane_debugger_continue = 0;
}

namespace hexane::virt {

namespace {

constexpr uint64_t mib = 1u << 20;

bool is_traced() {
    constexpr std::string_view key = "\nTracerPid:\t";
    const std::string status = read_text_file("/proc/self/status");
    const size_t at = status.find(key);
    return at != status.npos && status.compare(at + key.size(), 2, "0\n") != 0;
}

// Why a session cannot have the addresses below 4 GiB, which its buffers need.
const char *what_takes_addresses() {
    constexpr std::string_view key = "\nMax address space";
    const std::string limits = read_text_file("/proc/self/limits");
    const size_t at = limits.find(key);
    const size_t value = at == limits.npos ? at : limits.find_first_not_of(' ', at + key.size());
    const bool limited = value != limits.npos && limits.compare(value, 9, "unlimited") != 0;
    return limited ? "the address space of processes is limited (ulimit -v)" : "the address space below 4 GiB is taken";
}

// The driver has no deadline for this session, and the watchdog runs: waiting can last.
void wait_for_debugger() {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    log_line("process %d waits for a debugger: gdb -p %d, set breakpoints, then 'continue'", getpid(), getpid());
    while (!is_traced() && !hexane_debugger_continue) usleep(100'000);
}

AEEResult hello(const control_packet &request, std::vector<uint8_t> *answer) {
    const auto r = request.as<hello_request>();
    session_device &d = this_device();
    d.description = r.device;
    char name[sizeof r.domain + 16];
    snprintf(name, sizeof name, "%.31s:%u", r.domain, r.session);
    set_session_name(name);
    if (!start_watchdog(control_fd, r.host_pid)) return AEE_ECONNREFUSED;
    const uint64_t others = d.description.vtcm_bytes + heap_bytes;
    const uint64_t room = low_memory::reserved_bytes() > others ? low_memory::reserved_bytes() - others : 0;
    d.window_bytes = std::min(d.description.window_bytes, room);
    if (d.window_bytes < d.description.window_bytes && !d.description.window_is_default) {
        log_line("window=%lluM: only %llu MiB are free: %s",
                 static_cast<unsigned long long>(d.description.window_bytes / mib),
                 static_cast<unsigned long long>(d.window_bytes / mib), what_takes_addresses());
    }
    if (strict::is_on()) strict::handle_faults();
    if (d.description.wait_for_debugger) wait_for_debugger();
    append(*answer, hello_answer{d.window_bytes});
    return AEE_SUCCESS;
}

AEEResult add_mapping(control_packet &request) {
    const auto r = request.as<map_request>();
    if (!request.fd.valid()) return AEE_EINVALIDFD;
    return mappings::add(r.fd, std::move(request.fd), r.bytes, r.when == map_now);
}

AEEResult add_queue(control_packet &request) {
    const auto r = request.as<add_queue_request>();
    struct stat memory{};
    if (!request.fd.valid() || fstat(request.fd.get(), &memory) != 0 || static_cast<uint64_t>(memory.st_size) < r.bytes)
        return AEE_EINVALIDFD;
    return queues::add(r.id, std::move(request.fd), r.bytes);
}

AEEResult serve(control_packet &request, std::vector<uint8_t> *answer) {
    switch (request.header.kind) {
        case request_kind::hello: return hello(request, answer);
        case request_kind::open: return modules::open(request, answer);
        case request_kind::close: return modules::close(request);
        case request_kind::invoke: return modules::invoke(request, answer);
        case request_kind::map: return add_mapping(request);
        case request_kind::unmap: return mappings::remove(request.as<unmap_request>().fd);
        case request_kind::add_queue: return add_queue(request);
        case request_kind::forget_queue: return queues::forget(request.as<forget_queue_request>().id);
    }
    return AEE_EUNSUPPORTED;
}

int run() {
    set_thread_name("fastrpc");
    install_signal_handlers();
    struct stat control{};
    if (fstat(control_fd, &control) != 0 || !S_ISSOCK(control.st_mode)) {
        log_line("this program is started by libcdsprpc-virtual.so, one process per NPU session");
        return 2;
    }
    if (!low_memory::reserve(64 * mib)) {
        log_line("no room for buffers: %s", what_takes_addresses());
        return 1;
    }
    control_packet request;
    std::vector<uint8_t> answer;
    while (receive_packet(control_fd, &request, time_limit::never()) == transfer_result::ok) {
        answer.clear();
        const AEEResult result = serve(request, &answer);
        const control_header header{request.header.kind, result, request.header.serial};
        if (send_packet(control_fd, header, result == AEE_SUCCESS ? answer : std::vector<uint8_t>{}, -1,
                        time_limit::never()) != transfer_result::ok)
            break;
    }
    return 0;
}

}  // namespace

}  // namespace hexane::virt

int main() {
    const int code = hexane::virt::run();
    _exit(code);  // threads of the NPU library may still run
}
