// tests/virtual/careless_kernels.cpp -- a library for hexane-dsp whose kernels use the NPU library's DMA queue and cache tracker, each
// with one fault that a forgiving machine hides.
#include <stdint.h>
#include <string.h>

#include "htp/cache.h"
#include "htp/dma_queue.h"
#include "platform/AEEStdErr.h"
#include "platform/HAP_compute_res.h"
#include "platform/HAP_mem.h"
#include "platform/heap.h"
#include "platform/observe.h"
#include "platform/remote.h"
#include "tests/virtual/careless_interface.h"

namespace {

using namespace careless;
using hexane::htp::cache_tracker;
using hexane::htp::dma_addr_t;
using hexane::htp::dma_queue;

constexpr uint32_t block = 4096;

// What an op has, as htp::context has it; but VTCM as bytes that scalar code can touch, for faults.
struct op_context {
    uint8_t *buffer;
    uint8_t *vtcm;
    uint32_t vtcm_bytes;
    dma_queue &dma;
    cache_tracker &cache;
    uint8_t *ring;
    bool careful;

    void load(uint32_t vtcm_at, uint32_t buffer_at) { copy(vtcm + vtcm_at, buffer + buffer_at); }
    void store(uint32_t buffer_at, uint32_t vtcm_at) { copy(buffer + buffer_at, vtcm + vtcm_at); }
    void copy(uint8_t *to, const uint8_t *from) {
        dma.push({.dst = dma_addr_t::of(to), .src = dma_addr_t::of(from), .row_bytes = block, .land_at_dst = true});
    }
    // A line that this op makes through the cache.
    void write_line(uint32_t at) {
        memset(buffer + at, 0x11, hexane::line_bytes);
        cache.wrote(dma_addr_t::of(buffer + at), hexane::line_bytes);
    }
};
volatile uint8_t sink;

void missing_flush(op_context &op) {
    op.write_line(0);
    if (op.careful) op.cache.before_dma(dma_addr_t::of(op.buffer), hexane::line_bytes);
    op.load(0, 0);
    op.dma.flush();
}

void missing_sync(op_context &op) {
    op.write_line(0);
    hexane::platform::clean_invalidate_line(op.buffer);
    if (op.careful) hexane::platform::sync_thread();
    op.load(0, 0);
    op.dma.flush();
}

void missing_invalidate(op_context &op) {
    op.load(0, 0);
    op.dma.flush();
    op.store(block, 0);
    op.dma.flush();
    if (op.careful) op.cache.before_cached_read(dma_addr_t::of(op.buffer + block), block);
    sink = op.buffer[block + 1];
}

void dirty_line_under_dma(op_context &op) {
    op.load(0, 0);
    op.dma.flush();
    op.write_line(block);
    if (op.careful) op.cache.before_dma(dma_addr_t::of(op.buffer + block), block);
    op.store(block, 0);
    op.dma.flush();
}

void missing_pop(op_context &op) {
    op.load(0, 0);
    if (op.careful) (void)op.dma.pop();
    op.store(block, 0);
    op.dma.flush();
}

void swapped_pops(op_context &op) {
    op.load(0, 0);
    op.load(block, block);
    (void)op.dma.pop();
    op.store(2 * block, op.careful ? 0 : block);
    op.dma.flush();
}

void source_overwritten(op_context &op) {
    op.load(0, 0);
    op.dma.flush();
    op.store(block, 0);
    if (op.careful) op.dma.flush();
    op.vtcm[100] ^= 1;
    op.dma.flush();
}

void destination_written(op_context &op) {
    op.load(0, 0);
    if (op.careful) op.dma.flush();
    op.vtcm[100] = 1;
    op.dma.flush();
}

void read_past_vtcm(op_context &op) { sink = op.vtcm[op.vtcm_bytes - (op.careful ? 1 : 0)]; }

void dma_past_vtcm(op_context &op) {
    op.load(op.vtcm_bytes - (op.careful ? block : block / 2), 0);
    op.dma.flush();
}

void read_before_vtcm(op_context &op) { sink = op.careful ? op.vtcm[0] : *(op.vtcm - 4096); }

void write_before_vtcm(op_context &op) { op.vtcm[op.careful ? 0 : -1] = 1; }

void dma_before_vtcm(op_context &op) {
    op.copy(op.vtcm - (op.careful ? 0 : hexane::line_bytes), op.buffer);
    op.dma.flush();
}

void dma_into_heap(op_context &op) {
    auto *heap = static_cast<uint8_t *>(__wrap_memalign(hexane::line_bytes, block));
    op.copy(op.careful ? op.vtcm : heap, op.buffer);
    op.dma.flush();
    __wrap_free(heap);
}

void transfer_left_in_flight(op_context &op) {
    op.load(0, 0);
    if (op.careful) op.dma.flush();
}

void vtcm_of_the_op_before(op_context &op) {
    op.load(0, 0);
    op.dma.flush();
    hexane::platform::op_ends();
    op.vtcm = static_cast<uint8_t *>(hexane::platform::op_begins("CARELESS", 1, op.vtcm, op.vtcm_bytes));
    if (op.careful) op.load(0, 0);
    op.dma.flush();
    op.store(block, 0);
    op.dma.flush();
}

void part_of_a_line_stored(op_context &op) {
    if (op.careful) op.cache.before_cached_read(dma_addr_t::of(op.buffer), hexane::line_bytes);
    memset(op.buffer + 32, 0x22, 32);
    op.cache.wrote(dma_addr_t::of(op.buffer + 32), 32);
    op.cache.flush_all();
}

void transfer_leaves_buffer(op_context &op) {
    op.load(0, buffer_bytes - (op.careful ? block : block / 2));
    op.dma.flush();
}

void descriptor_changed(op_context &op) {
    op.load(0, 0);
    if (op.careful) op.dma.flush();
    reinterpret_cast<uint32_t *>(op.ring)[2] ^= 128;  // the source's address
    op.dma.flush();
}

// Ten times: a poll may land the transfer by luck.
void polled_once(op_context &op) {
    for (uint32_t i = 0; i < 10; ++i) {
        op.load(0, 0);
        hexane::platform::dma_poll();
        if (op.careful) op.dma.flush();
        op.store(block, 0);
        op.dma.flush();
    }
}

using kernel = void (*)(op_context &);
// In the order of `fault`.
constexpr kernel kernels[] = {
    missing_flush,         missing_sync,          missing_invalidate,     dirty_line_under_dma, missing_pop,
    swapped_pops,          source_overwritten,    destination_written,    read_past_vtcm,       dma_past_vtcm,
    read_before_vtcm,      write_before_vtcm,     dma_before_vtcm,        dma_into_heap,        transfer_left_in_flight,
    vtcm_of_the_op_before, part_of_a_line_stored, transfer_leaves_buffer, descriptor_changed,   polled_once};
static_assert(sizeof kernels / sizeof kernels[0] == static_cast<uint32_t>(fault::count));

// VTCM for one run.
class vtcm_grant {
  public:
    vtcm_grant() {
        compute_res_attr_t attr{};
        unsigned int total = 0;
        HAP_compute_res_query_VTCM(0, &total, nullptr, nullptr, nullptr);
        HAP_compute_res_attr_init(&attr);
        HAP_compute_res_attr_set_cache_mode(&attr, true);
        HAP_compute_res_attr_set_vtcm_param_v2(&attr, total, total, total);
        id_ = HAP_compute_res_acquire(&attr, 1'000'000);
        void *p = nullptr;
        HAP_compute_res_attr_get_vtcm_ptr_v2(&attr, &p, &bytes);
        HAP_compute_res_acquire_cached(id_, 1'000'000);
        at = static_cast<uint8_t *>(p);
    }
    ~vtcm_grant() {
        HAP_compute_res_release_cached(id_);
        HAP_compute_res_release(id_);
    }

    uint8_t *at = nullptr;
    unsigned int bytes = 0;

  private:
    unsigned int id_ = 0;
};

uint8_t *map_buffer(int fd, uint32_t bytes = buffer_bytes) {
    constexpr int access = HAP_PROT_READ | HAP_PROT_WRITE;
    void *p = hexane::platform::current_arch() == hexane::arch::v73
                  ? HAP_mmap(nullptr, static_cast<int>(bytes), access, 0, fd, 0)
                  : HAP_mmap2(nullptr, bytes, access, 0, fd, 0);
    return p == HAP_MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
}

int unmap_buffer(uint8_t *buffer, uint32_t bytes = buffer_bytes) {
    if (hexane::platform::current_arch() == hexane::arch::v73) return HAP_munmap(buffer, static_cast<int>(bytes));
    return HAP_munmap2(buffer, bytes);
}

// Of VTCM: not at its beginning, and no whole number of pages.
constexpr uint32_t planned_vtcm = (64u << 10) - 3 * hexane::line_bytes, before_vtcm = 8192;

// Runs `kernel(op_context)` as an op; its result is the method's.
template <class Kernel> int run_op(int fd, uint32_t bytes, bool careful, Kernel kernel) {
    uint8_t *buffer = map_buffer(fd, bytes);
    if (!buffer) return AEE_EMMAP;
    vtcm_grant vtcm;
    static hexane::htp::trace_log trace;
    static dma_queue dma;
    static cache_tracker cache;
    cache.init(&trace);
    auto *ring = static_cast<uint8_t *>(__wrap_memalign(hexane::line_bytes, dma_queue::ring_bytes()));
    dma.init(hexane::platform::current_arch(), ring, &trace);
    auto *at = static_cast<uint8_t *>(hexane::platform::op_begins("CARELESS", 0, vtcm.at + before_vtcm, planned_vtcm));
    op_context op{buffer, at, planned_vtcm, dma, cache, ring, careful};
    const int result = kernel(op);
    hexane::platform::op_ends();
    cache.flush_all();
    const int unmapped = unmap_buffer(buffer, bytes);
    return result ? result : unmapped;
}

int run_kernel(const run_args &a) {
    return run_op(a.fd, buffer_bytes, a.careful != 0, [&](op_context &op) {
        kernels[static_cast<uint32_t>(a.which)](op);
        return AEE_SUCCESS;
    });
}

int many_dirty_ranges(op_context &op) {
    for (uint32_t i = 0; i < cache_tracker::max_ranges + 8; ++i) op.write_line(i * 512);
    return AEE_SUCCESS;
}

// The first byte of every piece, which the test has numbered.
int descriptors_run_out(op_context &op) {
    op.dma.push({.dst = dma_addr_t::of(op.vtcm),
                 .src = dma_addr_t::of(op.buffer),
                 .row_bytes = hexane::line_bytes,
                 .rows = far_pieces,
                 .dst_stride = hexane::line_bytes,
                 .src_stride = far_stride});
    const auto *where = reinterpret_cast<const uint8_t *>(op.dma.pop());
    for (uint32_t i = 0; i < far_pieces; ++i) {
        if (where[i * hexane::line_bytes] != static_cast<uint8_t>(i + 1)) return AEE_EFAILED;
    }
    return AEE_SUCCESS;
}

// Data of the host's that looks like the model's own marks: a word here and there.
int data_like_poison(op_context &op) {
    op.load(0, 0);
    op.dma.flush();
    op.store(block, 0);
    op.dma.flush();
    return AEE_SUCCESS;
}

int vtcm_between_ops(op_context &op) {
    hexane::platform::op_ends();
    op.vtcm[0] = 1;
    (void)hexane::platform::op_begins("CARELESS", 1, op.vtcm, op.vtcm_bytes);
    return AEE_SUCCESS;
}

int run_stress_kernel(const stress_args &a) {
    constexpr int (*stresses[])(op_context &) = {many_dirty_ranges, descriptors_run_out, data_like_poison,
                                                 vtcm_between_ops};
    static_assert(sizeof stresses / sizeof stresses[0] == static_cast<uint32_t>(stress::count));
    return run_op(a.fd, a.bytes, true, stresses[static_cast<uint32_t>(a.which)]);
}

uint8_t *shared_part = nullptr;

// Two steps, so that a test can have two sessions take turns.
int fetch(const part_args &a) {
    if (!shared_part) shared_part = map_buffer(a.fd);
    if (!shared_part) return AEE_EMMAP;
    hexane::platform::clean_invalidate_line(shared_part + a.begin);
    hexane::platform::sync_thread();
    return AEE_SUCCESS;
}

int write(const part_args &a) {
    memset(shared_part + a.begin, static_cast<int>(a.value), a.bytes);
    hexane::platform::clean_invalidate_line(shared_part + a.begin);
    hexane::platform::sync_thread();
    return AEE_SUCCESS;
}

template <class T> T input(const remote_arg *a) {
    T v;
    memcpy(&v, a[0].buf.pv, sizeof v);
    return v;
}

constexpr uint32_t open_scalars = 0x00020001, close_scalars = 0x01000010;

}  // namespace

extern "C" __attribute__((visibility("default"))) int careless_skel_handle_invoke(remote_handle64, uint32_t sc,
                                                                                  remote_arg *a) {
    switch (sc) {
        case open_scalars: a[2].h64 = 1; return 0;
        case close_scalars: return 0;
        case careless::run: return run_kernel(input<run_args>(a));
        case careless::run_stress: return run_stress_kernel(input<stress_args>(a));
        case careless::fetch_part: return fetch(input<part_args>(a));
        case careless::write_part: return write(input<part_args>(a));
    }
    return AEE_EUNSUPPORTED;
}
