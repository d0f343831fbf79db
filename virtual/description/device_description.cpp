// virtual/description/device_description.cpp -- parser of GGML_HEXAGON_VIRTUAL.
#include "virtual/description/device_description.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>

namespace hexane::virt {

namespace {

constexpr uint64_t kib = 1u << 10, mib = 1u << 20, gib = 1u << 30;
constexpr uint64_t default_window_v73 = 3000 * mib;
constexpr uint64_t default_window = 3200 * mib;

struct named_level {
    const char *name;
    library_level level;
};
constexpr named_level levels[] = {{"v2", library_level::v2},         {"v3", library_level::v3},
                                  {"v3vnni", library_level::v3vnni}, {"v4", library_level::v4},
                                  {"v4vnni", library_level::v4vnni}, {"arm64", library_level::arm64},
                                  {"auto", library_level::automatic}};

struct named_mode {
    const char *name;
    session_mode mode;
};
constexpr named_mode modes[] = {
    {"fast", session_mode::fast}, {"qemu", session_mode::qemu}, {"strict", session_mode::strict}};

struct named_fault {
    const char *name;
    fault_kind kind;
};
constexpr named_fault faults[] = {{"open", fault_open},   {"map", fault_map},        {"alloc", fault_alloc},
                                  {"delay", fault_delay}, {"drop", fault_drop},      {"code", fault_code},
                                  {"kill", fault_kill},   {"corrupt", fault_corrupt}};

constexpr const char *log_levels[] = {"low", "medium", "high", "error", "fatal"};

constexpr char allowed_text[] =
    "v73 v75 v79 v81, threads=1..16, vtcm=128K..64M, cores=1..8, hmx=0..1, window=64M..3500M, mode=fast|qemu|strict|faulty, seed=0..4294967295, op_ms=0..60000, "
    "faulty=open+map+alloc+delay+drop+code+kill+corrupt, fault_rate=1..100, fault_calls=0..1000000, "
    "level=auto|v2|v3|v3vnni|v4|v4vnni|arm64, inplace=0|1, discovery=0|1, log=low|medium|high|error|fatal, wait_for_debugger";

uint32_t online_cores() {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return static_cast<uint32_t>(std::clamp<long>(n, 1, max_threads));
}

// "8M" and the like; plain numbers are themselves.
bool parse_number(std::string_view text, uint64_t *value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error != std::errc{}) return false;
    const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
    uint64_t factor = 0;
    if (unit.empty())
        factor = 1;
    else if (unit == "K" || unit == "k")
        factor = kib;
    else if (unit == "M" || unit == "m")
        factor = mib;
    else if (unit == "G" || unit == "g")
        factor = gib;
    if (factor == 0 || *value > UINT64_MAX / factor) return false;
    *value *= factor;
    return true;
}

class parser {
  public:
    explicit parser(std::string_view text) : text_(text) {}

    parsed_description run() {
        out_.device.n_threads = online_cores();
        for (size_t at = 0; at <= text_.size();) {
            const size_t end = std::min(text_.find(',', at), text_.size());
            if (end > at) item(text_.substr(at, end - at));
            at = end + 1;
        }
        device_description &d = out_.device;
        if (d.mode == session_mode::qemu) adopt_qemu_arch();
        if (d.window_is_default) d.window_bytes = d.arch == arch::v73 ? default_window_v73 : default_window;
        return std::move(out_);
    }

  private:
    void item(std::string_view item) {
        const size_t equals = item.find('=');
        const std::string_view key = item.substr(0, equals);
        const std::string_view value = equals == item.npos ? std::string_view() : item.substr(equals + 1);
        device_description &d = out_.device;
        bool understood = false;
        if (key.size() > 1 && key[0] == 'v' && key[1] >= '0' && key[1] <= '9' && equals == item.npos)
            understood = arch_name(key);
        else if (key == "arch")
            understood = arch_name(value);
        else if (key == "threads")
            understood = number(value, 1, max_threads, &d.n_threads);
        else if (key == "cores")
            understood = number(value, 1, 8, &d.n_cores);
        else if (key == "hmx")
            understood = number(value, 0, 1, &d.n_hmx);
        else if (key == "vtcm")
            understood = bytes(value, 128 * kib, 64 * mib, &d.vtcm_bytes) && (d.vtcm_bytes &= ~uint64_t{4095});
        else if (key == "window")
            understood = bytes(value, 64 * mib, 3500 * mib, &d.window_bytes) && !(d.window_is_default = 0);
        else if (key == "inplace")
            understood = number(value, 0, 1, &d.in_place);
        else if (key == "discovery")
            understood = number(value, 0, 1, &d.discovery);
        else if (key == "level")
            understood = level_name(value);
        else if (key == "log")
            understood = log_name(value);
        else if (key == "seed")
            understood = number(value, 0, UINT32_MAX, &d.seed);
        else if (key == "op_ms")
            understood = number(value, 0, 60'000, &d.op_ms);
        else if (key == "mode")
            return mode(item, value);
        else if (item == "qemu" || item == "strict")
            return mode(item, item);
        else if (item == "faulty")
            understood = (d.faulty = all_faults);
        else if (key == "faulty")
            understood = fault_names(value);
        else if (key == "fault_rate")
            understood = number(value, 1, 100, &d.fault_rate);
        else if (key == "fault_calls")
            understood = number(value, 0, 1'000'000, &d.fault_calls);
        else if (key == "wait_for_debugger")
            understood = switch_on(item, value, &d.wait_for_debugger);
        if (!understood) complain(item, std::string("allowed: ") + allowed_text + "; this item is ignored");
    }

    void complain(std::string_view item, const std::string &what) {
        out_.complaints.push_back(std::string(description_variable) + "='" + std::string(text_) + "': '" +
                                  std::string(item) + "': " + what);
    }

    bool arch_name(std::string_view name) {
        uint64_t version = 0;
        if (name.size() < 2 || name[0] != 'v' || !parse_number(name.substr(1), &version)) return false;
        const auto a = static_cast<arch>(version);
        if (version > 0xffff || !is_known(a)) return false;
        out_.device.arch = a;
        named_arch_ = name;
        return true;
    }

    // The program for qemu is v73 code.
    void adopt_qemu_arch() {
        if (!named_arch_.empty() && out_.device.arch != arch::v73)
            complain(named_arch_, "allowed with mode=qemu: v73; v73 is used");
        out_.device.arch = arch::v73;
    }

    static bool number(std::string_view text, uint64_t least, uint64_t most, uint32_t *field) {
        uint64_t wide = 0;
        if (!bytes(text, least, most, &wide)) return false;
        *field = static_cast<uint32_t>(wide);
        return true;
    }

    static bool bytes(std::string_view text, uint64_t least, uint64_t most, uint64_t *field) {
        uint64_t value = 0;
        if (!parse_number(text, &value) || value < least || value > most) return false;
        *field = value;
        return true;
    }

    static bool switch_on(std::string_view item, std::string_view value, uint32_t *field) {
        if (item.find('=') != item.npos) return number(value, 0, 1, field);
        *field = 1;
        return true;
    }

    bool level_name(std::string_view name) {
        for (const named_level &l : levels) {
            if (name == l.name) return out_.device.level = l.level, true;
        }
        return false;
    }

    bool log_name(std::string_view name) {
        for (uint32_t i = 0; i < std::size(log_levels); ++i) {
            if (name == log_levels[i]) return out_.device.log_level = i, true;
        }
        return false;
    }

    // "drop+kill"; nothing changes unless every name is known.
    bool fault_names(std::string_view names) {
        uint32_t kinds = 0;
        for (size_t at = 0; at <= names.size();) {
            const size_t end = std::min(names.find('+', at), names.size());
            const uint32_t kind = fault_of(names.substr(at, end - at));
            if (!kind) return false;
            kinds |= kind;
            at = end + 1;
        }
        out_.device.faulty = kinds;
        return true;
    }
    static uint32_t fault_of(std::string_view name) {
        for (const named_fault &f : faults) {
            if (name == f.name) return f.kind;
        }
        return 0;
    }

    void mode(std::string_view item, std::string_view name) {
        device_description &d = out_.device;
        for (const named_mode &m : modes) {
            if (name == m.name) return void(d.mode = m.mode);
        }
        if (name != "faulty") return complain(item, "allowed: mode=fast|qemu|strict|faulty; this item is ignored");
        d.mode = session_mode::fast;
        if (!d.faulty) d.faulty = all_faults;
    }

    std::string_view text_;
    std::string_view named_arch_;  // empty: the default
    parsed_description out_;
};

void print_once(const std::string &text, const std::vector<std::string> &complaints) {
    static std::mutex &lock = *new std::mutex;
    static std::set<std::string> &seen = *new std::set<std::string>;
    const std::lock_guard guard(lock);
    if (complaints.empty() || !seen.insert(text).second) return;
    for (const std::string &line : complaints) fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

const char *to_string(library_level level) {
    for (const named_level &l : levels) {
        if (l.level == level) return l.name;
    }
    return "?";
}

const char *to_string(fault_kind kind) {
    for (const named_fault &f : faults) {
        if (f.kind == kind) return f.name;
    }
    return "?";
}

parsed_description parse_description(std::string_view text) { return parser(text).run(); }

device_description described_device() {
    const char *value = getenv(description_variable);
    const std::string text = value ? value : "";
    const parsed_description parsed = parse_description(text);
    print_once(text, parsed.complaints);
    return parsed.device;
}

}  // namespace hexane::virt
