// virtual/session/dma_engine.cpp -- the user DMA engine of a hardware thread, and the cache instructions.
//
// In fast mode a transfer is over when it is linked; in strict mode it lands when it is waited for (virtual/strict/).
// The descriptors are those of the device, bit for bit. What hardware would silently do wrong ends the session with a line.
#include <inttypes.h>
#include <unistd.h>

#include "platform/dma.h"
#include "virtual/session/compute_resource.h"
#include "virtual/session/device.h"
#include "virtual/session/dma_copy.h"
#include "virtual/session/dma_descriptor_decode.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"
#include "virtual/session/strict_mode.h"

using namespace hexane;
using namespace hexane::virt;

namespace {

// Descriptor that this thread's chain ends in; 0 before the first link.
thread_local uint32_t chain_tail = 0;

uint32_t *words_at(uint32_t address) { return reinterpret_cast<uint32_t *>(static_cast<uintptr_t>(address)); }

void check_place(const char *what, uint64_t address, uint64_t bytes) {
    if (!low_memory::contains(address, bytes)) {
        die("DMA: %s 0x%" PRIx64 " + %" PRIu64 " bytes is outside of what the engine reaches", what, address, bytes);
    }
    if (is_vtcm(address, bytes) && !vtcm_is_held()) {
        die("DMA: %s 0x%" PRIx64 " is in VTCM, which is not acquired (compute_resource_acquire_cached)", what, address);
    }
}

// A chain begins behind an all-zero descriptor; after that every link continues where the last one ended.
void check_tail(uint32_t tail) {
    if (tail == chain_tail && tail) return;
    if (!low_memory::contains(tail, 32) || tail % 16)
        die("DMA: the chain's tail 0x%08x is not a descriptor in DDR", tail);
    const uint32_t *w = words_at(tail);
    if (w[0] | w[1] | w[2] | w[3])
        die("DMA: the chain's tail 0x%08x is not the descriptor that this thread linked last (0x%08x)", tail,
            chain_tail);
}

dma_work decode(uint32_t address) {
    dma_work work;
    const uint32_t *w = words_at(address);
    if (const char *broken = decode_descriptor(this_device().library_arch, address, w, &work)) {
        die("DMA: descriptor 0x%08x (%08x %08x %08x %08x, v%u): %s", address, w[0], w[1], w[2], w[3],
            static_cast<unsigned>(this_device().library_arch), broken);
    }
    check_place("source", work.src, work.src_extent());
    check_place("destination", work.dst, work.dst_extent());
    return work;
}

bool can_stay(const dma_work &work, uint32_t hint) {
    return (hint & platform::dma_hint_read_only) && work.is_contiguous() && work.src % line_bytes == 0 &&
           this_device().description.in_place;
}

// Executes one descriptor and returns where its bytes are.
uint32_t execute(const dma_work &work, uint32_t address, uint32_t hint) {
    if (strict::is_on()) {
        strict::push_transfer(work, words_at(address));
        return static_cast<uint32_t>(work.dst);
    }
    const bool stays = can_stay(work, hint);
    if (!stays) copy_rows(work);
    __atomic_fetch_or(words_at(address) + 1, descriptor_done_bit, __ATOMIC_RELEASE);
    return static_cast<uint32_t>(stays ? work.src : work.dst);
}

}  // namespace

HEX_EXPORT uint32_t hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint) {
    check_tail(tail);
    if (!low_memory::contains(descriptor, 32)) die("DMA: descriptor 0x%08x is not in DDR", descriptor);
    uint32_t last = descriptor, where = destination;
    for (uint32_t at = descriptor, next; at; at = next) {
        const dma_work work = decode(at);
        const uint32_t landed = execute(work, at, at == descriptor ? hint : 0);
        if (at == descriptor) where = landed;
        next = work.next;
        if (next && !low_memory::contains(next, 32)) die("DMA: next descriptor 0x%08x is not in DDR", next);
        last = at;
    }
    words_at(tail)[0] = descriptor;
    chain_tail = last;
    return where;
}

HEX_EXPORT void hexane_virtual_dma_poll() {
    if (strict::is_on()) strict::poll_engine();
}
HEX_EXPORT void hexane_virtual_clean_invalidate_line(const void *address) {
    if (strict::is_on()) strict::post_clean_invalidate(reinterpret_cast<uintptr_t>(address));
}
HEX_EXPORT void hexane_virtual_sync_thread() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (strict::is_on()) strict::synchronise();
}
HEX_EXPORT void *hexane_virtual_op_begins(const char *name, uint32_t index, void *vtcm, uint32_t bytes) {
    if (const uint32_t ms = this_device().description.op_ms) usleep(ms * 1000);
    return strict::is_on() ? strict::op_begins(name, index, bytes) : vtcm;
}
HEX_EXPORT void hexane_virtual_op_ends() {
    if (strict::is_on()) strict::op_ends();
}
HEX_EXPORT uint32_t hexane_virtual_arch() { return static_cast<uint32_t>(this_device().library_arch); }
