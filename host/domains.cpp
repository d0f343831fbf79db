// host/domains.cpp
#include "host/domains.h"

#include <algorithm>
#include <cstring>

#include "host/device_spec.h"
#include "host/log.h"

namespace hexane::host {

namespace {

const std::vector<domain> &static_domains() {
    static const std::vector<domain> table = {{0, 3, "cdsp"}, {1, 4, "cdsp1"}};
    return table;
}

// Older drivers answer with another, shorter struct; then these fields hold nonsense.
bool makes_sense(const fastrpc_domain &d) {
    const size_t length = strnlen(d.name, sizeof d.name);
    const bool printable = length > 0 && length < sizeof d.name &&
                           std::all_of(d.name, d.name + length, [](char c) { return c > ' ' && c < 0x7f; });
    return printable && d.id >= 0 && d.type >= FASTRPC_ALL_DOMAINS && d.type <= FASTRPC_HPASS &&
           (d.status == 0 || d.status == 1);
}

std::vector<fastrpc_domain> request_domains(const fastrpc &rpc) {
    system_req_payload request{};
    request.id = FASTRPC_GET_DOMAINS;
    if (!rpc.system_request || rpc.system_request(&request) != AEE_SUCCESS) return {};
    const int announced = request.sys.num_domains;
    if (announced <= 0 || announced > 64) return {};
    // Twice the room: a driver with larger entries must not write past the end.
    std::vector<fastrpc_domain> entries(static_cast<size_t>(announced) * 2);
    request = {};
    request.id = FASTRPC_GET_DOMAINS;
    request.sys.domains = entries.data();
    request.sys.max_domains = announced;
    if (rpc.system_request(&request) != AEE_SUCCESS || request.sys.num_domains > announced ||
        request.sys.num_domains < 0)
        return {};
    entries.resize(static_cast<size_t>(request.sys.num_domains));
    return std::all_of(entries.begin(), entries.end(), makes_sense) ? entries : std::vector<fastrpc_domain>();
}

}  // namespace

std::vector<domain> find_domains(const fastrpc &rpc) {
    const std::vector<fastrpc_domain> entries = request_domains(rpc);
    if (entries.empty()) return static_domains();
    std::vector<domain> found;
    for (const fastrpc_domain &e : entries) {
        if (e.type != FASTRPC_NSP) continue;
        if (e.status == 0) {
            log_line(log_level::warn, "core %d (%s) is down", e.instance_id, e.name);
            continue;
        }
        if (e.instance_id < 0 || e.instance_id >= static_cast<int>(max_cores)) continue;
        found.push_back({static_cast<uint32_t>(e.instance_id), e.id, e.name});
    }
    return found;
}

uint32_t query_arch(const fastrpc &rpc, const domain &d) {
    remote_dsp_capability capability{static_cast<uint32_t>(d.id), ARCH_VER, 0};
    if (rpc.control(DSPRPC_GET_DSP_INFO, &capability, sizeof capability) != AEE_SUCCESS) return 0;
    const uint32_t digits = capability.capability & 0xff;  // 0x79 is v79
    return (digits >> 4) * 10 + (digits & 15);
}

}  // namespace hexane::host
