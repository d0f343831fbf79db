// host/options.h -- every environment variable of the plug-in, read in one place.
//
// A bad value gets exactly one line that names the variable, the value and what is allowed; the default is used.
// Nothing here throws or ends the process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "fusion/rules.h"
#include "host/device_spec.h"
#include "host/log.h"

namespace hexane::host {

enum class tile_policy {
    weights,  // quantised tensors of weight buffers
    all,      // every quantised tensor that is not a view, for tests
    none,     // ggml's block layout everywhere
};

enum class profile_mode : uint32_t { off = 0, times = 1, counters = 2, trace = 3 };

struct options {
    std::vector<device_spec> devices;                // DEVICES, NDEV; never empty
    uint32_t arch = 0;                               // ARCH; 0: ask the driver
    uint64_t window_bytes = 0;                       // VMEM; 0: the default of the arch
    uint64_t max_buffer_bytes = 1ull << 30;          // MBUF
    uint32_t ops_per_batch = 1280;                   // OPBATCH
    uint32_t queue_depth = 32;                       // OPQUEUE, batches in flight
    bool poll = false;                               // OPPOLL: spin for responses
    fusion::rule_mask fusions = fusion::every_rule;  // OPFUSION
    std::string filter_text;                         // OPFILTER
    std::optional<std::regex> filter;
    int32_t verbosity = 0;  // VERBOSE
    profile_mode profile = profile_mode::off;
    std::vector<uint32_t> counter_events;  // eight, or empty
    uint32_t trace_records = 0;            // OPTRACE, per thread and batch; 0: default
    bool etm = false;                      // ETM
    uint32_t n_hvx = 0;                    // NHVX; 0: all
    uint32_t n_hmx = 1;                    // NHMX; 0: do not use the matrix unit
    uint32_t mm_select = 2;                // MM_SELECT; 0: no MUL_MAT
    uint32_t fa_select = 2;
    uint32_t gdn_select = 2;
    uint32_t ar_select = 2;
    bool host_buffers = false;  // HOSTBUF
    bool dma64 = false;         // DMA64
    std::string driver;         // DRIVER, path of the FastRPC library; empty: find one
    tile_policy tiles = tile_policy::weights;
    uint32_t deadline_seconds = 60;       // DEADLINE, without progress
    std::string stats_file;               // STATS; empty: none
    std::string record_folder;            // RECORD; empty: none
    uint32_t record_copies = 4;           // RECORD_MAX; 0: all
    uint64_t record_bytes = 16ull << 20;  // RECORD_MIB, of the operands of one op

    bool wants_reports() const { return !stats_file.empty() || profile != profile_mode::off; }
};

// Value of an environment variable or null, as getenv() has it.
using environment = std::function<const char *(const char *name)>;
using line_sink = std::function<void(log_level, const std::string &)>;

options read_options(const environment &env, const line_sink &say);

// From the environment of the process, to the log.
options read_options();

// One row of the table of variables, for documentation and tests.
struct option_help {
    const char *name;  // with the prefix
    const char *allowed;
    const char *fallback;  // default, in words
    const char *meaning;
};
std::vector<option_help> option_table();

}  // namespace hexane::host
