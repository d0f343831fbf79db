// ops/noop/kernel.cpp -- bytes to VTCM and back, blocks over threads, two buffers each.
#include "htp/context.h"
#include "ops/noop/noop.h"

namespace hexane::htp {

namespace {

// Blocks [blocks.begin, blocks.end) of one thread through its two buffers in VTCM.
void copy_blocks(worker &w, const noop::kernel_params &p, base::range blocks, dma_addr_t src, dma_addr_t dst,
                 uint8_t *vtcm) {
    auto bytes_of = [&](uint32_t block) { return base::min(p.bytes_per_block, p.bytes - block * p.bytes_per_block); };
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

}  // namespace

template <> status run<noop>(context &ctx, const noop::kernel_params &p, const operands &io) {
    const uint32_t n_blocks = base::ceil_div(p.bytes, p.bytes_per_block);
    return ctx.work.run(p.n_threads, [&](worker &w) {
        const base::range blocks = w.share_of(n_blocks);
        if (!blocks.empty())
            copy_blocks(w, p, blocks, io.src[0]->base, io.dst[0]->base, &ctx.vtcm[w.index * 2 * p.bytes_per_block]);
        return status::ok();
    });
}

}  // namespace hexane::htp
