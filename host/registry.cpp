// host/registry.cpp
#include "host/registry.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "abi/arch.h"
#include "host/log.h"

namespace hexane::host {

namespace {

constexpr uint32_t oldest_arch = static_cast<uint32_t>(arch::v73), newest_arch = static_cast<uint32_t>(arch::v81);

// The architecture to use for a core: the wish of the user, else what the driver says, within what we have libraries
// for. 0: none.
uint32_t choose_arch(const fastrpc &rpc, const domain &core, const options &o, const std::string &device) {
    if (o.arch) return o.arch;
    const uint32_t found = query_arch(rpc, core);
    if (found == 0) {
        log_line(log_level::warn, "%s the driver does not tell the architecture, using v%u (GGML_HEXAGON_ARCH)",
                 device.c_str(), oldest_arch);
        return oldest_arch;
    }
    if (found < oldest_arch) {
        log_line(log_level::warn, "%s is a v%u core, older than v%u: not registered", device.c_str(), found,
                 oldest_arch);
        return 0;
    }
    // Newer cores run the libraries of older ones.
    uint32_t usable = oldest_arch;
    for (const arch a : {arch::v73, arch::v75, arch::v79, arch::v81}) {
        if (static_cast<uint32_t>(a) <= found) usable = static_cast<uint32_t>(a);
    }
    if (found > newest_arch)
        log_line(log_level::info, "%s is a v%u core, using the library for v%u", device.c_str(), found, usable);
    return usable;
}

}  // namespace

registry &registry::get() {
    static registry *const instance = [] {
        auto *r = new registry;
        std::atexit(&registry::at_exit);
        return r;
    }();
    return *instance;
}

registry::registry() : options_(read_options()) {
    set_verbosity(options_.verbosity);
    ops_ = std::make_unique<op_table>(options_);
    std::string why;
    if (!rpc_.load(options_.driver, &why)) {
        log_line(log_level::warn, "no devices: %s", why.c_str());
        return;
    }
    if (verbose()) log_line(log_level::debug, "driver %s", rpc_.path.c_str());
    recorder_ = recorder::create(options_);
    const std::vector<domain> domains = find_domains(rpc_);
    for (const device_spec &spec : options_.devices) add_device(spec, domains);
}

void registry::add_device(const device_spec &spec, const std::vector<domain> &domains) {
    const auto core =
        std::find_if(domains.begin(), domains.end(), [&](const domain &d) { return d.core == spec.core; });
    if (core == domains.end()) {
        log_line(log_level::warn, "%s not registered: there is no NPU core %u, or it is down", spec.name.c_str(),
                 spec.core);
        return;
    }
    if (!has_session_left(spec)) {
        log_line(log_level::warn, "%s not registered: core %u has %u sessions, and the devices before it take them",
                 spec.name.c_str(), spec.core, sessions_per_core);
        return;
    }
    const uint32_t arch_version = choose_arch(rpc_, *core, options_, spec.name);
    if (!arch_version) return;
    devices_.push_back(std::make_unique<device>(rpc_, options_, *ops_, spec, *core, arch_version));
    devices_.back()->record_to(recorder_.get());
    devices_.back()->on_session_closed([this] { write_statistics(); });
}

// Nothing is opened or reserved yet, so the driver cannot be asked; what it has is known.
bool registry::has_session_left(const device_spec &spec) const {
    const auto reserved = std::count_if(devices_.begin(), devices_.end(), [&](const auto &d) {
        return d->spec().core == spec.core && d->spec().virtual_session > 0;
    });
    return spec.virtual_session == 0 || reserved + 1 < sessions_per_core;
}

void registry::write_statistics() const {
    if (options_.stats_file.empty()) return;
    stats::totals all;
    std::string names;
    for (const auto &d : devices_) {
        const stats::totals one = d->sums().read();
        if (!one.sessions) continue;
        all.add(one);
        names += (names.empty() ? "" : ", ") + d->name() + " v" + std::to_string(d->arch_version());
    }
    if (all.sessions) write_stats(options_.stats_file, to_json(all, names, *ops_));
}

// All at once: one that does not answer takes its time until it is killed, and the others should not wait for it.
void registry::close_sessions() {
    std::vector<std::jthread> closers;
    for (const auto &d : devices_) {
        try {
            closers.emplace_back([&d] { d->close_at_exit(); });
        } catch (const std::system_error &) {
            d->close_at_exit();  // no thread to be had
        }
    }
}

void registry::at_exit() {
    try {
        registry &r = get();
        r.close_sessions();
        r.write_statistics();
    } catch (...) {
        // The process ends anyway.
    }
}

}  // namespace hexane::host
