// htp/pulse.cpp
#include "htp/pulse.h"

#include "htp/dma_addr.h"
#include "platform/dma.h"

namespace hexane::htp {

namespace {

// Several beats per look of the host, which looks every 100 ms. It is also how long stop() may wait for the thread.
constexpr uint32_t beat_us = 20'000;

enum : uint32_t { resting, beating, stopping };

}  // namespace

status pulse::start(uint8_t *stack) {
    state_ = resting;
    qurt_thread_attr_t attr;
    qurt_thread_attr_init(&attr);
    qurt_thread_attr_set_name(&attr, "hexane-pulse");
    qurt_thread_attr_set_stack_addr(&attr, stack);
    qurt_thread_attr_set_stack_size(&attr, stack_bytes);
    // As important as the threads that work, or a busy session would look like one that cannot run.
    qurt_thread_attr_set_priority(&attr, static_cast<unsigned short>(qurt_thread_get_priority(qurt_thread_get_id())));
    started_ = qurt_thread_create(&thread_, &attr, entry, this) == QURT_EOK;
    return started_ ? status::ok() : status::failure(status_code::internal, "the pulse thread could not be created", 0);
}

void pulse::stop() {
    if (!started_) return;
    started_ = false;
    __atomic_store_n(&state_, uint32_t{stopping}, __ATOMIC_RELEASE);
    qurt_futex_wake(&state_, 1);
    int result = 0;
    qurt_thread_join(thread_, &result);
}

void pulse::begin(uint32_t *beats) {
    {
        const lock_guard guard(lock_);
        beats_ = beats;
        beat();
    }
    // In a burst of short batches the thread is awake most of the time, and a batch costs no trap.
    __atomic_store_n(&state_, uint32_t{beating}, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&asleep_, __ATOMIC_SEQ_CST)) qurt_futex_wake(&state_, 1);
}

void pulse::end() {
    __atomic_store_n(&state_, uint32_t{resting}, __ATOMIC_RELEASE);
    const lock_guard guard(lock_);
    beats_ = nullptr;
}

void pulse::entry(void *self) { static_cast<pulse *>(self)->serve(); }

void pulse::serve() {
    for (;;) {
        const uint32_t state = __atomic_load_n(&state_, __ATOMIC_ACQUIRE);
        if (state == stopping) return;
        if (state == resting) {
            __atomic_store_n(&asleep_, 1u, __ATOMIC_SEQ_CST);
            qurt_futex_wait(&state_, resting);
            __atomic_store_n(&asleep_, 0u, __ATOMIC_SEQ_CST);
            continue;
        }
        qurt_sleep(beat_us);
        const lock_guard guard(lock_);
        if (beats_) beat();
    }
}

// REQUIRES: lock_ held. The host reads DDR.
void pulse::beat() {
    __atomic_store_n(beats_, __atomic_load_n(beats_, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
    platform::clean_invalidate_line(beats_);
    platform::sync_thread();
}

}  // namespace hexane::htp
