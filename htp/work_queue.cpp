// htp/work_queue.cpp -- the session's HVX threads.
#include "htp/work_queue.h"

#include "platform/dma.h"
#include "platform/qurt.h"

namespace hexane::htp {

namespace {

struct divisors {
    base::fastdiv by[max_threads + 1];
    constexpr divisors() : by{} {
        for (uint32_t n = 1; n <= max_threads; ++n) by[n] = base::fastdiv::by(n);
    }
};
constexpr divisors of_threads;

}  // namespace

const base::fastdiv &by_threads(uint32_t n) { return of_threads.by[n]; }

namespace {

// Polls before a thread goes to sleep on its futex: tens of microseconds, the gap between two jobs of a batch.
constexpr uint32_t spins_before_sleep = 400;

uint32_t load(const uint32_t &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

constexpr uint32_t job_threads_of(uint32_t announcement) { return announcement & 0xff; }

}  // namespace

status work_queue::start(uint32_t n_threads, dma_queue *queues, trace_log *traces, uint8_t *stacks) {
    queues_ = queues;
    traces_ = traces;
    n_threads_ = 1;
    for (uint32_t i = 1; i < n_threads; ++i) {
        starts_[i] = {this, i};
        qurt_thread_attr_t attr;
        qurt_thread_attr_init(&attr);
        char name[] = "hexane-w00";
        name[8] = static_cast<char>('0' + i / 10);
        name[9] = static_cast<char>('0' + i % 10);
        qurt_thread_attr_set_name(&attr, name);
        qurt_thread_attr_set_stack_addr(&attr, stacks + i * stack_bytes);
        qurt_thread_attr_set_stack_size(&attr, stack_bytes);
        qurt_thread_attr_set_priority(&attr,
                                      static_cast<unsigned short>(qurt_thread_get_priority(qurt_thread_get_id())));
        qurt_thread_t id = 0;
        if (qurt_thread_create(&id, &attr, thread_entry, &starts_[i]) != QURT_EOK) {
            stop();
            return status::failure(status_code::internal, "worker thread could not be created", i);
        }
        thread_ids_[i] = id;
        ++n_threads_;
    }
    return status::ok();
}

void work_queue::stop() {
    __atomic_store_n(&stopping_, 1u, __ATOMIC_RELEASE);
    announce(0);
    for (uint32_t i = 1; i < n_threads_; ++i) {
        int result = 0;
        qurt_thread_join(thread_ids_[i], &result);
    }
    n_threads_ = 0;
    stopping_ = 0;
}

void work_queue::wake() {
    __atomic_store_n(&awake_, 1u, __ATOMIC_RELEASE);
    announce(0);
}

void work_queue::sleep() { __atomic_store_n(&awake_, 0u, __ATOMIC_RELEASE); }

void work_queue::announce(uint32_t job_threads) {
    const uint32_t next = ((announcement_ & ~0xffu) + 0x100) | job_threads;
    __atomic_store_n(&announcement_, next, __ATOMIC_RELEASE);
    if (n_threads_ > 1) qurt_futex_wake(&announcement_, static_cast<int>(n_threads_));
}

status work_queue::run_as(uint32_t index, uint32_t count) {
    worker w{index, count, queues_[index], traces_[index]};
    const status result = job_(job_data_, w);
    if (!result.failed() && w.dma.failed()) {
        return status::failure(status_code::dma_failed, "a transfer did not finish in time", index);
    }
    return result;
}

status work_queue::run_erased(uint32_t n_threads, erased_job job, void *data) {
    job_ = job;
    job_data_ = data;
    if (n_threads > 1) {
        __atomic_store_n(&pending_, n_threads - 1, __ATOMIC_RELEASE);
        announce(n_threads);
    }
    results_[0] = run_as(0, n_threads);
    for (uint32_t spins = 0, left; n_threads > 1 && (left = load(pending_)) != 0; ++spins) {
        if (spins < spins_before_sleep) {
            platform::pause();
        } else {
            qurt_futex_wait(&pending_, static_cast<int>(left));
        }
    }
    for (uint32_t i = 0; i < n_threads; ++i) {
        if (!results_[i].failed()) continue;
        failed_worker_ = i;
        return results_[i];
    }
    return status::ok();
}

void work_queue::thread_entry(void *start) {
    const auto *s = static_cast<const thread_start *>(start);
    s->queue->serve(s->index);
}

uint32_t work_queue::await_announcement(uint32_t seen) const {
    for (uint32_t spins = 0;; ++spins) {
        const uint32_t now = load(announcement_);
        if (now != seen) return now;
        if (load(awake_) && spins < spins_before_sleep) {
            platform::pause();
        } else {
            qurt_futex_wait(const_cast<uint32_t *>(&announcement_), static_cast<int>(seen));
        }
    }
}

void work_queue::serve(uint32_t index) {
    uint32_t seen = 0;
    for (;;) {
        seen = await_announcement(seen);
        if (load(stopping_)) return;
        if (index >= job_threads_of(seen)) continue;
        results_[index] = run_as(index, job_threads_of(seen));
        if (__atomic_sub_fetch(&pending_, 1, __ATOMIC_ACQ_REL) == 0) qurt_futex_wake(&pending_, 1);
    }
}

}  // namespace hexane::htp
