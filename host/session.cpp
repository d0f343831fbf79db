// host/session.cpp -- open, map, close.
#include "host/session.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <system_error>

#include "host/aee_text.h"
#include "host/log.h"
#include "host/self_test.h"
#include "host/watchdog.h"
#include "ops/all_ops.h"

namespace hexane::host {

namespace {

// A step that takes longer than this has gone wrong: loading and starting take under a second on any device.
constexpr std::chrono::milliseconds call_limit{20'000};

// An orderly end takes milliseconds: a session that does not manage it in this time, or in the deadline if that is shorter, is killed.
constexpr std::chrono::milliseconds stop_limit{2'000};

// Between killing a session's process and the driver knowing it.
constexpr std::chrono::milliseconds death_limit{2'000};

std::atomic<uint64_t> next_serial{1};

std::string search_path() {
    auto value = [](const char *name) { return std::getenv(name) ? std::getenv(name) : "(unset)"; };
    return std::string("searched DSP_LIBRARY_PATH=") + value("DSP_LIBRARY_PATH") +
           " ADSP_LIBRARY_PATH=" + value("ADSP_LIBRARY_PATH");
}

// Runs one FastRPC call with a time limit.
template <class Call>
int limited(const fastrpc &rpc, int domain, Call &&call, std::chrono::milliseconds limit = call_limit) {
    auto expire = [&rpc, domain] {
        if (domain >= 0) rpc.kill(domain);
    };
    std::optional<watchdog<decltype(expire)>> guard;
    try {
        guard.emplace(limit, expire);
    } catch (const std::system_error &) {
        // No thread to be had: better without a limit than not at all.
    }
    return call();
}

}  // namespace

struct session::step {
    const char *name;
    int (session::*run)();
};

session::session(const fastrpc &rpc, const session_config &config, std::optional<reservation> *kept)
    : rpc_(rpc),
      config_(config),
      kept_(kept),
      module_(rpc),
      queue_(rpc, config.limits),
      serial_(next_serial.fetch_add(1)) {}

session::~session() { end(); }

std::unique_ptr<session> session::open(const fastrpc &rpc, const session_config &config,
                                       std::optional<reservation> *kept, std::string *why) {
    static constexpr step steps[] = {
        {"finding the session's domain", &session::reserve},
        {"allowing unsigned modules", &session::allow_unsigned},
        {"opening the NPU library", &session::open_module},
        {"asking for the hardware", &session::read_hwinfo},
        {"asking for low latency", &session::request_latency},
        {"creating the queue", &session::create_queue},
        {"mapping the batch slots", &session::map_slots},
        {"starting the NPU side", &session::start},
        {"the known-answer test", &session::check_known_answers},
    };
    std::unique_ptr<session> s(new session(rpc, config, kept));
    for (const step &st : steps) {
        const int error = limited(rpc, s->domain_, [&] { return (s.get()->*st.run)(); });
        if (!error) continue;
        *why = std::string("session not opened, ") + st.name +
               " failed: " + (s->problem_.empty() ? aee_text(error) : s->problem_);
        if (error == platform::npu_aee(0x06)) *why += "; " + search_path();
        return nullptr;
    }
    log_line(log_level::info, "%s session open: v%u, %u of %u hvx threads, %u hmx, vtcm %u KiB, window %llu MiB, %s",
             config.name.c_str(), s->info_.arch, s->hw_.n_threads, s->info_.n_hvx, s->hw_.n_hmx,
             s->hw_.vtcm_bytes >> 10, static_cast<unsigned long long>(s->hw_.window_bytes >> 20),
             s->module_uri().c_str());
    return s;
}

int session::reserve() {
    if (config_.virtual_session > 0) {
        if (const int error = *kept_ ? AEE_SUCCESS : reserve_new()) return error;
        session_id_ = (*kept_)->session_id;
        domain_ = (*kept_)->domain;
        return AEE_SUCCESS;
    }
    std::string domain_name = config_.core.name;
    remote_rpc_effective_domain_id request{domain_name.data(), static_cast<uint32_t>(domain_name.size()), 0, 0};
    const int error = rpc_.session_control(FASTRPC_GET_EFFECTIVE_DOMAIN_ID, &request, sizeof request);
    // Older drivers lack the request; the first session of a core then has the core's own id.
    domain_ = error ? config_.core.id : static_cast<int>(request.effective_domain_id);
    if (error && verbose())
        log_line(log_level::debug, "%s effective domain id: %s", config_.name.c_str(), aee_text(error).c_str());
    return AEE_SUCCESS;
}

int session::reserve_new() {
    std::string domain_name = config_.core.name, session_name = config_.name;
    remote_rpc_reserve_new_session request{domain_name.data(),
                                           static_cast<uint32_t>(domain_name.size()),
                                           session_name.data(),
                                           static_cast<uint32_t>(session_name.size()),
                                           0,
                                           config_.virtual_session};
    if (const int error = rpc_.session_control(FASTRPC_RESERVE_NEW_SESSION, &request, sizeof request)) return error;
    *kept_ = reservation{request.session_id, static_cast<int>(request.effective_domain_id)};
    return AEE_SUCCESS;
}

int session::allow_unsigned() {
    remote_rpc_control_unsigned_module request{domain_, 1};
    return rpc_.session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
}

std::string session::module_uri() const {
    std::string module =
        "file:///libggml-htp-v" + std::to_string(config_.arch) + ".so?" + skel_entry_name + "&_modver=1.0";
    std::string domain_name = config_.core.name;
    char uri[512] = {};
    remote_rpc_get_uri request{domain_name.data(), static_cast<uint32_t>(domain_name.size()), session_id_,
                               module.data(),      static_cast<uint32_t>(module.size()),      uri,
                               sizeof uri};
    if (rpc_.session_control(FASTRPC_GET_URI, &request, sizeof request) == AEE_SUCCESS && uri[0]) return uri;
    // Drivers without the request take the same string made by hand.
    return module + "&_dom=" + domain_name + "&_session=" + std::to_string(session_id_);
}

int session::open_module() {
    const int error = module_.open(module_uri().c_str());
    // Open, it is the session's and goes with it. The driver may also have taken it back.
    if (error == AEE_SUCCESS || error == AEE_ENOSESSION) kept_->reset();
    return error;
}

int session::read_hwinfo() {
    if (const int error = module_.hwinfo(&info_)) return error;
    if (info_.digest != abi_digest) {
        problem_ =
            "the NPU library is from another build than the plug-in (abi digests differ); install both from one build";
    } else if (info_.vtcm_bytes < min_vtcm_bytes) {
        problem_ = "VTCM of " + std::to_string(info_.vtcm_bytes) + " bytes is below the minimum of " +
                   std::to_string(min_vtcm_bytes);
    } else if (!is_known(static_cast<arch>(info_.arch)) || info_.n_hvx < 1 ||
               info_.scratch_bytes < session_scratch_bytes) {
        problem_ = "hardware that makes no sense: v" + std::to_string(info_.arch) + ", " + std::to_string(info_.n_hvx) +
                   " hvx threads, " + std::to_string(info_.scratch_bytes) + " bytes of scratch";
    }
    if (!problem_.empty()) return AEE_EUNSUPPORTED;
    if (info_.arch != config_.arch) {
        log_line(log_level::info, "%s is a v%u core, asked for v%u", config_.name.c_str(), info_.arch, config_.arch);
    }
    hw_.arch = static_cast<arch>(info_.arch);
    hw_.n_threads = std::min(config_.n_hvx ? std::min(config_.n_hvx, info_.n_hvx) : info_.n_hvx, max_threads);
    hw_.n_hmx = config_.use_hmx ? info_.n_hmx : 0;
    hw_.vtcm_bytes = static_cast<uint32_t>(std::min<uint64_t>(info_.vtcm_bytes, UINT32_MAX));
    hw_.scratch_bytes = info_.scratch_bytes;
    hw_.window_bytes = config_.limits.window_bytes;
    return AEE_SUCCESS;
}

int session::request_latency() {
    if (const int error = module_.request_low_latency()) {
        log_line(log_level::warn, "%s low latency was refused, tokens may take longer: %s", config_.name.c_str(),
                 aee_text(error).c_str());
    }
    return AEE_SUCCESS;
}

int session::create_queue() { return queue_.create(domain_, &queue_id_); }
int session::map_slots() { return queue_.map_slots(domain_); }

int session::start() {
    start_args args{};
    args.session_id = session_id_;
    args.n_hvx = hw_.n_threads;
    args.queue_id = queue_id_;
    args.n_hmx = hw_.n_hmx;
    args.window_bytes = hw_.window_bytes;
    started_ = true;
    const int error = module_.start(args);
    broken_ = error != AEE_SUCCESS;  // whether it runs is not known
    return error;
}

int session::check_known_answers() {
    problem_ = run_known_answers(rpc_, *this);
    if (problem_.empty() && broken_) problem_ = "the test buffer could not be unmapped";
    if (problem_.empty()) return AEE_SUCCESS;
    broken_ = true;
    return AEE_EFAILED;
}

int session::map(mappable &m) {
    if (m.session == serial_) return AEE_SUCCESS;
    const auto map_now = [&] { return rpc_.mmap(domain_, m.fd, m.base, 0, m.bytes, FASTRPC_MAP_FD_DELAYED); };
    int error = map_now();
    // What has this descriptor's number in the driver's books is not this buffer.
    if (error == AEE_EALREADY) {
        error = rpc_.munmap(domain_, m.fd, m.base, m.bytes);
        if (!error) error = map_now();
    }
    if (error) return error;
    m.session = serial_;
    mapped_.push_back(&m);
    return AEE_SUCCESS;
}

int session::forget(mappable &m) {
    if (m.session != serial_) return AEE_SUCCESS;
    m.session = 0;
    std::erase(mapped_, &m);
    int error = broken_ ? AEE_SUCCESS : limited(rpc_, domain_, [&] { return module_.unmap(m.fd); });
    const int unmapped = rpc_.munmap(domain_, m.fd, m.base, m.bytes);
    if (!error) error = unmapped;
    if (error) broken_ = true;
    return error;
}

bool session::stop() {
    const auto limit = std::min<std::chrono::milliseconds>(config_.deadline, stop_limit);
    const int error = limited(rpc_, domain_, [&] { return module_.stop(); }, limit);
    if (error) log_line(log_level::warn, "%s did not stop in order: %s", config_.name.c_str(), aee_text(error).c_str());
    return error == AEE_SUCCESS;
}

void session::end() {
    const bool orderly = !broken_ && queue_.idle() && (!started_ || stop());
    if (!orderly && domain_ >= 0) rpc_.kill(domain_);
    if (const int error = queue_.destroy(death_limit)) {
        log_line(log_level::warn, "%s queue could not be closed: %s", config_.name.c_str(), aee_text(error).c_str());
    }
    for (mappable *m : mapped_) {
        m->session = 0;
        rpc_.munmap(domain_, m->fd, m->base, m->bytes);
    }
    mapped_.clear();
    if (module_.is_open()) (void)limited(rpc_, domain_, [&] { return module_.close(); }, stop_limit);
}

}  // namespace hexane::host
