// host/device_spec.h -- the grammar of GGML_HEXAGON_DEVICES.
//
//   list   = number | item { "," item }          number N: HTP0 .. HTP<N-1>, all on core 0, virtual session i
//   item   = "HTP" core [ ":" session ]          one session on one core
//          | name [ ":" session ] "[" members [ ":" session ] "]"     a group: one device, several cores
//   members = core | core "-" core, separated by ","
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexane::host {

// llama.cpp aborts with more than 16 backends, and the CPU is one of them.
inline constexpr uint32_t max_devices = 15;
inline constexpr uint32_t max_cores = 16;             // physical indices 0 .. 15
inline constexpr uint32_t max_virtual_sessions = 16;  // per core; the driver may have fewer

struct device_spec {
    std::string name;               // as ggml shows it
    uint32_t core = 0;              // physical index, the `instance_id` of the driver
    uint32_t virtual_session = 0;   // sessions of one core are numbered from 0
    std::vector<uint32_t> members;  // of a group, all cores of it; empty otherwise
    bool is_group() const { return !members.empty(); }
};

struct device_list {
    std::vector<device_spec> devices;
    std::string problem;  // empty when the text was right; then there is at least one device
};

// The whole text is right or it is refused: a typing error must not silently change which devices a program gets.
device_list parse_device_list(std::string_view text);

}  // namespace hexane::host
