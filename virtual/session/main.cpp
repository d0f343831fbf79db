// virtual/session/main.cpp -- hexane-dsp: the user process that a FastRPC session has on the NPU.
//
// Serves the driver's requests, one at a time, on this thread; the NPU library's own threads do the work. The process ends when its
// control socket does, whatever those threads are doing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "virtual/channel/control_socket.h"
#include "virtual/session/device.h"
#include "virtual/session/heap.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/session/mappings.h"
#include "virtual/session/modules.h"
#include "virtual/session/queues.h"

using namespace hexane::virt;

namespace {

constexpr uint64_t least_low_memory = 512u << 20;

int tracer_pid() {
    FILE *status = fopen("/proc/self/status", "re");
    if (!status) return 0;
    int pid = 0;
    char line[256];
    while (fgets(line, sizeof line, status)) {
        if (sscanf(line, "TracerPid: %d", &pid) == 1) break;
    }
    fclose(status);
    return pid;
}

void wait_for_debugger() {
    log_line("waiting for a debugger: gdb -p %d", static_cast<int>(getpid()));
    while (tracer_pid() == 0) usleep(100'000);
}

AEEResult hello(const control_packet &packet, std::vector<uint8_t> *out) {
    const auto request = packet.as<hello_request>();
    session_device &device = this_device();
    device.description = request.device;
    device.library_arch = request.device.arch;
    char name[64];
    snprintf(name, sizeof name, "%.31s:%u", request.domain, request.session);
    set_session_name(name);
    // VTCM and the heap live in the same range.
    const uint64_t own = request.device.vtcm_bytes + heap_bytes + (64u << 20);
    const uint64_t reserved = low_memory::reserved_bytes();
    device.window_bytes = std::min(request.device.window_bytes, reserved > own ? reserved - own : 0);
    append(*out, hello_answer{device.window_bytes});
    if (request.device.wait_for_debugger) wait_for_debugger();
    return AEE_SUCCESS;
}

AEEResult serve(control_packet &packet, std::vector<uint8_t> *out) {
    switch (packet.header.kind) {
        case request_kind::hello: return hello(packet, out);
        case request_kind::open: {
            auto request = packet.as<open_request>();
            request.library[sizeof request.library - 1] = request.entry[sizeof request.entry - 1] = 0;
            request.uri[sizeof request.uri - 1] = 0;
            open_answer answer{};
            const AEEResult error = modules::open(request, &answer.module);
            append(*out, answer);
            return error;
        }
        case request_kind::close: return modules::close(packet.as<close_request>().module);
        case request_kind::invoke: return modules::invoke(packet.payload, out);
        case request_kind::map: {
            const auto request = packet.as<map_request>();
            return mappings::add(request.fd, std::move(packet.fd), request.bytes, request.when == map_now);
        }
        case request_kind::unmap: return mappings::remove(packet.as<unmap_request>().fd);
        case request_kind::add_queue: {
            const auto request = packet.as<add_queue_request>();
            return queues::add(request.id, std::move(packet.fd), request.bytes);
        }
        case request_kind::forget_queue: return queues::forget(packet.as<forget_queue_request>().id);
    }
    return AEE_EUNSUPPORTED;
}

}  // namespace

int main(int argc, char **argv) {
    set_session_name(argc > 1 ? argv[1] : "?");
    set_thread_name("rpc");
    if (!low_memory::reserve(least_low_memory)) {
        die("only %llu MiB are free below 4 GiB, %llu are needed", static_cast<unsigned long long>(low_memory::reserved_bytes() >> 20),
            static_cast<unsigned long long>(least_low_memory >> 20));
    }
    for (;;) {
        control_packet packet;
        // Threads may be in the middle of a kernel: nothing is torn down in order.
        if (receive_packet(control_fd, &packet, time_limit::never()) != transfer_result::ok) _exit(0);
        std::vector<uint8_t> out;
        const AEEResult result = serve(packet, &out);
        const control_header header{packet.header.kind, result, packet.header.serial};
        if (send_packet(control_fd, header, out, -1, time_limit::never()) != transfer_result::ok) _exit(0);
    }
}
