// virtual/session/dma_descriptor_decode.cpp
#include "virtual/session/dma_descriptor_decode.h"

namespace hexane::virt {

namespace {

constexpr uint32_t bits(uint32_t word, uint32_t low, uint32_t count) { return (word >> low) & ((1u << count) - 1); }

// Word 1 is shared by all kinds: length or stride [23:0], kind [25:24], compression of destination and source [27:26], bypass of
// destination and source [29:28], order [30], done [31].
const char *check_word1(uint32_t w) {
    if (bits(w, 26, 2)) return "compression bits are set";
    if (bits(w, 28, 2) != 3) return "both bypass bits must be set: a transfer goes around the caches";
    if (bits(w, 31, 1)) return "the done bit is set already";
    return nullptr;
}

const char *decode_linear(uint64_t address, const uint32_t *w, dma_work *work) {
    if (address % 16) return "a 1-D descriptor must be 16-byte aligned";
    work->row_bytes = bits(w[1], 0, 24);
    return work->row_bytes ? nullptr : "length 0";
}

const char *decode_box_v73(const uint32_t *w, dma_work *work) {
    if (bits(w[1], 0, 24)) return "reserved bits of word 1 are set";
    if (w[4] != 0) return "word 4 must be 0: descriptor type 0";
    if (w[7] != 0) return "word 7 must be 0: no offsets";
    work->row_bytes = bits(w[5], 0, 16);
    work->rows = bits(w[5], 16, 16);
    work->src_stride = bits(w[6], 0, 16);
    work->dst_stride = bits(w[6], 16, 16);
    return nullptr;
}

const char *decode_box_v75(arch a, const uint32_t *w, dma_work *work) {
    const uint32_t type = bits(w[4], 0, 8);
    if (a == arch::v81 && type == 10) {
        if (bits(w[4], 24, 8)) return "allocation, reserved and transform bits of word 4 must be 0";
        work->src |= uint64_t{bits(w[4], 8, 8)} << 32;
        work->dst |= uint64_t{bits(w[4], 16, 8)} << 32;
    } else {
        if (type != 9) return a == arch::v81 ? "descriptor type must be 9 or 10" : "descriptor type must be 9";
        if (w[4] != 9) return "bits of word 4 above the type must be 0";
    }
    if (w[7] != 0) return "word 7 must be 0: no offset";
    work->dst_stride = bits(w[1], 0, 24);
    work->row_bytes = bits(w[5], 0, 24);
    work->rows = bits(w[5], 24, 8) | bits(w[6], 0, 8) << 8;
    work->src_stride = bits(w[6], 8, 24);
    return nullptr;
}

const char *check_box(const dma_work &work) {
    if (work.rows == 0) return "0 rows";
    if (work.row_bytes == 0) return "row size 0";
    if (work.rows > 1 && work.dst_stride < work.row_bytes) return "rows overlap in the destination";
    return nullptr;
}

}  // namespace

const char *decode_descriptor(arch a, uint64_t address, const uint32_t *w, dma_work *work) {
    *work = {};
    if (w[0] & 0xf) return "state bits of the next pointer are set";
    if (const char *broken = check_word1(w[1])) return broken;
    work->next = w[0];
    work->src = w[2];
    work->dst = w[3];
    const uint32_t kind = bits(w[1], 24, 2);
    if (kind == 0) return decode_linear(address, w, work);
    if (kind != 1) return "descriptor size field must be 0 (1-D) or 1 (2-D)";
    if (address % 32) return "a 2-D descriptor must be 32-byte aligned";
    if (const char *broken = a == arch::v73 ? decode_box_v73(w, work) : decode_box_v75(a, w, work)) return broken;
    return check_box(*work);
}

}  // namespace hexane::virt
