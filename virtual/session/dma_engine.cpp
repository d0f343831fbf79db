// virtual/session/dma_engine.cpp -- the user DMA engine of the fast mode: a descriptor is executed when it is linked.
//
// Descriptors are decoded bit for bit as the architecture has them; this is written from the documented layouts, apart from the
// encoder in htp/. What real hardware would hang on or corrupt memory with ends the process with a line that says what was wrong.
#include <string.h>

#include "platform/dma.h"
#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"
#include "virtual/session/low_memory.h"

using namespace hexane;
using namespace hexane::virt;

namespace {

struct box {
    uint32_t src, dst;
    uint32_t row_bytes, rows;
    uint32_t src_stride, dst_stride;
};

constexpr uint32_t done_bit = 1u << 31;

uint32_t bits(uint32_t word, uint32_t low, uint32_t count) { return word >> low & ((1u << count) - 1); }

// Each hardware thread has an engine; it knows the end of its chain.
thread_local uint32_t chain_end = 0;

uint32_t *descriptor_at(uint32_t address) { return reinterpret_cast<uint32_t *>(static_cast<uintptr_t>(address)); }

void check_header(uint32_t address, const uint32_t *w) {
    if (w[0] != 0) die("DMA descriptor %08x: next is %08x before it was linked", address, w[0]);
    if (w[1] & done_bit) die("DMA descriptor %08x: done is set before it was linked", address);
    if (bits(w[1], 26, 2)) die("DMA descriptor %08x: compression is not supported", address);
    if (bits(w[1], 28, 2) != 3) die("DMA descriptor %08x: source and destination must bypass the caches", address);
    if (bits(w[1], 24, 2) > 1) die("DMA descriptor %08x: unknown size %u", address, bits(w[1], 24, 2));
}

box decode_v73(uint32_t address, const uint32_t *w) {
    if (bits(w[1], 0, 24) || w[4] || w[7]) die("DMA descriptor %08x: reserved fields of a v73 box are not zero", address);
    return {w[2], w[3], bits(w[5], 0, 16), bits(w[5], 16, 16), bits(w[6], 0, 16), bits(w[6], 16, 16)};
}

box decode_v75(uint32_t address, const uint32_t *w) {
    if (w[4] != 9) die("DMA descriptor %08x: type word %08x is not that of a box with 32-bit addresses", address, w[4]);
    if (w[7]) die("DMA descriptor %08x: offset and reserved bits are not zero", address);
    return {w[2], w[3], bits(w[5], 0, 24), bits(w[5], 24, 8) | bits(w[6], 0, 8) << 8, bits(w[6], 8, 24), bits(w[1], 0, 24)};
}

void check_range(uint32_t descriptor, const char *what, uint32_t address, uint64_t bytes) {
    if (low_memory::contains(address, bytes)) return;
    die("DMA descriptor %08x: %s %08x + %llu bytes is outside the memory that DMA reaches", descriptor, what, address,
        static_cast<unsigned long long>(bytes));
}

const uint8_t *source_pointer(uint32_t address) { return reinterpret_cast<const uint8_t *>(static_cast<uintptr_t>(address)); }
uint8_t *pointer(uint32_t address) { return reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(address)); }

// Rows of a size that the compiler knows: element gathers are millions of them.
template <uint32_t Bytes> void copy_rows_of(const box &b) {
    const uint8_t *src = source_pointer(b.src);
    uint8_t *dst = pointer(b.dst);
    for (uint32_t i = 0; i < b.rows; ++i, src += b.src_stride, dst += b.dst_stride) memcpy(dst, src, Bytes);
}

void copy_box(const box &b) {
    switch (b.row_bytes) {
        case 1: return copy_rows_of<1>(b);
        case 2: return copy_rows_of<2>(b);
        case 4: return copy_rows_of<4>(b);
        case 8: return copy_rows_of<8>(b);
    }
    for (uint64_t i = 0; i < b.rows; ++i) {
        memcpy(pointer(b.dst) + i * b.dst_stride, source_pointer(b.src) + i * b.src_stride, b.row_bytes);
    }
}

void run_box(uint32_t address, const uint32_t *w) {
    if (address % 32) die("DMA descriptor %08x: a box must be aligned to 32 bytes", address);
    const box b = this_device().library_arch == arch::v73 ? decode_v73(address, w) : decode_v75(address, w);
    if (b.rows == 0 || b.row_bytes == 0) die("DMA descriptor %08x: empty box", address);
    check_range(address, "source", b.src, uint64_t{b.rows - 1} * b.src_stride + b.row_bytes);
    check_range(address, "destination", b.dst, uint64_t{b.rows - 1} * b.dst_stride + b.row_bytes);
    copy_box(b);
}

// Returns where the bytes are afterwards.
uint32_t run_linear(uint32_t address, const uint32_t *w, uint32_t hint) {
    if (address % 16) die("DMA descriptor %08x: must be aligned to 16 bytes", address);
    const uint32_t bytes = bits(w[1], 0, 24), src = w[2], dst = w[3];
    if (bytes == 0) die("DMA descriptor %08x: empty transfer", address);
    check_range(address, "source", src, bytes);
    check_range(address, "destination", dst, bytes);
    const bool stays = (hint & platform::dma_hint_read_only) && this_device().description.in_place && src % line_bytes == 0;
    if (stays) return src;
    memcpy(pointer(dst), source_pointer(src), bytes);
    return dst;
}

void append_to_chain(uint32_t tail, uint32_t address) {
    if (!low_memory::contains(tail, 16) || !low_memory::contains(address, 16)) {
        die("DMA link %08x -> %08x: descriptors must lie in memory that DMA reaches", tail, address);
    }
    uint32_t *t = descriptor_at(tail);
    // The first link starts from a descriptor that was never run; later ones from the last of the chain.
    const bool was_run = t[1] & done_bit;
    if (was_run && tail != chain_end) die("DMA link from %08x, but the chain of this thread ends at %08x", tail, chain_end);
    if (was_run && t[0] != 0) die("DMA link from %08x, which already has a successor", tail);
    t[0] = address;
    chain_end = address;
}

}  // namespace

HEX_EXPORT uint32_t hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint) {
    append_to_chain(tail, descriptor);
    uint32_t *w = descriptor_at(descriptor);
    check_header(descriptor, w);
    uint32_t where = destination;
    if (bits(w[1], 24, 2) == 0) {
        where = run_linear(descriptor, w, hint);
    } else {
        run_box(descriptor, w);
    }
    __atomic_store_n(&w[1], w[1] | done_bit, __ATOMIC_RELEASE);
    return where;
}

// Everything is done when it is linked, and the caches of a PC are coherent.
HEX_EXPORT void hexane_virtual_dma_poll() {}
HEX_EXPORT void hexane_virtual_clean_invalidate_line(const void *) {}
HEX_EXPORT uint32_t hexane_virtual_arch() { return static_cast<uint32_t>(this_device().library_arch); }
