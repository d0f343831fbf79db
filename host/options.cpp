// host/options.cpp -- the table of variables and the parser of each kind of value.
#include "host/options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "abi/arch.h"
#include "abi/batch.h"
#include "host/option_names.h"

namespace hexane::host {

namespace {

// Parses one value into the options. False: not usable; `why` may say more than the row does.
using parser = bool (*)(std::string_view value, options &o, std::string &why);

struct row {
    option_help help;
    parser parse;
    bool used;  // false: accepted, but nothing reads it yet
};

// A whole number, decimal or 0x..., within [low, high].
bool number(std::string_view s, uint64_t low, uint64_t high, uint64_t *out) {
    int base = 10;
    if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        s.remove_prefix(2);
        base = 16;
    }
    if (s.empty() || s[0] == '-') return false;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out, base);
    return error == std::errc() && end == s.data() + s.size() && *out >= low && *out <= high;
}

template <auto Member, uint64_t Low, uint64_t High, uint64_t Unit = 1> bool to_number(std::string_view s, options &o,
                                                                                      std::string &) {
    uint64_t v = 0;
    if (!number(s, Low, High, &v)) return false;
    using member_type = std::remove_reference_t<decltype(o.*Member)>;
    o.*Member = static_cast<member_type>(v * Unit);
    return true;
}

template <auto Member> bool to_text(std::string_view s, options &o, std::string &) {
    if (s.empty()) return false;
    o.*Member = std::string(s);
    return true;
}

bool to_devices(std::string_view s, options &o, std::string &why) {
    device_list list = parse_device_list(s);
    for (const device_spec &d : list.devices) {
        if (list.problem.empty() && d.is_group()) list.problem = "groups of cores, in brackets, are not available yet";
    }
    why = list.problem;
    if (!why.empty()) return false;
    o.devices = std::move(list.devices);
    return true;
}

bool to_arch(std::string_view s, options &o, std::string &) {
    if (!s.empty() && (s[0] == 'v' || s[0] == 'V')) s.remove_prefix(1);
    uint64_t v = 0;
    if (!number(s, 73, 81, &v) || !is_known(static_cast<arch>(v))) return false;
    o.arch = static_cast<uint32_t>(v);
    return true;
}

// A number as Hexagon users know it, or names.
bool to_fusions(std::string_view s, options &o, std::string &why) {
    int32_t v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (error == std::errc() && end == s.data() + s.size()) {
        if (v < -1 || v > 127) return false;
        o.fusions = v <= 0 ? 0 : v == 1 ? fusion::every_rule : fusion::rules_of_bits(static_cast<uint32_t>(v));
        return true;
    }
    std::string unknown;
    const auto named = fusion::rules_named(s, &unknown);
    if (named)
        o.fusions = *named;
    else
        why = "there is no fusion '" + unknown + "'";
    return named.has_value();
}

// The library's usual matcher tries one way after the other and takes for ever with some patterns. This one goes all ways at once,
// and takes no back references.
#ifdef __GLIBCXX__
constexpr auto filter_syntax = std::regex::ECMAScript | std::regex::icase | std::regex_constants::__polynomial;
#else
constexpr auto filter_syntax = std::regex::ECMAScript | std::regex::icase;
#endif

bool to_filter(std::string_view s, options &o, std::string &why) {
    if (s.empty() || s.size() > 1000) return false;
    try {
        o.filter.emplace(std::string(s), filter_syntax);
    } catch (const std::regex_error &e) {
        why = e.what();
        return false;
    }
    o.filter_text = std::string(s);
    return true;
}

// One mode, or the eight event numbers of mode 2.
bool to_profile(std::string_view s, options &o, std::string &) {
    std::vector<uint32_t> values;
    for (size_t begin = 0; begin <= s.size() && values.size() < 9;) {
        const size_t end = std::min(s.find(',', begin), s.size());
        uint64_t v = 0;
        if (!number(s.substr(begin, end - begin), 0, 0xffff, &v)) return false;
        values.push_back(static_cast<uint32_t>(v));
        begin = end + 1;
    }
    if (values.size() == 1 && values[0] <= 3) {
        o.profile = static_cast<profile_mode>(values[0]);
        return true;
    }
    if (values.size() != 8) return false;
    o.profile = profile_mode::counters;
    o.counter_events = std::move(values);
    return true;
}

bool to_tiles(std::string_view s, options &o, std::string &) {
    if (s == "weights")
        o.tiles = tile_policy::weights;
    else if (s == "all")
        o.tiles = tile_policy::all;
    else if (s == "none")
        o.tiles = tile_policy::none;
    else
        return false;
    return true;
}

constexpr uint64_t mib = 1ull << 20;
constexpr const char *switch_text = "0 or 1";
constexpr const char *select_text = "0, 1 or 2";

const std::string fusion_text = "-1 .. 127, or names separated by commas: " + fusion::rule_names();

#define HEX_VARIABLE(suffix) "GGML_HEXAGON_" suffix

const row table[] = {
    {{HEX_VARIABLE("DEVICES"), "a number 1 .. 15, or a list of HTP<core> and HTP<core>:<session>", "HTP0",
      "devices to register"},
     to_devices,
     true},
    {{HEX_VARIABLE("NDEV"), "as GGML_HEXAGON_DEVICES", "HTP0", "old name of GGML_HEXAGON_DEVICES"}, to_devices, true},
    {{HEX_VARIABLE("ARCH"), "73, 75, 79 or 81, with or without a v", "what the driver says",
      "architecture of the NPU library"},
     to_arch,
     true},
    {{HEX_VARIABLE("VMEM"), "0 .. 4032 MiB", "3200 MiB, 3000 on v73; so does 0",
      "address space that a session's buffers may take at once"},
     to_number<&options::window_bytes, 0, 4032, mib>,
     true},
    {{HEX_VARIABLE("MBUF"), "1 .. 4032 MiB", "1024 MiB", "largest single buffer that ggml is told to ask for"},
     to_number<&options::max_buffer_bytes, 1, 4032, mib>,
     true},
    {{HEX_VARIABLE("OPBATCH"), "1 .. 4096 ops", "1280", "most ops of a batch"},
     to_number<&options::ops_per_batch, 1, max_batch_ops>,
     true},
    {{HEX_VARIABLE("OPQUEUE"), "1 .. 256 batches", "32", "most batches in flight"},
     to_number<&options::queue_depth, 1, 256>,
     true},
    {{HEX_VARIABLE("OPPOLL"), switch_text, "0", "1: spin for responses instead of sleeping"},
     to_number<&options::poll, 0, 1>,
     true},
    {{HEX_VARIABLE("OPFUSION"), fusion_text.c_str(), "1",
      "0 or -1: none, 1: all, else a bit mask or the names of the fusions to use"},
     to_fusions,
     true},
    {{HEX_VARIABLE("OPFILTER"), "a regular expression (ECMAScript) without back references", "no filter",
      "ops whose whole name matches stay off the NPU"},
     to_filter,
     true},
    {{HEX_VARIABLE("VERBOSE"), "0 .. 9", "0", "1: debug lines, 2: batches as well"},
     to_number<&options::verbosity, 0, 9>,
     true},
    {{HEX_VARIABLE("PROFILE"), "0 .. 3, or eight event numbers separated by commas", "0",
      "1: times, 2: counters, 3: trace"},
     to_profile,
     true},
    {{HEX_VARIABLE("OPTRACE"), "1 .. 1048576 records", "8192", "trace records per thread and batch"},
     to_number<&options::trace_records, 1, 1u << 20>,
     true},
    {{HEX_VARIABLE("ETM"), switch_text, "0", "instruction trace of the hardware"},
     to_number<&options::etm, 0, 1>,
     false},
    {{HEX_VARIABLE("NHVX"), "0 .. 16 threads", "0", "worker threads; 0: all that the core has"},
     to_number<&options::n_hvx, 0, max_threads>,
     true},
    {{HEX_VARIABLE("NHMX"), switch_text, "1", "0: do not use the matrix unit"}, to_number<&options::n_hmx, 0, 1>, true},
    {{HEX_VARIABLE("MM_SELECT"), select_text, "2", "MUL_MAT: 2 best unit, 1 vector unit, 0 not on the NPU"},
     to_number<&options::mm_select, 0, 2>,
     true},
    {{HEX_VARIABLE("FA_SELECT"), select_text, "2", "FLASH_ATTN_EXT: likewise"},
     to_number<&options::fa_select, 0, 2>,
     false},
    {{HEX_VARIABLE("GDN_SELECT"), select_text, "2", "GATED_DELTA_NET: likewise"},
     to_number<&options::gdn_select, 0, 2>,
     false},
    {{HEX_VARIABLE("AR_SELECT"), select_text, "2", "all-reduce: 2 native and fused, 1 native, 0 generic"},
     to_number<&options::ar_select, 0, 2>,
     false},
    {{HEX_VARIABLE("HOSTBUF"), switch_text, "0", "offer host buffers"}, to_number<&options::host_buffers, 0, 1>, false},
    {{HEX_VARIABLE("DMA64"), switch_text, "0", "map weights above 4 GiB"}, to_number<&options::dma64, 0, 1>, false},
    {{HEX_VARIABLE("DRIVER"), "path of a FastRPC library", "the device's if there is one, else the virtual one",
      "driver to load"},
     to_text<&options::driver>,
     true},
    {{HEX_VARIABLE("TILES"), "weights, all or none", "weights", "which quantised tensors are kept as tiles"},
     to_tiles,
     true},
    {{HEX_VARIABLE("DEADLINE"), "1 .. 86400 seconds", "60", "how long a session may work without finishing an op"},
     to_number<&options::deadline_seconds, 1, 86400>,
     true},
    {{HEX_VARIABLE("STATS"), "path of a file to write", "none", "counts, times and bytes per op, as JSON"},
     to_text<&options::stats_file>,
     true},
    {{HEX_VARIABLE("RECORD"), "path of a folder", "none", "each op becomes a file there, for `./hexane replay`"},
     to_text<&options::record_folder>,
     true},
    {{HEX_VARIABLE("RECORD_MAX"), "0 .. 1000000 files", "4", "most files of the same op, shapes and plan; 0: all"},
     to_number<&options::record_copies, 0, 1000000>,
     true},
    {{HEX_VARIABLE("RECORD_MIB"), "1 .. 256 MiB", "16", "larger operands of an op are left out of its file"},
     to_number<&options::record_bytes, 1, 256, mib>,
     true},
};

#undef HEX_VARIABLE

void complain(const row &r, const std::string &value, const std::string &why, const line_sink &say) {
    std::string line = std::string(r.help.name) + "='" + value + "' is not usable";
    if (!why.empty()) line += " (" + why + ")";
    say(log_level::warn, line + "; allowed: " + r.help.allowed + "; using the default: " + r.help.fallback);
}

void read_row(const row &r, const environment &env, const line_sink &say, options &o) {
    const char *value = env(r.help.name);
    if (!value) return;
    std::string why;
    bool fine = false;
    try {
        fine = r.parse(value, o, why);
    } catch (const std::exception &e) {
        why = e.what();
    }
    if (!fine) return complain(r, value, why, say);
    if (!r.used) say(log_level::info, std::string(r.help.name) + "='" + value + "' is accepted but has no effect yet");
}

// The old name counts only without the new one.
bool is_overridden(const row &r, const environment &env) {
    return std::string_view(r.help.name) == "GGML_HEXAGON_NDEV" && env("GGML_HEXAGON_DEVICES");
}

}  // namespace

options read_options(const environment &env, const line_sink &say) {
    options o;
    for (const row &r : table) {
        if (!is_overridden(r, env)) read_row(r, env, say, o);
    }
    if (o.devices.empty()) o.devices.push_back({"HTP0", 0, 0, {}});
    return o;
}

options read_options() {
    for (const std::string &line : lines_about_names(environment_names()))
        log_line(log_level::warn, "%s", line.c_str());
    return read_options([](const char *name) -> const char * { return std::getenv(name); },
                        [](log_level level, const std::string &line) { log_line(level, "%s", line.c_str()); });
}

std::vector<option_help> option_table() {
    std::vector<option_help> rows;
    for (const row &r : table) rows.push_back(r.help);
    return rows;
}

}  // namespace hexane::host
