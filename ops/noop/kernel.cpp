// ops/noop/kernel.cpp -- bytes to VTCM and back, blocks over threads, two buffers each. The last line goes through the caches, as a kernel
// sends a few scalars that it has computed: the template shows both ways, and the self-test of a session tries both.
#include "kernels/kernel.h"
#include "ops/noop/noop.h"

namespace hexane::kernels {

namespace {

// Blocks [blocks.begin, blocks.end) of one thread through its two buffers in VTCM. The last one ends at n_bytes.
void copy_blocks(worker &w, const op::noop::kernel_params &p, uint32_t n_bytes, base::range blocks, dma_addr_t src,
                 dma_addr_t dst, vtcm_byte *vtcm) {
    auto bytes_of = [&](uint32_t block) { return base::min(p.bytes_per_block, n_bytes - block * p.bytes_per_block); };
    auto load = [&](uint32_t block) {
        const dma_addr_t buffer = dma_addr_t::of(vtcm + block % 2 * p.bytes_per_block);
        w.dma.push({.dst = buffer, .src = src + block * p.bytes_per_block, .row_bytes = bytes_of(block)});
    };
    // In the queue at the top of the loop: the load of this block, then the store of the one before it.
    load(blocks.begin);
    for (uint32_t block = blocks.begin; block < blocks.end; ++block) {
        const dma_addr_t loaded = dma_addr_t::of(w.dma.pop());
        trace_scope traced(w.trace, trace_event::hvx_comp, block);
        if (block > blocks.begin) (void)w.dma.pop();  // frees the buffer that the next load goes to
        if (block + 1 < blocks.end) load(block + 1);
        w.dma.push({.dst = dst + block * p.bytes_per_block,
                    .src = loaded,
                    .row_bytes = bytes_of(block),
                    .kind = traffic::write});
    }
    (void)w.dma.pop();
}

// Bytes before the line that the last byte of dst lies in.
uint32_t bytes_before_last_line(dma_addr_t dst, uint32_t bytes) {
    const uint64_t last_line = base::align_down<uint64_t>(dst.value() + bytes - 1, line_bytes);
    return last_line > dst.value() ? static_cast<uint32_t>(last_line - dst.value()) : 0;
}

// A line is written back whole, and a part of this one may be a neighbour's: it is fetched before it is written to.
void copy_through_caches(cache_tracker &cache, dma_addr_t src, dma_addr_t dst, uint32_t bytes) {
    cache.before_cached_read(src, bytes);
    cache.before_cached_read(dst, bytes);
    __builtin_memcpy(dst.pointer<uint8_t>(), src.pointer<const uint8_t>(), bytes);
    cache.wrote(dst, bytes);
}

}  // namespace

template <> status run<op::noop>(context &ctx, const op::noop::kernel_params &p, const operands &io) {
    const dma_addr_t src = io.src[0]->base, dst = io.dst[0]->base;
    const uint32_t by_dma = bytes_before_last_line(dst, p.bytes);
    const uint32_t n_blocks = base::ceil_div(by_dma, p.bytes_per_block);
    const auto bytes = static_cast<uint32_t>(op::noop_worker_bytes(p));
    const auto copy = [&](worker &w, vtcm_byte *vtcm, base::range blocks) {
        copy_blocks(w, p, by_dma, blocks, src, dst, vtcm);
        return status::ok();
    };
    const status s = ctx.each_share(over::devices, p.n_threads, bytes, n_blocks, copy);
    if (!s.failed()) copy_through_caches(ctx.cache, src + by_dma, dst + by_dma, p.bytes - by_dma);
    return s;
}

}  // namespace hexane::kernels
