// tests/fuzz/options.cpp -- any environment: options within their ranges, at most one line per variable, no exception.
//
// Input: lines; the first byte of each picks the variable, the rest is its value.
#include <map>
#include <string_view>

#include "abi/arch.h"
#include "abi/batch.h"
#include "host/op_table.h"
#include "host/options.h"
#include "tests/fuzz/expect.h"

namespace hexane::fuzz {
namespace {

using namespace host;

using values = std::map<std::string, std::string, std::less<>>;

values environment_of(std::string_view text) {
    static const std::vector<option_help> variables = option_table();
    values env;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        // A variable of the environment ends at the first zero.
        const std::string_view line = text.substr(0, std::min(text.find('\0'), end));
        if (!line.empty()) env[variables[static_cast<uint8_t>(line[0]) % variables.size()].name] = line.substr(1);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return env;
}

void check(const options &o) {
    constexpr uint64_t mib = 1u << 20;
    expect(!o.devices.empty() && o.devices.size() <= max_devices, "a number of devices that cannot be");
    expect(o.arch == 0 || is_known(static_cast<arch>(o.arch)), "arch");
    expect(o.window_bytes <= 4032 * mib && o.max_buffer_bytes >= mib && o.max_buffer_bytes <= 4032 * mib, "window");
    expect(o.ops_per_batch >= 1 && o.ops_per_batch <= max_batch_ops, "ops per batch");
    expect(o.queue_depth >= 1 && o.queue_depth <= 256, "queue depth");
    expect(o.verbosity >= 0 && o.verbosity <= 9, "verbosity");
    expect(o.profile <= profile_mode::trace && (o.counter_events.empty() || o.counter_events.size() == 8), "profile");
    expect(o.trace_records <= 1u << 20 && o.n_hvx <= max_threads && o.n_hmx <= 1, "traces or threads");
    expect(o.mm_select <= 2 && o.fa_select <= 2 && o.gdn_select <= 2 && o.ar_select <= 2, "select");
    expect(o.deadline_seconds >= 1 && o.deadline_seconds <= 86400, "deadline");
    expect(o.filter.has_value() == !o.filter_text.empty(), "a filter without a text, or the other way round");
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    const fuzz::values env = fuzz::environment_of({reinterpret_cast<const char *>(bytes), n});
    size_t lines = 0;
    const host::options o = host::read_options(
        [&](const char *name) {
            const auto found = env.find(name);
            return found == env.end() ? nullptr : found->second.c_str();
        },
        [&](host::log_level, const std::string &) { ++lines; });
    fuzz::expect(lines <= env.size(), "more lines than variables");
    fuzz::check(o);
    // The filter meets the names of all ops of ggml.
    const host::op_table ops(o);
    return 0;
}
