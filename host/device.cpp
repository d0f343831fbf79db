// host/device.cpp
#include "host/device.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "abi/arch.h"
#include "base/align.h"
#include "host/aee_text.h"
#include "host/log.h"

namespace hexane::host {

namespace {

// The address space of a session that is certain to be free of other things: the values that Hexagon users know.
uint64_t default_vmem(uint32_t arch) { return (arch >= 75 ? 3200ull : 3000ull) << 20; }

// What one mapping takes at most: 2 GiB on v73, the driver's limit there.
uint64_t most_mapping_bytes(uint32_t arch) { return arch >= 75 ? UINT64_MAX : 2ull << 30; }

hardware least_hardware(uint32_t arch_version, const batch_limits &limits) {
    return {static_cast<arch>(arch_version), 1, 0, min_vtcm_bytes, session_scratch_bytes, limits.window_bytes};
}

}  // namespace

device::device(const fastrpc &rpc, const options &o, const op_table &ops, const device_spec &spec, const domain &core,
               uint32_t arch)
    : rpc_(rpc),
      options_(o),
      ops_(ops),
      spec_(spec),
      core_(core),
      arch_(arch),
      description_("Hexagon v" + std::to_string(arch) + " NPU"),
      limits_(batch_limits::of(o, o.window_bytes ? o.window_bytes : default_vmem(arch))),
      support_plans_(ops, least_hardware(arch, limits_)) {}

void device::memory(size_t *free, size_t *total) const {
    const uint64_t used = allocated_bytes_.load(std::memory_order_relaxed);
    *total = window_bytes();
    *free = used < *total ? *total - used : 0;
}

uint64_t device::named_buffer_bytes() const {
    const uint64_t largest =
        base::align_up<uint64_t>(largest_tensor_bytes_.load(std::memory_order_relaxed), line_bytes);
    return std::min({std::max(options_.max_buffer_bytes, largest), window_bytes(), most_mapping_bytes(arch_)});
}

void device::saw_tensor(uint64_t bytes) {
    uint64_t known = largest_tensor_bytes_.load(std::memory_order_relaxed);
    while (known < bytes && !largest_tensor_bytes_.compare_exchange_weak(known, bytes, std::memory_order_relaxed)) {}
}

session *device::ensure_session() {
    if (session_ && session_->queue().idle() && session_->gone()) {
        log_line(log_level::warn, "%s session ended while it had nothing to do; a new one is opened", name().c_str());
        drop_session();
    }
    if (session_) return session_.get();
    session_config c;
    c.name = name();
    c.core = core_;
    c.virtual_session = spec_.virtual_session;
    c.arch = arch_;
    c.n_hvx = options_.n_hvx;
    c.use_hmx = options_.n_hmx != 0;
    c.deadline = std::chrono::seconds(options_.deadline_seconds);
    c.spin = options_.poll;
    c.limits = limits_;
    std::string why;
    session_ = session::open(rpc_, c, &reservation_, &why);
    if (!session_) {
        log_line(log_level::error, "%s %s", name().c_str(), why.c_str());
        return nullptr;
    }
    stats_.add_session();
    // The plans of the session before are as good, if the hardware is the same.
    if (!session_plans_ || session_plans_->hw() != session_->hw()) {
        graphs_.clear();
        session_plans_.emplace(ops_, session_->hw());
    }
    return session_.get();
}

void device::drop_session() {
    if (session_) session_->mark_broken();
    session_.reset();
}

void device::add_user(uint64_t buffer_bytes) {
    allocated_bytes_.fetch_add(buffer_bytes);
    users_.fetch_add(1);
}

void device::remove_user(uint64_t buffer_bytes) {
    allocated_bytes_.fetch_sub(buffer_bytes);
    if (users_.fetch_sub(1) == 1) close_if_unused();
}

void device::close_if_unused() {
    {
        const std::lock_guard lock(mutex_);
        if (users_.load() != 0 || !session_) return;
        session_.reset();
    }
    if (session_closed_) session_closed_();
}

void device::forget(mappable &m) {
    const std::lock_guard lock(mutex_);
    const int error = session_ ? session_->forget(m) : AEE_SUCCESS;
    if (!error) return;
    log_line(log_level::warn, "%s session could not unmap a buffer: %s; the next graph opens a new one", name().c_str(),
             aee_text(error).c_str());
    drop_session();
}

void device::close_at_exit() noexcept {
    for (int tries = 0; tries < 20; ++tries) {
        if (const std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock()) {
            session_.reset();
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace hexane::host
