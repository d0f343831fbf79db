// virtual/description/device_description.h -- what the virtual Snapdragon is, from one string.
//
//   GGML_HEXAGON_VIRTUAL=v73,threads=6,vtcm=1M,cores=2,window=3000M
//   GGML_HEXAGON_VIRTUAL=qemu,threads=2
//   GGML_HEXAGON_VIRTUAL=strict,faulty=drop+kill,seed=7
//
// The only place that knows the grammar, the ranges and the defaults. Driver and session share the result as a struct.
#pragma once

#include <stdint.h>

#include <string>
#include <string_view>
#include <vector>

#include "abi/arch.h"

namespace hexane::virt {

inline constexpr char description_variable[] = "GGML_HEXAGON_VIRTUAL";

// Which build of the NPU library a session loads; automatic picks by CPUID.
enum class library_level : uint32_t { automatic, v2, v3, v3vnni, v4, v4vnni, arm64 };

const char *to_string(library_level level);

// What code a session runs, and how forgiving its hardware is.
//   fast: PC code; a transfer is over when it is pushed, caches are coherent
//   qemu: Hexagon code, v73 without HVX float, in qemu-hexagon
//   strict: PC code; caches and transfers as careless code meets them on silicon (docs/hardware-model.md)
enum class session_mode : uint32_t { fast, qemu, strict };

// What the driver may do wrong, each a bit of device_description::faulty (virtual/faulty/ has the calls that it happens to).
//   open     refuses to open the NPU library
//   map      refuses to map a buffer
//   alloc    has no shared memory, or no descriptor for it
//   delay    holds a message of a queue back, for longer than the shortest deadline of the host at times
//   drop     loses a message of a queue
//   code     answers any other call with an error of the real driver, before or after it did what was asked
//   kill     ends the session's process in the middle of a batch or of a mapping
//   corrupt  hands out a response with a wrong magic, sequence or code, or only part of it
enum fault_kind : uint32_t {
    fault_open = 1,
    fault_map = 2,
    fault_alloc = 4,
    fault_delay = 8,
    fault_drop = 16,
    fault_code = 32,
    fault_kill = 64,
    fault_corrupt = 128,
};
inline constexpr uint32_t all_faults = 255;

const char *to_string(fault_kind kind);

// Travels to the session process as it is.
struct device_description {
    hexane::arch arch = hexane::arch::v79;
    uint32_t n_threads = 1;  // vector contexts and hardware threads
    uint32_t n_cores = 1;    // NPU cores, each with sessions of its own
    uint32_t n_hmx = 0;      // matrix units
    uint64_t vtcm_bytes = 8u << 20;
    uint64_t window_bytes = 0;  // what a session can map at once
    uint32_t window_is_default = 1;
    library_level level = library_level::automatic;
    uint32_t in_place = 1;  // serve contiguous read-only transfers without a copy
    uint32_t wait_for_debugger = 0;
    uint32_t discovery = 1;  // 0: remote_system_request is not supported, as with older drivers
    uint32_t log_level = 2;  // lowest HAP level that is printed: 0 low, 1 medium, 2 high, 3 error, 4 fatal
    session_mode mode = session_mode::fast;
    uint32_t seed = 1;         // of the schedules of strict sessions and of the faulty driver
    uint32_t faulty = 0;       // fault_kind bits; 0: the driver does what it is asked
    uint32_t fault_rate = 5;   // percent of the calls that something happens to
    uint32_t fault_calls = 0;  // nothing happens after this many calls of a function; 0: it never ends
    uint32_t op_ms = 0;        // least time of an op, for tests of what waits
};
// The same in 64-bit and in 32-bit processes.
static_assert(sizeof(device_description) == 80 && alignof(device_description) == 8);

// One line per item that was not understood or out of range; such an item keeps its default.
struct parsed_description {
    device_description device;
    std::vector<std::string> complaints;
};

parsed_description parse_description(std::string_view text);

// The device that the environment describes now. Complaints go to stderr, once per distinct value of the variable.
device_description described_device();

}  // namespace hexane::virt
