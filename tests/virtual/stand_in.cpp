// tests/virtual/stand_in.cpp -- a library for hexane-dsp that uses the platform as the NPU library does.
#include <stdint.h>
#include <string.h>

#include "abi/arch.h"
#include "platform/HAP_compute_res.h"
#include "platform/HAP_farf.h"
#include "platform/HAP_mem.h"
#include "platform/HAP_perf.h"
#include "platform/HAP_power.h"
#include "platform/dma.h"
#include "platform/dspqueue.h"
#include "platform/heap.h"
#include "platform/qurt.h"
#include "platform/remote.h"
#include "tests/virtual/stand_in_interface.h"

namespace {

// A check ends at its first wrong answer and reports the line.
#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition)) return {static_cast<uint32_t>(__LINE__), 0}; \
    } while (0)

using stand_in::check_result;

struct state {
    dspqueue_t queue = nullptr;
    qurt_thread_t thread = 0;
    uint32_t stopping = 0;
    bool started = false;
};
state the_state;
alignas(16) uint8_t the_stack[16384];
volatile uint64_t sink;

bool power_up(void *client) {
    HAP_power_request_t r{};
    r.type = HAP_power_set_HVX;
    r.hvx.power_up = 1;
    return HAP_power_set(client, &r) == 0;
}

void answer(uint32_t n_buffers, dspqueue_buffer *buffers, uint32_t bytes, const uint8_t *message) {
    const int e = dspqueue_write(the_state.queue, 0, n_buffers, buffers, bytes, message, 1'000'000);
    if (e) FARF(ERROR, "answer failed: 0x%08x", static_cast<unsigned>(e));
}

// A load and a store, as on the NPU: an increment in memory would count as a store only (docs/hardware-model.md).
uint8_t one_more(uint8_t value) {
    asm volatile("" : "+r"(value));
    return static_cast<uint8_t>(value + 1);
}

void serve(void *) {
    static uint8_t message[DSPQUEUE_MAX_MESSAGE_SIZE];
    dspqueue_buffer buffers[DSPQUEUE_MAX_BUFFERS];
    while (!__atomic_load_n(&the_state.stopping, __ATOMIC_ACQUIRE)) {
        uint32_t flags, n_buffers, bytes;
        const int e = dspqueue_read(the_state.queue, &flags, DSPQUEUE_MAX_BUFFERS, &n_buffers, buffers, sizeof message,
                                    &bytes, message, 20'000);
        if (e == AEE_EEXPIRED) continue;
        if (e) return;
        switch (bytes ? message[0] : static_cast<uint8_t>(stand_in::echo)) {
            case stand_in::compute:
                for (;;) sink = sink + 1;
            case stand_in::swallow: continue;
            case stand_in::add_one:
                for (uint32_t i = 0; i < n_buffers; ++i) {
                    auto *p = static_cast<uint8_t *>(buffers[i].ptr);
                    for (uint32_t k = 0; p && k < buffers[i].size; ++k) p[k] = one_more(p[k]);
                }
                break;
        }
        answer(n_buffers, buffers, bytes, message);
    }
}

int start(uint64_t queue_id) {
    if (the_state.started) return AEE_EALREADY;
    if (const int e = dspqueue_import(queue_id, nullptr, nullptr, nullptr, &the_state.queue)) return e;
    the_state.stopping = 0;
    qurt_thread_attr_t attr;
    qurt_thread_attr_init(&attr);
    qurt_thread_attr_set_name(&attr, "stand-in-main");
    qurt_thread_attr_set_stack_addr(&attr, the_stack);
    qurt_thread_attr_set_stack_size(&attr, sizeof the_stack);
    if (qurt_thread_create(&the_state.thread, &attr, serve, nullptr)) return AEE_EQURTTHREADCREATE;
    the_state.started = true;
    return 0;
}

int stop() {
    if (!the_state.started) return AEE_EBADSTATE;
    __atomic_store_n(&the_state.stopping, 1u, __ATOMIC_RELEASE);
    int status;
    qurt_thread_join(the_state.thread, &status);
    the_state.started = false;
    return dspqueue_close(the_state.queue);
}

int map(const stand_in::map_args &a, stand_in::map_result *r) {
    void *p = nullptr;
    if (a.get) {
        if (const int e = HAP_mmap_get(a.fd, &p, nullptr)) return e;
    } else if (hexane::platform::current_arch() == hexane::arch::v73) {
        p = HAP_mmap(nullptr, static_cast<int>(a.bytes), HAP_PROT_READ | HAP_PROT_WRITE, 0, a.fd, 0);
    } else {
        p = HAP_mmap2(nullptr, a.bytes, HAP_PROT_READ | HAP_PROT_WRITE, 0, a.fd, 0);
    }
    if (p == HAP_MAP_FAILED) return AEE_EMMAP;
    r->address = reinterpret_cast<uintptr_t>(p);
    memcpy(&r->first_word, p, 8);
    return 0;
}

int unmap(const stand_in::unmap_args &a) {
    void *p = reinterpret_cast<void *>(static_cast<uintptr_t>(a.address));
    if (hexane::platform::current_arch() == hexane::arch::v73) return HAP_munmap(p, static_cast<int>(a.bytes));
    return HAP_munmap2(p, a.bytes);
}

check_result check_vtcm() {
    compute_res_attr_t attr{};
    void *p = nullptr;
    unsigned int total = 0, granted = 0;
    EXPECT(HAP_compute_res_attr_set_cache_mode(&attr, true) == AEE_EBADPARM);  // not initialised
    EXPECT(HAP_compute_res_query_VTCM(0, &total, nullptr, nullptr, nullptr) == 0 && total > 0);
    EXPECT(HAP_compute_res_attr_init(&attr) == 0);
    EXPECT(HAP_compute_res_attr_set_cache_mode(&attr, true) == 0);
    EXPECT(HAP_compute_res_attr_set_vtcm_param_v2(&attr, total + 4096, total + 4096, total + 4096) != 0);
    EXPECT(HAP_compute_res_attr_set_vtcm_param_v2(&attr, total, total, total) == 0);
    EXPECT(HAP_compute_res_attr_get_vtcm_ptr_v2(&attr, &p, &granted) == AEE_EBADSTATE);  // not acquired
    const unsigned int id = HAP_compute_res_acquire(&attr, 1'000'000);
    EXPECT(id != 0);
    EXPECT(HAP_compute_res_attr_get_vtcm_ptr_v2(&attr, &p, &granted) == 0 && granted == total);
    EXPECT(reinterpret_cast<uintptr_t>(p) % (2u << 20) == 0 && reinterpret_cast<uintptr_t>(p) >> 32 == 0);
    EXPECT(HAP_compute_res_release_cached(id) != 0);
    EXPECT(HAP_compute_res_acquire_cached(id, 1'000'000) == 0);
    EXPECT(HAP_compute_res_release(id) == AEE_EBADSTATE);
    EXPECT(HAP_compute_res_hmx_lock(id) != 0);  // no matrix unit was asked for
    memset(p, 1, total);
    const unsigned int second = HAP_compute_res_acquire(&attr, 1000);
    EXPECT(second != 0 && second != id);
    EXPECT(HAP_compute_res_acquire_cached(second, 1000) == AEE_EEXPIRED);
    EXPECT(HAP_compute_res_release(second) == 0);
    EXPECT(HAP_compute_res_release_cached(id) == 0);
    EXPECT(HAP_compute_res_release(id) == 0);
    EXPECT(HAP_compute_res_release(id) != 0);
    return {0, total};
}

check_result check_power() {
    int client;
    HAP_power_request_t r{};
    r.type = HAP_power_set_DCVS_v3;
    EXPECT(HAP_power_set(nullptr, &r) == AEE_EBADPARM);
    EXPECT(HAP_power_set(&client, &r) == 0);
    r.dcvs_v3.set_core_params = 7;  // what a struct with other enum sizes would put there
    EXPECT(HAP_power_set(&client, &r) == AEE_EBADPARM);
    r = {};
    r.type = HAP_power_set_HMX_v2;
    EXPECT(HAP_power_set(&client, &r) == AEE_EUNSUPPORTED);
    r.type = static_cast<HAP_Power_request_type>(99);
    EXPECT(HAP_power_set(&client, &r) == AEE_EUNSUPPORTED);
    EXPECT(HAP_power_destroy_client(&client) == 0);
    return {};
}

uint32_t futex_word;
void wait_for_word(void *seen_name) {
    while (__atomic_load_n(&futex_word, __ATOMIC_ACQUIRE) == 0) qurt_futex_wait(&futex_word, 0);
    *static_cast<uint32_t *>(seen_name) = qurt_thread_get_id();
}

check_result check_threads() {
    qurt_thread_attr_t attr;
    qurt_thread_attr_init(&attr);
    uint32_t seen = 0;
    qurt_thread_t id = 0;
    EXPECT(qurt_thread_create(&id, &attr, wait_for_word, &seen) == QURT_EINVALID);  // no stack
    alignas(16) static uint8_t stack[4096];
    qurt_thread_attr_set_stack_addr(&attr, stack);
    qurt_thread_attr_set_stack_size(&attr, sizeof stack);
    qurt_thread_attr_set_priority(&attr, 100);
    futex_word = 0;
    EXPECT(qurt_thread_create(&id, &attr, wait_for_word, &seen) == QURT_EOK);
    EXPECT(qurt_thread_get_priority(id) == 100);
    qurt_sleep(2000);
    __atomic_store_n(&futex_word, 1u, __ATOMIC_RELEASE);
    qurt_futex_wake(&futex_word, 1);
    int status = -1;
    EXPECT(qurt_thread_join(id, &status) == QURT_EOK && status == 0);
    EXPECT(seen == id);
    EXPECT(qurt_thread_join(id, &status) == QURT_ENOTHREAD);
    qurt_sysenv_max_hthreads_t max{};
    EXPECT(qurt_sysenv_get_max_hw_threads(&max) == QURT_EOK);
    EXPECT(static_cast<uint32_t>(qurt_hvx_get_units()) >> 8 == max.max_hthreads);
    return {0, max.max_hthreads};
}

check_result check_heap() {
    void *blocks[64];
    for (uint32_t i = 0; i < 64; ++i) {
        const size_t bytes = size_t{1} << (i % 22);
        blocks[i] = __wrap_memalign(128, bytes);
        EXPECT(blocks[i] && reinterpret_cast<uintptr_t>(blocks[i]) % 128 == 0);
        EXPECT((reinterpret_cast<uintptr_t>(blocks[i]) + bytes) >> 32 == 0);
        memset(blocks[i], static_cast<int>(i), bytes);
    }
    for (uint32_t i = 0; i < 64; ++i) {
        EXPECT(static_cast<uint8_t *>(blocks[i])[(size_t{1} << (i % 22)) - 1] == i);
        __wrap_free(blocks[i]);
    }
    EXPECT(__wrap_malloc(size_t{1} << 40) == nullptr);
    auto *zeroed = static_cast<uint8_t *>(__wrap_calloc(100, 3));
    for (uint32_t i = 0; i < 300; ++i) EXPECT(zeroed[i] == 0);
    __wrap_free(zeroed);
    return {};
}

// Links a 1-D transfer of `bytes` and returns where the bytes are.
uint32_t link_linear(uint32_t tail, uint32_t *d, const void *dst, const void *src, uint32_t bytes, uint32_t hint) {
    d[0] = 0;
    d[1] = bytes | 3u << 28;
    d[2] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(src));
    d[3] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dst));
    return hexane::platform::hexane_virtual_dma_link(tail, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(d)), d[3],
                                                     hint);
}

uint32_t address_of(const void *p) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p)); }

check_result check_dma() {
    auto *ring = static_cast<uint32_t *>(__wrap_memalign(128, 128));
    auto *src = static_cast<uint8_t *>(__wrap_memalign(128, 4096)),
         *dst = static_cast<uint8_t *>(__wrap_memalign(128, 4096));
    memset(ring, 0, 128);
    memset(dst, 0, 4096);
    for (uint32_t i = 0; i < 4096; ++i) src[i] = static_cast<uint8_t>(i * 7);
    uint32_t *dummy = ring, *first = ring + 8, *second = ring + 16;
    EXPECT(link_linear(address_of(dummy), first, dst, src, 1000, hexane::platform::dma_hint_none) == address_of(dst));
    EXPECT(first[1] >> 31 == 1 && dummy[0] == address_of(first));
    EXPECT(memcmp(dst, src, 1000) == 0 && dst[1000] == 0);
    EXPECT(link_linear(address_of(first), second, dst, src + 1, 1000, hexane::platform::dma_hint_read_only) ==
           address_of(dst));
    const uint32_t where =
        link_linear(address_of(second), first, dst, src + 128, 1000, hexane::platform::dma_hint_read_only);
    EXPECT(where == address_of(src + 128) || where == address_of(dst));
    EXPECT(memcmp(dst, where == address_of(dst) ? src + 128 : src + 1, 1000) == 0);
    const bool in_place = where != address_of(dst);
    __wrap_free(ring);
    __wrap_free(src);
    __wrap_free(dst);
    return {0, in_place ? 1u : 0u};
}

check_result check_counters() {
    const auto ticks = HAP_perf_get_qtimer_count(), cycles = HAP_perf_get_pcycles(), us = HAP_perf_get_time_us();
    qurt_sleep(5000);
    const auto elapsed = HAP_perf_qtimer_count_to_us(HAP_perf_get_qtimer_count() - ticks);
    EXPECT(elapsed >= 4900 && elapsed < 1'000'000);
    EXPECT(HAP_perf_get_pcycles() > cycles);
    EXPECT(HAP_perf_get_time_us() - us >= 4900);
    return {};
}

check_result run_check(uint32_t which) {
    switch (which) {
        case stand_in::check_vtcm: return check_vtcm();
        case stand_in::check_power: return check_power();
        case stand_in::check_threads: return check_threads();
        case stand_in::check_heap: return check_heap();
        case stand_in::check_dma: return check_dma();
        case stand_in::check_counters: return check_counters();
    }
    return {static_cast<uint32_t>(__LINE__), 0};
}

void transfer_into_free_vtcm() {
    compute_res_attr_t attr{};
    HAP_compute_res_attr_init(&attr);
    HAP_compute_res_attr_set_cache_mode(&attr, true);
    HAP_compute_res_attr_set_vtcm_param_v2(&attr, 65536, 65536, 65536);
    void *vtcm = nullptr;
    if (!HAP_compute_res_acquire(&attr, 1000) || HAP_compute_res_attr_get_vtcm_ptr_v2(&attr, &vtcm, nullptr)) return;
    auto *ring = static_cast<uint32_t *>(__wrap_memalign(128, 256));
    memset(ring, 0, 256);
    link_linear(address_of(ring), ring + 8, vtcm, ring, 64, 0);
}

int misbehave(uint32_t what) {
    auto *ring = static_cast<uint32_t *>(__wrap_memalign(128, 128));
    memset(ring, 0, 128);
    switch (what) {
        case stand_in::segfault: *reinterpret_cast<volatile int *>(uintptr_t{0x1234}) = 1; break;
        case stand_in::hang:
            for (;;) sink = sink + 1;
        case stand_in::dma_outside:
            link_linear(address_of(ring), ring + 8, reinterpret_cast<void *>(uintptr_t{0x1000}), ring, 64, 0);
            break;
        case stand_in::dma_to_free_vtcm: transfer_into_free_vtcm(); break;
        case stand_in::exit_quietly: asm volatile("syscall" ::"a"(231), "D"(3)); break;
    }
    return 0;
}

template <class T> T input(const remote_arg *a, uint32_t i = 0) {
    T v;
    memcpy(&v, a[i].buf.pv, sizeof v);
    return v;
}
template <class T> void output(remote_arg *a, uint32_t i, const T &v) { memcpy(a[i].buf.pv, &v, sizeof v); }

int reverse_inputs(remote_arg *a) {
    for (uint32_t k = 0; k < 2; ++k) {
        const remote_buf &in = a[k].buf, &out = a[2 + k].buf;
        if (out.nLen != in.nLen) return AEE_EBADPARM;
        for (size_t i = 0; i < in.nLen; ++i)
            static_cast<uint8_t *>(out.pv)[i] = static_cast<uint8_t *>(in.pv)[in.nLen - 1 - i];
    }
    return 0;
}

int invoke(uint32_t sc, remote_arg *a) {
    switch (sc) {
        case stand_in::add: {
            const auto p = input<stand_in::pair>(a);
            output(a, 1, p.a + p.b);
            return 0;
        }
        case stand_in::start: return start(input<uint64_t>(a));
        case stand_in::stop: return stop();
        case stand_in::map: {
            stand_in::map_result r{};
            const int e = map(input<stand_in::map_args>(a), &r);
            output(a, 1, r);
            return e;
        }
        case stand_in::unmap: return unmap(input<stand_in::unmap_args>(a));
        case stand_in::run_check: output(a, 1, run_check(input<uint32_t>(a))); return 0;
        case stand_in::misbehave: return misbehave(input<uint32_t>(a));
        case stand_in::leave_output: return 0;
        case stand_in::sizes: return reverse_inputs(a);
    }
    return AEE_EUNSUPPORTED;
}

constexpr uint32_t open_scalars = 0x00020001, close_scalars = 0x01000010;
constexpr remote_handle64 the_handle = 0xabcd;

}  // namespace

extern "C" __attribute__((visibility("default"))) int stand_in_skel_handle_invoke(remote_handle64 h, uint32_t sc,
                                                                                  remote_arg *a) {
    if (sc == open_scalars) {
        if (!power_up(&the_state)) return AEE_EFAILED;
        a[2].h64 = the_handle;
        return 0;
    }
    if (h != the_handle) return AEE_EINVHANDLE;
    return sc == close_scalars ? 0 : invoke(sc, a);
}

extern "C" __attribute__((visibility("default"))) int stand_in_refuses(remote_handle64, uint32_t, remote_arg *) {
    return AEE_EUNSUPPORTED;
}

extern "C" __attribute__((visibility("default"))) int stand_in_without_votes(remote_handle64 h, uint32_t sc,
                                                                             remote_arg *a) {
    if (sc == open_scalars) {
        a[2].h64 = the_handle;
        return 0;
    }
    return stand_in_skel_handle_invoke(h, sc, a);
}
