// virtual/driver/directory.cpp -- which steps are allowed when.
#include "virtual/driver/directory.h"

#include <charconv>

#include "virtual/driver/export.h"
#include "virtual/driver/log.h"

namespace hexane::virt {

namespace {

constexpr int first_domain_id = 1000;
constexpr int effective_factor = 100;
constexpr int static_first_id = 3;  // cdsp, cdsp1

// Handles look like nothing in particular.
constexpr remote_handle64 handle_base = 0x5e55'0000'0000ull;

}  // namespace

directory &the_directory() {
    static directory &d = *new directory;  // never destroyed: exit() may come while sessions are open
    return d;
}

std::string core_name(uint32_t core) { return "nsp" + std::to_string(first_domain_id + core); }
int core_domain_id(uint32_t core) { return first_domain_id + static_cast<int>(core); }

std::optional<uint32_t> directory::core_of_name(std::string_view name) {
    const uint32_t cores = described_device().n_cores;
    for (uint32_t core = 0; core < cores; ++core) {
        if (name == core_name(core)) return core;
    }
    if (name == "cdsp") return 0;
    if (name == "cdsp1" && cores > 1) return 1;
    return {};
}

std::optional<uint32_t> directory::core_of_id(int id) {
    const uint32_t cores = described_device().n_cores;
    for (uint32_t core = 0; core < cores; ++core) {
        if (id == core_domain_id(core) || (core < 2 && id == static_first_id + static_cast<int>(core))) return core;
    }
    if (const auto where = place_of(id)) return where->core;
    return {};
}

std::optional<directory::place> directory::place_of(int effective_id) {
    if (effective_id == -1) return place{0, 0};
    const int core = effective_id / effective_factor - first_domain_id;
    const int number = effective_id % effective_factor;
    if (core < 0 || core >= static_cast<int>(described_device().n_cores) || number < 0 ||
        number >= static_cast<int>(sessions_per_core)) {
        return {};
    }
    return place{static_cast<uint32_t>(core), static_cast<uint32_t>(number)};
}

directory::slot &directory::at(uint32_t core, uint32_t number) { return slots_[{core, number}]; }

AEEResult directory::reserve(uint32_t core, uint32_t *number, uint32_t *effective) {
    const std::lock_guard guard(lock_);
    for (uint32_t n = 1; n < sessions_per_core; ++n) {
        slot &s = at(core, n);
        if (s.reserved) continue;
        s.reserved = true;
        *number = n;
        *effective = static_cast<uint32_t>(core_domain_id(core) * effective_factor) + n;
        return AEE_SUCCESS;
    }
    return AEE_ENOSESSION;
}

AEEResult directory::effective_id(uint32_t core, uint32_t number, uint32_t *effective) {
    if (number >= sessions_per_core) return AEE_EBADPARM;
    *effective = static_cast<uint32_t>(core_domain_id(core) * effective_factor) + number;
    return AEE_SUCCESS;
}

AEEResult directory::allow_unsigned(int effective_id, bool enable) {
    const auto where = place_of(effective_id);
    if (!where) {
        log_line("DSPRPC_CONTROL_UNSIGNED_MODULE: %d is not an effective domain id", effective_id);
        return AEE_EINVALIDDOMAIN;
    }
    const std::lock_guard guard(lock_);
    slot &s = at(where->core, where->number);
    if (s.running) {
        log_line("DSPRPC_CONTROL_UNSIGNED_MODULE comes too late: session %s is open", s.running->name().c_str());
        return AEE_EBADSTATE;
    }
    s.unsigned_allowed = enable;
    return AEE_SUCCESS;
}

AEEResult directory::check_open(const module_uri &uri, place *where) {
    const auto core = core_of_name(uri.domain);
    if (!core || uri.session >= sessions_per_core) {
        log_line("open of %s: there is no domain '%s' with a session %u", uri.text.c_str(), uri.domain.c_str(),
                 uri.session);
        return AEE_EINVALIDDOMAIN;
    }
    *where = {*core, uri.session};
    const std::lock_guard guard(lock_);
    slot &s = at(where->core, where->number);
    if (where->number > 0 && !s.reserved) {
        log_line("open of %s: session %u was not reserved (FASTRPC_RESERVE_NEW_SESSION)", uri.text.c_str(),
                 uri.session);
        return AEE_ENOSESSION;
    }
    if (!s.unsigned_allowed) {
        log_line("open of %s: unsigned modules were not allowed before (DSPRPC_CONTROL_UNSIGNED_MODULE)",
                 uri.text.c_str());
        return platform::npu_aee(0x06);
    }
    if (s.running && !s.running->alive()) {
        log_line("open of %s: session %s has died, close its handles first", uri.text.c_str(),
                 s.running->name().c_str());
        return AEE_ECONNRESET;
    }
    return AEE_SUCCESS;
}

AEEResult directory::open(const module_uri &uri, remote_handle64 *handle) {
    const std::lock_guard one_at_a_time(open_lock_);
    place where{};
    if (const AEEResult e = check_open(uri, &where)) return e;
    std::shared_ptr<session> s;
    {
        const std::lock_guard guard(lock_);
        s = at(where.core, where.number).running;
    }
    const bool first = !s;
    if (first) s = session::start(described_device(), core_name(where.core), where.number);
    uint32_t id = 0;
    const AEEResult e = s ? s->open_module(uri, &id) : AEE_ECONNREFUSED;
    if (e && first && s) s->shut_down();
    const std::lock_guard guard(lock_);
    if (e) {
        if (first) slots_.erase({where.core, where.number});
        return e;
    }
    at(where.core, where.number).running = s;
    *handle = handle_base + 0x10 * ++opened_;
    modules_.emplace(*handle, module{where.core, where.number, s, id});
    return AEE_SUCCESS;
}

AEEResult directory::close(remote_handle64 handle) {
    const std::lock_guard one_at_a_time(open_lock_);
    const auto m = find(handle);
    if (!m) return AEE_EINVHANDLE;
    const AEEResult e = m->owner->close_module(m->id);
    const bool last = !m->owner->has_modules();
    if (last) m->owner->shut_down();
    const std::lock_guard guard(lock_);
    modules_.erase(handle);
    if (last) slots_.erase({m->core, m->number});
    return e == AEE_ECONNRESET ? AEE_SUCCESS : e;  // the handle of a dead session is closed as well
}

std::optional<directory::module> directory::find(remote_handle64 handle) {
    const std::lock_guard guard(lock_);
    const auto found = modules_.find(handle);
    if (found == modules_.end()) return {};
    return found->second;
}

bool directory::knows(remote_handle64 handle) { return find(handle).has_value(); }

AEEResult directory::invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments) {
    const auto m = find(handle);
    return m ? m->owner->invoke(m->id, scalars, arguments) : AEE_EINVHANDLE;
}

std::shared_ptr<session> directory::running(int effective_id) {
    const auto where = place_of(effective_id);
    if (!where) return nullptr;
    const std::lock_guard guard(lock_);
    return at(where->core, where->number).running;
}

}  // namespace hexane::virt
