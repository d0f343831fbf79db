// virtual/session/strict_mode.cpp
#include "virtual/session/strict_mode.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "abi/arch.h"
#include "base/align.h"
#include "virtual/channel/owned_fd.h"
#include "virtual/session/compute_resource.h"
#include "virtual/session/device.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/strict/cache_model.h"
#include "virtual/strict/poison.h"
#include "virtual/strict/schedule.h"

namespace hexane::virt::strict {

namespace {

// Dirty lines are written back early at one push in so many.
constexpr uint32_t pushes_per_eviction = 16;

std::atomic<const char *> op_name{nullptr};
std::atomic<uint32_t> op_index{0};
std::atomic<uint64_t> op_vtcm_bytes{0};

[[noreturn]] void end_session(const std::string &what) {
    const char *name = op_name.load();
    if (name) die("strict: op %u %s: %s", op_index.load(), name, what.c_str());
    die("strict: between ops: %s", what.c_str());
}
void breach(const std::string &what) { end_session(what); }

// Never destroyed: threads of the NPU library may use it until the process is gone.
cache_model &the_cache() {
    static cache_model &c = *new cache_model(breach);
    return c;
}

// What a thread of the NPU library has to itself.
struct strict_thread {
    explicit strict_thread(uint32_t number)
        : transfers(the_cache(), breach), times(this_device().description.seed, number), name(thread_name()) {}

    late_transfers transfers;
    schedule times;
    std::string name;
};

struct thread_list {
    std::mutex lock;
    std::vector<std::unique_ptr<strict_thread>> threads;
};
thread_list &the_threads() {
    static thread_list &t = *new thread_list;
    return t;
}

strict_thread &this_thread() {
    thread_local strict_thread *mine = nullptr;
    if (mine) return *mine;
    thread_list &list = the_threads();
    const std::lock_guard guard(list.lock);
    list.threads.push_back(std::make_unique<strict_thread>(static_cast<uint32_t>(list.threads.size())));
    return *(mine = list.threads.back().get());
}

uint64_t address_of(const void *p) { return reinterpret_cast<uint64_t>(p); }

// What the running op has of VTCM: its end, so that the guard page behind VTCM is the op's.
struct address_range {
    uint64_t begin, end;
};
address_range vtcm_of_op() {
    const vtcm_place vtcm = place_of_vtcm();
    const uint64_t end = address_of(vtcm.base) + vtcm.bytes;
    return {end - op_vtcm_bytes.load(), end};
}

void protect_vtcm(uint8_t *begin, uint64_t bytes, int access) {
    if (bytes && mprotect(begin, bytes, access) != 0) end_session("VTCM cannot be protected");
}

// For the handler of faults, in which nothing may be allocated.
template <class... Numbers> [[noreturn]] void end_session_at_fault(const char *format, Numbers... numbers) {
    char what[512];
    snprintf(what, sizeof what, format, numbers...);
    const char *name = op_name.load();
    if (name) die("strict: op %u %s: %s", op_index.load(), name, what);
    die("strict: between ops: %s", what);
}

void resolve_fault(unsigned long long address, bool is_store) {
    const cache_model::place at = the_cache().place_of(address);
    if (at.buffer && is_store) return the_cache().open_for_store(address);
    if (at.buffer)
        end_session_at_fault(
            "cached read of 0x%08llx, %s + %llu, which the cache does not hold since the memory was written last; expected: the line "
            "invalidated (before_cached_read, or INVALIDATE_RECIPIENT on its packet) and synchronised before",
            address, at.buffer, static_cast<unsigned long long>(at.offset));
    const vtcm_place vtcm = place_of_vtcm();
    const unsigned long long begin = address_of(vtcm.base), end = begin + vtcm.bytes;
    const char *access = is_store ? "store" : "load";
    if (vtcm.base && address >= begin - low_memory::page_bytes && address < end + low_memory::page_bytes) {
        const unsigned long long mine = vtcm_of_op().begin;
        if (mine == end)
            end_session_at_fault("%s in VTCM at 0x%08llx; expected: none, for no op has VTCM now", access, address);
        end_session_at_fault("%s outside of the VTCM of the plan, at 0x%08llx; expected: within 0x%08llx .. 0x%08llx",
                             access, address, mine, end);
    }
    end_session_at_fault("%s at 0x%08llx, where nothing is mapped; expected: an operand, VTCM or the heap", access,
                         address);
}

// The processor tells loads from stores on x86-64. Elsewhere a fault counts as a store: poison is read then.
bool is_store([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
    return (static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    return true;
#endif
}

void faulted(int, siginfo_t *info, void *context) { resolve_fault(address_of(info->si_addr), is_store(context)); }

}  // namespace

bool is_on() { return this_device().description.mode == session_mode::strict; }

void *map_buffer(int host_fd, int fd, uint64_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (memory == MAP_FAILED) return nullptr;
    // The cache's copy, twice: where the NPU sees it, and where the model does.
    const owned_fd copy(memfd_create("hexane-cache", MFD_CLOEXEC));
    void *cache = MAP_FAILED, *view = nullptr;
    if (copy.valid() && ftruncate(copy.get(), static_cast<off_t>(bytes)) == 0)
        cache = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, copy.get(), 0);
    if (cache != MAP_FAILED) view = low_memory::map_shared(copy.get(), bytes);
    if (!view) {
        munmap(memory, bytes);
        if (cache != MAP_FAILED) munmap(cache, bytes);
        return nullptr;
    }
    the_cache().add(static_cast<uint8_t *>(view), static_cast<uint8_t *>(cache), static_cast<uint8_t *>(memory), bytes,
                    "buffer " + std::to_string(host_fd));
    return view;
}

void unmap_buffer(void *view, uint64_t bytes) {
    const cache_model::mappings others = the_cache().remove(static_cast<uint8_t *>(view));
    if (others.memory) munmap(others.memory, bytes);
    if (others.cache) munmap(others.cache, bytes);
    low_memory::unmap(view, bytes);
}

void packet_arrives(const dspqueue_buffer *buffers, uint32_t n) {
    the_cache().others_wrote();
    for (uint32_t i = 0; i < n; ++i) {
        if (buffers[i].ptr && (buffers[i].flags & DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT))
            the_cache().clean_invalidate(address_of(buffers[i].ptr), buffers[i].size);
    }
}

void packet_leaves(const dspqueue_buffer *buffers, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        const dspqueue_buffer &b = buffers[i];
        if (!b.ptr) continue;
        const uint64_t changed = the_cache().first_dirty(address_of(b.ptr), b.size);
        if (changed && !(b.flags & DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT))
            end_session("the line at " + hex(changed) +
                        " of a packet's buffer was written here, and the host keeps what its own "
                        "caches have of it; expected: INVALIDATE_RECIPIENT");
        if (b.flags & DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER) the_cache().clean_invalidate(address_of(b.ptr), b.size);
    }
    the_cache().require_all_clean("the session answers the host");
}

// Each side of a transfer lies in a buffer, whose bounds the cache's model checks, or within what the op has of VTCM. Other memory of the
// session is cached, and the engine goes around the caches.
void require_reachable_by_dma(uint64_t address, uint64_t bytes, const dma_work &work) {
    if (!is_vtcm(address, bytes)) {
        if (the_cache().place_of(address).buffer) return;
        end_session("DMA at " + hex(address) + ", which is neither an operand nor VTCM: " + describe(work) +
                    "; expected: one of the two");
    }
    const address_range mine = vtcm_of_op();
    if (address >= mine.begin && address + bytes <= mine.end) return;
    end_session("DMA leaves the VTCM of the plan (" + hex(mine.begin) + " .. " + hex(mine.end) +
                "): " + describe(work) + "; expected: within it");
}

void push_transfer(const dma_work &work, uint32_t *descriptor) {
    require_reachable_by_dma(work.src, work.src_extent(), work);
    require_reachable_by_dma(work.dst, work.dst_extent(), work);
    strict_thread &t = this_thread();
    t.times.delay();
    if (t.times.once_in(pushes_per_eviction)) the_cache().evict_some(t.times.next());
    t.transfers.push(work, descriptor);
}

void poll_engine() {
    strict_thread &t = this_thread();
    t.times.delay();
    // Looking once is not waiting: nothing may have landed yet.
    if (!t.times.once_in(3)) t.transfers.land_oldest();
}

void post_clean_invalidate(uint64_t address) { the_cache().post_clean_invalidate(address); }

void synchronise() {
    this_thread().times.delay();
    the_cache().synchronise();
}

uint8_t *op_begins(const char *name, uint32_t index, uint32_t bytes) {
    op_index = index;
    op_name = name;
    const vtcm_place vtcm = place_of_vtcm();
    op_vtcm_bytes = base::align_up<uint64_t>(bytes, line_bytes);
    const uint64_t pages = base::align_up<uint64_t>(op_vtcm_bytes, low_memory::page_bytes);
    uint8_t *end = vtcm.base + vtcm.bytes;
    protect_vtcm(vtcm.base, vtcm.bytes, PROT_NONE);
    protect_vtcm(end - pages, pages, PROT_READ | PROT_WRITE);
    poison(end - pages, pages);
    this_thread().times.delay();
    return end - op_vtcm_bytes;
}

// What shares a page with the op's first byte cannot be closed: it is looked at afterwards.
void require_untouched_before(address_range mine) {
    const uint64_t page = base::align_down(mine.begin, low_memory::page_bytes), slack = mine.begin - page;
    const uint64_t at = first_unpoisoned(reinterpret_cast<const uint8_t *>(page), slack);
    if (at == slack) return;
    end_session("VTCM before that of the plan was written, at " + hex(page + at) + "; expected: from " +
                hex(mine.begin) + " on");
}

void op_ends() {
    thread_list &list = the_threads();
    const std::lock_guard guard(list.lock);
    for (const auto &t : list.threads) {
        if (t->transfers.in_flight() == 0) continue;
        end_session("thread " + t->name + " left " + std::to_string(t->transfers.in_flight()) +
                    " transfers in flight, the oldest: " + describe(t->transfers.oldest()) +
                    "; expected: none at the end of an op");
    }
    require_untouched_before(vtcm_of_op());
    const vtcm_place vtcm = place_of_vtcm();
    protect_vtcm(vtcm.base, vtcm.bytes, PROT_NONE);
    op_vtcm_bytes = 0;
    op_name = nullptr;
}

void may_delay() { this_thread().times.delay(); }

void handle_faults() {
    struct sigaction action{};
    action.sa_sigaction = faulted;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace hexane::virt::strict
