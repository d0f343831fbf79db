// tests/harness/npu/engine.cpp -- the platform's DMA functions, for tests.
#include "tests/harness/npu/engine.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "platform/dma.h"
#include "virtual/strict/late_transfers.h"

namespace hexane::testing {

namespace {

constexpr uint32_t done_bit = 1u << 31;

struct {
    std::mutex mutex;
    arch of = arch::v75;
    engine_mode mode = engine_mode::in_place;
    std::vector<memory_range> memory;
    std::string breach;
    bool keep = false;
    std::vector<decoded_transfer> kept;
    std::vector<uint64_t> flushed;
    uint32_t epoch = 0;
} engine;

// There are no caches here: everybody sees the same memory.
class plain_memory : public virt::strict::dma_memory {
  public:
    uint8_t *reach(uint64_t address) override { return reinterpret_cast<uint8_t *>(address); }
    void about_to_read(uint64_t, uint64_t) override {}
    void about_to_write(uint64_t, uint64_t) override {}
    void written(uint64_t, uint64_t) override {}
};
plain_memory memory;

// The queue of one hardware thread.
struct thread_queue {
    uint32_t epoch = 0;
    virt::strict::late_transfers waiting{memory, note_breach};
    uint32_t last = 0;  // descriptor linked last
};
thread_local thread_queue queue;

template <class T = uint8_t> T *at(uint64_t address) { return reinterpret_cast<T *>(static_cast<uintptr_t>(address)); }

std::string hex(uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string describe(const decoded_transfer &t) {
    return std::to_string(t.rows) + " rows of " + std::to_string(t.row_bytes) + " bytes, " + hex(t.src) + " (stride " +
           std::to_string(t.src_stride) + ") -> " + hex(t.dst) + " (stride " + std::to_string(t.dst_stride) + ")";
}

bool is_allowed(uint64_t address, uint64_t bytes) {
    if (engine.memory.empty()) return true;
    for (const memory_range &r : engine.memory) {
        if (r.contains(address, bytes)) return true;
    }
    return false;
}

bool check_addresses(const decoded_transfer &t) {
    for (uint32_t r = 0; r < t.rows; ++r) {
        if (is_allowed(t.src + uint64_t{r} * t.src_stride, t.row_bytes) &&
            is_allowed(t.dst + uint64_t{r} * t.dst_stride, t.row_bytes))
            continue;
        note_breach("row " + std::to_string(r) + " of a transfer lies outside the operands and VTCM: " + describe(t));
        return false;
    }
    return true;
}

template <class F> void for_each_row(const decoded_transfer &t, F &&f) {
    for (uint32_t r = 0; r < t.rows; ++r)
        f(at(t.dst + uint64_t{r} * t.dst_stride), at(t.src + uint64_t{r} * t.src_stride), size_t{r} * t.row_bytes);
}

void copy_now(const decoded_transfer &t) {
    for_each_row(t, [&](uint8_t *dst, const uint8_t *src, size_t) { std::memcpy(dst, src, t.row_bytes); });
}

void complete(uint32_t *descriptor) { __atomic_fetch_or(&descriptor[1], done_bit, __ATOMIC_RELEASE); }

void start_late(uint32_t *descriptor, const decoded_transfer &t) {
    virt::dma_work work;
    work.dst = t.dst;
    work.src = t.src;
    work.row_bytes = t.row_bytes;
    work.rows = t.rows;
    work.dst_stride = t.dst_stride;
    work.src_stride = t.src_stride;
    queue.waiting.push(work, descriptor);
}

decoded_transfer decode_2d(const uint32_t *w, arch a) {
    decoded_transfer t;
    t.two_d = true;
    t.src = w[2];
    t.dst = w[3];
    const uint32_t kind = w[4] & 0xff;
    if (a == arch::v73) {
        if (w[4] != 0) t.malformed = "descriptor type of v73 is not 0";
        if (w[1] & 0xffffff) t.malformed = "reserved bits of word 1 are set";
        t.row_bytes = w[5] & 0xffff;
        t.rows = w[5] >> 16;
        t.src_stride = w[6] & 0xffff;
        t.dst_stride = w[6] >> 16;
        return t;
    }
    if (kind != 9 && !(a == arch::v81 && kind == 10)) t.malformed = "descriptor type is not 9";
    if (kind == 10) {
        t.src |= static_cast<uint64_t>(w[4] >> 8 & 0xff) << 32;
        t.dst |= static_cast<uint64_t>(w[4] >> 16 & 0xff) << 32;
    }
    t.dst_stride = w[1] & 0xffffff;
    t.row_bytes = w[5] & 0xffffff;
    t.rows = w[5] >> 24 | (w[6] & 0xff) << 8;
    t.src_stride = w[6] >> 8;
    return t;
}

uint32_t *claim(uint32_t tail, uint32_t descriptor) {
    if (queue.epoch != engine.epoch) {
        queue.waiting.forget();
        queue.epoch = engine.epoch;
        queue.last = 0;
    }
    if (queue.last != 0 && queue.last != tail) note_breach("linked to a descriptor that is not the last one");
    queue.last = descriptor;
    return at<uint32_t>(descriptor);
}

}  // namespace

decoded_transfer decode_descriptor(const uint32_t *w, arch a) {
    const uint32_t size = w[1] >> 24 & 3;
    decoded_transfer t;
    if (size == 1) {
        t = decode_2d(w, a);
    } else {
        t.src = w[2];
        t.dst = w[3];
        t.row_bytes = t.src_stride = t.dst_stride = w[1] & 0xffffff;
        if (size != 0) t.malformed = "descriptor size is neither 1-D nor 2-D";
    }
    t.bypass = (w[1] >> 28 & 3) == 3;
    if (w[0] != 0) t.malformed = "next is not 0";
    if (w[1] & done_bit) t.malformed = "done is set";
    if (w[1] >> 26 & 3 || w[1] >> 30 & 1) t.malformed = "compression or order is set";
    if (t.row_bytes == 0 || t.rows == 0) t.malformed = "nothing to move";
    return t;
}

void reset_engine(arch a, engine_mode mode, std::vector<memory_range> memory) {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    engine.of = a;
    engine.mode = mode;
    engine.memory = std::move(memory);
    engine.breach.clear();
    engine.kept.clear();
    engine.flushed.clear();
    ++engine.epoch;
}

void note_breach(const std::string &what) {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    if (engine.breach.empty()) engine.breach = what;
}

std::string first_breach() {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    return engine.breach;
}

std::vector<uint64_t> take_flushed_lines() {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    return std::exchange(engine.flushed, {});
}

void keep_descriptors(bool keep) { engine.keep = keep; }

std::vector<decoded_transfer> kept_descriptors() {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    return engine.kept;
}

}  // namespace hexane::testing

using namespace hexane::testing;

extern "C" {

uint32_t hexane_virtual_dma_link(uint32_t tail, uint32_t descriptor, uint32_t destination, uint32_t hint) {
    uint32_t *words = claim(tail, descriptor);
    const decoded_transfer t = decode_descriptor(words, engine.of);
    if (engine.keep) {
        const std::lock_guard<std::mutex> lock(engine.mutex);
        engine.kept.push_back(t);
    }
    if (!t.malformed.empty()) note_breach("descriptor: " + t.malformed);
    if (descriptor % (t.two_d ? 32 : 16) != 0) note_breach("descriptor is not aligned");
    if (!t.bypass) note_breach("transfer goes through the caches");
    if (t.dst != destination) note_breach("destination of the descriptor is not the one announced");
    if (!t.malformed.empty() || !check_addresses(t)) {
        complete(words);
        return destination;
    }
    if (engine.mode == engine_mode::late) {
        start_late(words, t);
        return destination;
    }
    complete(words);
    if (!t.two_d && hint == hexane::platform::dma_hint_read_only && t.src % hexane::line_bytes == 0)
        return static_cast<uint32_t>(t.src);
    copy_now(t);
    return destination;
}

void hexane_virtual_dma_poll() {
    if (queue.epoch == engine.epoch) queue.waiting.land_oldest();
}

void hexane_virtual_clean_invalidate_line(const void *address) {
    const std::lock_guard<std::mutex> lock(engine.mutex);
    engine.flushed.push_back(reinterpret_cast<uint64_t>(address) / hexane::line_bytes * hexane::line_bytes);
}

void hexane_virtual_sync_thread() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

uint32_t hexane_virtual_arch() { return static_cast<uint32_t>(engine.of); }

}  // extern "C"
