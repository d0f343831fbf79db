// host/domains.h -- which NPU cores the driver knows, without opening a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/fastrpc.h"

namespace hexane::host {

// One NPU core. `id` is opaque; `name` goes into URIs and session requests.
struct domain {
    uint32_t core;  // physical index
    int id;
    std::string name;
};

// Sessions that a core has for one process: the first, which needs no reservation, and those that can be reserved
// (FASTRPC_RESERVE_NEW_SESSION; NUM_SESSIONS of the driver).
inline constexpr uint32_t sessions_per_core = 4;

// The cores that are up. Drivers without the request, or with an answer that makes no sense, get the static table: core
// 0 is "cdsp" (id 3), core 1 is "cdsp1" (id 4).
std::vector<domain> find_domains(const fastrpc &rpc);

// Version number of a core's architecture: 73, 75, ...; 0 when the driver does not say.
uint32_t query_arch(const fastrpc &rpc, const domain &d);

}  // namespace hexane::host
