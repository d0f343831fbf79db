// tests/qemu/packets/platform.cpp -- what the runtime finds below it in a program of one thread: a DMA engine that copies at once.
#include <stdarg.h>

#include "platform/HAP_farf.h"
#include "platform/HAP_perf.h"
#include "platform/dma.h"
#include "platform/qurt.h"
#include "tests/qemu/packets/bench.h"
#include "virtual/session/dma_copy.h"
#include "virtual/session/log.h"

using namespace hexane;

namespace {

// What the engine executes, and this accounting, which costs the same every time.
class account {
  public:
    template <class Work> void put(Work work) {
        const virt::executed before = virt::executed_so_far();
        work();
        const virt::executed after = virt::executed_so_far();
        sum_ = sum_ + (after - before) + own_;
    }
    virt::executed sum() const { return sum_; }

    // An entry of nothing shows what an entry costs beside what it counts.
    void calibrate() {
        const virt::executed around = virt::executed_so_far();
        const virt::executed reading = virt::executed_so_far() - around;
        const virt::executed before = virt::executed_so_far(), entries = sum_;
        put([] {});
        own_ = virt::executed_so_far() - before - reading - (sum_ - entries);
    }

  private:
    virt::executed sum_, own_;
};
account by_dma;

void transfer(uint32_t address) {
    auto *words = reinterpret_cast<uint32_t *>(address);
    virt::dma_work work;
    if (const char *broken = virt::decode_descriptor(arch::v73, address, words, &work))
        virt::die("DMA descriptor: %s", broken);
    virt::copy_rows(work);
    words[1] |= virt::descriptor_done_bit;
}

}  // namespace

namespace hexane::packets {
virt::executed executed_by_dma() { return by_dma.sum(); }
void calibrate() { by_dma.calibrate(); }
}  // namespace hexane::packets

extern "C" {

uint32_t hexane_virtual_dma_link(uint32_t, uint32_t descriptor, uint32_t destination, uint32_t) {
    by_dma.put([=] { transfer(descriptor); });
    return destination;
}
void hexane_virtual_dma_poll() {}
void hexane_virtual_pause() {}
uint32_t hexane_virtual_arch() { return static_cast<uint32_t>(arch::v73); }
void hexane_virtual_clean_invalidate_line(const void *) {}

// There is nobody to wait for and nothing to be late.
int qurt_thread_create(qurt_thread_t *, qurt_thread_attr_t *, void (*)(void *), void *) { return QURT_EFAILED; }
int qurt_thread_join(unsigned int, int *) { return QURT_ENOTHREAD; }
qurt_thread_t qurt_thread_get_id(void) { return 1; }
int qurt_thread_get_priority(qurt_thread_t) { return 1; }
int qurt_futex_wait(void *, int) { return QURT_EOK; }
int qurt_futex_wake(void *, int) { return 0; }
unsigned long long HAP_perf_get_qtimer_count(void) { return 0; }
unsigned long long HAP_perf_qtimer_count_to_us(unsigned long long count) { return count; }
unsigned long long HAP_perf_get_pcycles(void) { return 0; }

void HAP_debug_v2(int, const char *, int, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    virt::log_line_v("", format, arguments);
    va_end(arguments);
}

}  // extern "C"
