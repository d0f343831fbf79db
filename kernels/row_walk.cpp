// kernels/row_walk.cpp
#include "kernels/row_walk.h"

namespace hexane::kernels {

namespace {

rows::shape shape_of(const operand &t) {
    rows::shape s;
    for (uint32_t i = 0; i < 4; ++i) {
        s.ne[i] = t.ne[i];
        s.nb[i] = t.nb[i];
    }
    s.element_bytes = block_bytes(t.type);
    return s;
}

}  // namespace

row_nest::row_nest(const rows::loops &l, const row_operand *operands, uint32_t n) : loops(l) {
    rows::shape shapes[rows::max_operands];
    for (uint32_t o = 0; o < n; ++o) {
        shapes[o] = shape_of(*operands[o].tensor);
        base[o] = operands[o].tensor->base + operands[o].offset;
    }
    rows::nest_of(l, shapes, n, this);
}

unit_walk::unit_walk(const row_nest &n, const rows::blocks &b, uint32_t first) : nest_(n), blocks_(b) {
    uint32_t rest = n.loops.by_row_blocks().quotient(first);
    row_ = (first - rest * n.loops.row_blocks) * b.rows;
    for (uint32_t i = 2; i < n.n_loops; ++i) {
        const uint32_t next = n.loops.by_extent(i).quotient(rest);
        index_[i] = rest - next * n.extent[i];
        rest = next;
    }
    col_ = rest * b.cols;
}

uint32_t unit_walk::offset(uint32_t operand) const {
    const auto &stride = nest_.stride[operand];
    uint32_t bytes = col_ * stride[0] + row_ * stride[1];
    for (uint32_t i = 2; i < nest_.n_loops; ++i) bytes += index_[i] * stride[i];
    return bytes;
}

void unit_walk::advance() {
    row_ += blocks_.rows;
    if (row_ < nest_.extent[1]) return;
    row_ = 0;
    for (uint32_t i = 2; i < nest_.n_loops; ++i) {
        if (++index_[i] < nest_.extent[i]) return;
        index_[i] = 0;
    }
    col_ += blocks_.cols;
}

uint32_t push_load(dma_queue &dma, const row_nest &n, uint32_t o, uint32_t offset, vtcm_byte *to, uint32_t pitch,
                   uint32_t cols, uint32_t n_rows) {
    const uint32_t element = n.element_bytes[o];
    const dma_addr_t from = n.base[o] + offset;
    if (!n.gathered(o)) {
        dma.push({.dst = dma_addr_t::of(to),
                  .src = from,
                  .row_bytes = (n.splat(o) ? 1 : cols) * element,
                  .rows = n_rows,
                  .dst_stride = pitch,
                  .src_stride = n.stride[o][1]});
        return 1;
    }
    for (uint32_t r = 0; r < n_rows; ++r) {
        dma.push({.dst = dma_addr_t::of(to + r * pitch),
                  .src = from + r * n.stride[o][1],
                  .row_bytes = element,
                  .rows = cols,
                  .dst_stride = element,
                  .src_stride = n.stride[o][0],
                  .land_at_dst = true});
    }
    return n_rows;
}

void push_store(dma_queue &dma, const row_nest &n, uint32_t offset, const vtcm_byte *from, uint32_t pitch,
                uint32_t cols, uint32_t n_rows) {
    const uint32_t element = n.element_bytes[0];
    const dma_addr_t to = n.base[0] + offset;
    if (!n.gathered(0)) {
        dma.push({.dst = to,
                  .src = dma_addr_t::of(from),
                  .row_bytes = (n.splat(0) ? 1 : cols) * element,
                  .rows = n_rows,
                  .dst_stride = n.stride[0][1],
                  .src_stride = pitch,
                  .kind = traffic::write});
        return;
    }
    for (uint32_t r = 0; r < n_rows; ++r) {
        dma.push({.dst = to + r * n.stride[0][1],
                  .src = dma_addr_t::of(from + r * pitch),
                  .row_bytes = element,
                  .rows = cols,
                  .dst_stride = n.stride[0][0],
                  .src_stride = element,
                  .kind = traffic::write});
    }
}

}  // namespace hexane::kernels
