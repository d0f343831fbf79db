// virtual/session/compute_resource.cpp -- the resource manager: VTCM and the matrix unit, by contexts.
//
// Every session process has a VTCM of its own. Contexts of one process share it: in cached mode they take turns, and whoever waits
// makes the manager ask the holder to give it back.
#include "virtual/session/compute_resource.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "platform/HAP_compute_res.h"
#include "virtual/channel/futex.h"
#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"

using namespace hexane::virt;

namespace {

constexpr uint64_t vtcm_alignment = 2u << 20;  // a page of the device's largest size
constexpr uint32_t request_magic = 0x56544d52;

using release_callback = int (*)(unsigned int, void *);

// What the opaque attributes hold here.
struct resource_request {
    uint32_t magic;
    uint32_t vtcm_bytes;
    uint32_t cached;
    uint32_t hmx;
    uint32_t context_id;
    uint32_t reserved;
    release_callback callback;
    void *client;
};
static_assert(sizeof(resource_request) <= sizeof(compute_res_attr_t));

struct resource_context {
    resource_request request;
    bool working = false;  // may touch what it was granted
    bool hmx_locked = false;
};

class resource_manager {
  public:
    uint32_t acquire(resource_request &r, uint32_t timeout_us) {
        std::unique_lock lock(lock_);
        if (r.vtcm_bytes > total() || (r.hmx && this_device().description.n_hmx == 0)) return 0;
        if (!r.cached && !wait_until_free(lock, timeout_us)) return 0;
        if (!vtcm_ && !map_vtcm()) return 0;
        r.context_id = ++last_id_;
        contexts_[r.context_id] = {r, false, false};
        if (!r.cached) hold(r.context_id);
        return r.context_id;
    }

    int release(uint32_t id) {
        const std::lock_guard lock(lock_);
        resource_context *c = find(id);
        if (!c) return AEE_EBADPARM;
        if (c->request.cached && c->working) {
            log_line("compute_resource_release of context %u without release_cached", id);
            return AEE_EBADSTATE;
        }
        let_go(id);
        contexts_.erase(id);
        if (contexts_.empty()) unmap_vtcm();
        return AEE_SUCCESS;
    }

    int acquire_cached(uint32_t id, uint32_t timeout_us) {
        std::unique_lock lock(lock_);
        const resource_context *c = find(id);
        if (!c || !c->request.cached) return AEE_EBADPARM;
        if (c->working) return AEE_EALREADY;
        if (!wait_until_free(lock, timeout_us)) return AEE_EEXPIRED;
        if (!find(id)) return AEE_EBADPARM;
        hold(id);
        return AEE_SUCCESS;
    }

    int release_cached(uint32_t id) {
        const std::lock_guard lock(lock_);
        const resource_context *c = find(id);
        if (!c || !c->request.cached || !c->working) return AEE_EBADPARM;
        let_go(id);
        return AEE_SUCCESS;
    }

    int pointer(const resource_request &r, void **pointer, uint32_t *bytes) {
        const std::lock_guard lock(lock_);
        if (!find(r.context_id)) return AEE_EBADSTATE;
        *pointer = vtcm_;
        if (bytes) *bytes = r.vtcm_bytes;
        return AEE_SUCCESS;
    }

    int lock_hmx(uint32_t id, bool on) {
        const std::lock_guard lock(lock_);
        resource_context *c = find(id);
        if (!c || !c->request.hmx) return AEE_EBADPARM;
        if (!c->working || c->hmx_locked == on) return AEE_EBADSTATE;
        c->hmx_locked = on;
        return AEE_SUCCESS;
    }

    bool knows(uint32_t id) {
        const std::lock_guard lock(lock_);
        return find(id) != nullptr;
    }
    bool is_wanted(uint32_t id) {
        const std::lock_guard lock(lock_);
        return holder_ == id && waiting_ != 0;
    }
    bool is_held() const { return holder_.load(std::memory_order_relaxed) != 0; }
    bool overlaps(uint64_t address, uint64_t bytes) const {
        const auto base = reinterpret_cast<uint64_t>(vtcm_.load(std::memory_order_relaxed));
        return base && address < base + total() && address + bytes > base;
    }
    vtcm_place place() const {
        void *base = vtcm_.load(std::memory_order_relaxed);
        return {static_cast<uint8_t *>(base), base ? total() : 0};
    }
    static uint32_t total() { return static_cast<uint32_t>(this_device().description.vtcm_bytes); }
    uint32_t available() { return is_held() ? 0 : total(); }

  private:
    resource_context *find(uint32_t id) {
        const auto found = contexts_.find(id);
        return found == contexts_.end() ? nullptr : &found->second;
    }

    void hold(uint32_t id) {
        holder_ = id;
        contexts_[id].working = true;
    }

    void let_go(uint32_t id) {
        if (holder_ != id) return;
        contexts_[id].working = false;
        holder_ = 0;
        free_changed_.notify_all();
    }

    bool wait_until_free(std::unique_lock<std::mutex> &lock, uint32_t timeout_us) {
        if (holder_ == 0) return true;
        ++waiting_;
        const resource_request holder = contexts_[holder_].request;
        if (holder.callback) {
            lock.unlock();  // the callback may call back into the manager
            holder.callback(holder.context_id, holder.client);
            lock.lock();
        }
        const bool free = wait_while_running(timeout_us, [&](time_limit slice) {
            return free_changed_.wait_for(lock, slice.left(), [this] { return holder_ == 0; });
        });
        --waiting_;
        return free;
    }

    bool map_vtcm() {
        vtcm_ = low_memory::map_private(total(), vtcm_alignment);
        if (vtcm_) madvise(vtcm_, total(), MADV_HUGEPAGE);
        return vtcm_ != nullptr;
    }
    void unmap_vtcm() {
        low_memory::unmap(vtcm_, total());
        vtcm_ = nullptr;
    }

    std::mutex lock_;
    std::condition_variable free_changed_;
    std::map<uint32_t, resource_context> contexts_;
    std::atomic<uint32_t> holder_{0};
    uint32_t waiting_ = 0;
    uint32_t last_id_ = 0;
    std::atomic<void *> vtcm_{nullptr};
};

resource_manager &the_manager() {
    static resource_manager &m = *new resource_manager;
    return m;
}

// Attributes that were initialised, else null.
resource_request *request_of(compute_res_attr_t *attr) {
    auto *r = reinterpret_cast<resource_request *>(attr);
    return r && r->magic == request_magic ? r : nullptr;
}

template <class Change> int change(compute_res_attr_t *attr, Change how) {
    resource_request *r = request_of(attr);
    if (!r) return AEE_EBADPARM;
    return how(*r);
}

}  // namespace

namespace hexane::virt {
bool is_vtcm(uint64_t address, uint64_t bytes) { return the_manager().overlaps(address, bytes); }
bool vtcm_is_held() { return the_manager().is_held(); }
vtcm_place place_of_vtcm() { return the_manager().place(); }
}  // namespace hexane::virt

HEX_EXPORT int compute_resource_attr_init(compute_res_attr_t *attr) {
    if (!attr) return AEE_EBADPARM;
    memset(attr, 0, sizeof *attr);
    reinterpret_cast<resource_request *>(attr)->magic = request_magic;
    return AEE_SUCCESS;
}

HEX_EXPORT int compute_resource_attr_init_v2(compute_res_attr_t *attr, unsigned int attr_bytes, unsigned int version) {
    if (attr_bytes != sizeof *attr || version != HAP_COMPUTE_RES_ATTR_VERSION) return AEE_EVERSIONNOTSUPPORT;
    return compute_resource_attr_init(attr);
}

HEX_EXPORT int compute_resource_attr_set_serialize(compute_res_attr_t *attr, unsigned char on) {
    return change(attr, [&](resource_request &r) { return on && r.cached ? AEE_EBADPARM : AEE_SUCCESS; });
}

HEX_EXPORT int compute_resource_attr_set_cache_mode(compute_res_attr_t *attr, unsigned char on) {
    return change(attr, [&](resource_request &r) { return r.cached = on, AEE_SUCCESS; });
}

HEX_EXPORT int compute_resource_attr_set_vtcm_param_v2(compute_res_attr_t *attr, unsigned int bytes,
                                                       unsigned int min_page, unsigned int min_bytes) {
    if (min_bytes > bytes || min_page > bytes) return AEE_EBADPARM;
    return change(attr, [&](resource_request &r) {
        const unsigned int total = resource_manager::total();
        if (min_bytes > total) return AEE_ENOMEMORY;
        r.vtcm_bytes = std::min(bytes, total);
        return AEE_SUCCESS;
    });
}

HEX_EXPORT int compute_resource_attr_set_vtcm_param(compute_res_attr_t *attr, unsigned int bytes, unsigned char) {
    return compute_resource_attr_set_vtcm_param_v2(attr, bytes, 0, bytes);
}

HEX_EXPORT int compute_resource_attr_set_hmx_param(compute_res_attr_t *attr, unsigned char on) {
    return change(attr, [&](resource_request &r) { return r.hmx = on, AEE_SUCCESS; });
}

HEX_EXPORT int compute_resource_attr_set_release_callback(compute_res_attr_t *attr, release_callback callback,
                                                          void *client) {
    return change(attr, [&](resource_request &r) { return r.callback = callback, r.client = client, AEE_SUCCESS; });
}

HEX_EXPORT int compute_resource_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **pointer, unsigned int *bytes) {
    if (!pointer) return AEE_EBADPARM;
    return change(attr, [&](resource_request &r) { return the_manager().pointer(r, pointer, bytes); });
}

HEX_EXPORT void *compute_resource_attr_get_vtcm_ptr(compute_res_attr_t *attr) {
    void *pointer = nullptr;
    return compute_resource_attr_get_vtcm_ptr_v2(attr, &pointer, nullptr) == AEE_SUCCESS ? pointer : nullptr;
}

HEX_EXPORT unsigned int compute_resource_acquire(compute_res_attr_t *attr, unsigned int timeout_us) {
    resource_request *r = request_of(attr);
    return r ? the_manager().acquire(*r, timeout_us) : 0;
}

HEX_EXPORT int compute_resource_release(unsigned int id) { return the_manager().release(id); }
HEX_EXPORT int compute_resource_acquire_cached(unsigned int id, unsigned int timeout_us) {
    return the_manager().acquire_cached(id, timeout_us);
}
HEX_EXPORT int compute_resource_release_cached(unsigned int id) { return the_manager().release_cached(id); }
HEX_EXPORT int compute_resource_check_release_request(unsigned int id) { return the_manager().is_wanted(id); }
HEX_EXPORT int compute_resource_update_priority(unsigned int id, unsigned short) {
    return the_manager().knows(id) ? AEE_SUCCESS : AEE_EBADPARM;
}
HEX_EXPORT int compute_resource_hmx_lock(unsigned int id) { return the_manager().lock_hmx(id, true); }
HEX_EXPORT int compute_resource_hmx_unlock(unsigned int id) { return the_manager().lock_hmx(id, false); }

HEX_EXPORT int compute_resource_query_VTCM(unsigned int, unsigned int *total_bytes,
                                           compute_res_vtcm_page_t *total_layout, unsigned int *available_bytes,
                                           compute_res_vtcm_page_t *available_layout) {
    const unsigned int total = resource_manager::total(), available = the_manager().available();
    if (total_bytes) *total_bytes = total;
    if (available_bytes) *available_bytes = available;
    if (total_layout) *total_layout = {1, {{total, 1}}};
    if (available_layout) *available_layout = {available ? 1u : 0u, {{available, available ? 1u : 0u}}};
    return AEE_SUCCESS;
}
