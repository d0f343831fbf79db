// htp/session.cpp -- start and stop of a session: memory, power, VTCM, threads, queue.
#include "htp/session.h"

#include "base/align.h"
#include "htp/dispatch.h"
#include "htp/power.h"
#include "platform/HAP_farf.h"
#include "platform/heap.h"

// Placement new; freestanding code has no <new>.
inline void *operator new(__SIZE_TYPE__, void *where) noexcept { return where; }

namespace hexane::htp {

namespace {

constexpr uint32_t main_stack_bytes = 64u << 10;

// Vector contexts of 128 bytes, but not more than hardware threads nor than our tables hold.
uint32_t usable_hvx_threads() {
    const uint32_t units = (static_cast<uint32_t>(qurt_hvx_get_units()) >> 8) & 0xff;
    qurt_sysenv_max_hthreads_t max{};
    const uint32_t hardware_threads = qurt_sysenv_get_max_hw_threads(&max) == QURT_EOK ? max.max_hthreads : units;
    return base::max(1u, base::min(base::min(units, hardware_threads), max_threads));
}

uint32_t ring_stride() { return base::align_up(dma_queue::ring_bytes(), line_bytes); }

}  // namespace

session *session::create() {
    void *memory = __wrap_memalign(line_bytes, base::align_up<uint64_t>(sizeof(session), line_bytes));
    if (!memory) return nullptr;
    auto *s = new (memory) session;
    vote_for_power(s, platform::current_arch(), false);
    return s;
}

void session::destroy() {
    if (started_) (void)stop();
    withdraw_power_votes(this);
    this->~session();
    __wrap_free(this);
}

hwinfo_result session::hwinfo() const {
    hwinfo_result r{};
    r.digest = library_digest();
    r.arch = static_cast<uint32_t>(platform::current_arch());
    r.n_hvx = usable_hvx_threads();
    r.n_hmx = 0;  // no matrix-unit kernels yet
    r.scratch_bytes = session_scratch_bytes;
    r.vtcm_bytes = vtcm_holder::query_bytes();
    return r;
}

status session::allocate_memory() {
    const uint64_t bytes = main_stack_bytes + pulse::stack_bytes +
                           uint64_t{hw_.n_threads} * (work_queue::stack_bytes + ring_stride()) + hw_.scratch_bytes;
    memory_ = static_cast<uint8_t *>(__wrap_memalign(4096, bytes));
    if (!memory_) return status::failure(status_code::internal, "no memory for the session", bytes);
    uint8_t *at = memory_;
    auto take = [&at](uint64_t n) { return at += n, at - n; };
    main_stack_ = take(main_stack_bytes);
    pulse_stack_ = take(pulse::stack_bytes);
    worker_stacks_ = take(uint64_t{hw_.n_threads} * work_queue::stack_bytes);
    rings_ = take(uint64_t{hw_.n_threads} * ring_stride());
    scratch_ = take(hw_.scratch_bytes);
    for (uint32_t i = 0; i < hw_.n_threads; ++i) queues_[i].init(hw_.arch, rings_ + i * ring_stride(), &traces_[i]);
    cache_.init(&traces_[0]);
    return status::ok();
}

void session::free_memory() {
    __wrap_free(memory_);
    memory_ = nullptr;
}

int session::start(const start_args &args) {
    if (started_) return AEE_EALREADY;
    const hwinfo_result has = hwinfo();
    if (args.n_hvx < 1 || args.n_hvx > has.n_hvx || args.n_hmx > has.n_hmx) return AEE_EBADPARM;
    session_id_ = args.session_id;
    hw_ = {platform::current_arch(), args.n_hvx,       args.n_hmx, static_cast<uint32_t>(has.vtcm_bytes),
           session_scratch_bytes,    args.window_bytes};
    window_.init(args.window_bytes, static_cast<uint32_t>(hw_.arch));

    status s = vtcm_.reserve(hw_.vtcm_bytes);
    if (!s.failed()) s = allocate_memory();
    if (s.failed()) {
        FARF(ERROR, "session %u: %s (%llu)", session_id_, s.reason, static_cast<unsigned long long>(s.value));
        vtcm_.release();
        return AEE_ENOMEMORY;
    }
    const int error = start_threads(args);
    if (error) {
        free_memory();
        vtcm_.release();
    }
    started_ = error == 0;
    return error;
}

int session::start_threads(const start_args &args) {
    if (const int error = dspqueue_import(args.queue_id, nullptr, nullptr, nullptr, &queue_)) {
        FARF(ERROR, "session %u: the queue could not be imported: 0x%08x", session_id_, static_cast<unsigned>(error));
        return error;
    }
    stopping_ = 0;
    qurt_thread_attr_t attr;
    qurt_thread_attr_init(&attr);
    qurt_thread_attr_set_name(&attr, "hexane-main");
    qurt_thread_attr_set_stack_addr(&attr, main_stack_);
    qurt_thread_attr_set_stack_size(&attr, main_stack_bytes);
    // Above the FastRPC thread: a batch must not wait for housekeeping.
    const int own = qurt_thread_get_priority(qurt_thread_get_id());
    qurt_thread_attr_set_priority(&attr, static_cast<unsigned short>(own > 11 ? own - 10 : 1));
    if (qurt_thread_create(&main_thread_, &attr, main_entry, this) != QURT_EOK) {
        dspqueue_close(queue_);
        return AEE_EQURTTHREADCREATE;
    }
    return AEE_SUCCESS;
}

int session::stop() {
    if (!started_) return AEE_EBADSTATE;
    __atomic_store_n(&stopping_, 1u, __ATOMIC_RELEASE);
    int result = 0;
    qurt_thread_join(main_thread_, &result);
    dspqueue_close(queue_);
    queue_ = nullptr;
    window_.forget_all();
    vtcm_.release();
    free_memory();
    started_ = false;
    return AEE_SUCCESS;
}

int session::unmap(uint32_t fd) {
    window_.forget(fd);
    return AEE_SUCCESS;
}

}  // namespace hexane::htp
