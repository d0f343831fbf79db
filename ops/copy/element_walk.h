// ops/copy/element_walk.h -- the elements of a tensor in index order, as transfers to and from a packed buffer.
#pragma once

#include <stdint.h>

#include "base/align.h"
#include "kernels/kernel.h"
#include "ops/copy/copy.h"

namespace hexane::kernels {

// A tensor with the order of its elements.
struct element_loops {
    const op::element_order &order;
    uint32_t stride[4];
    uint32_t element_bytes;

    element_loops(const op::element_order &o, const operand &t) : order(o), element_bytes(block_bytes(t.type)) {
        for (uint32_t i = 0; i < 4; ++i) stride[i] = o.extent[i] == 1 ? 0 : t.nb[o.dimension[i]];
        if (o.extent[0] == 1) stride[0] = element_bytes;
    }

    bool dense() const { return stride[0] == element_bytes; }
};

// A place in that order, and the boxes that follow it.
class element_walk {
  public:
    // `rows` rows of `cols` elements, at `offset` bytes from the base of the tensor.
    struct box {
        uint32_t cols, rows, offset;
        uint32_t elements() const { return cols * rows; }
    };

    element_walk() = default;
    element_walk(const element_loops &loops, uint32_t element) : loops_(&loops) {
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t next = loops.order.by_extent(i).quotient(element);
            index_[i] = element - next * loops.order.extent[i];
            element = next;
        }
    }

    // Transfers that a box takes: one if its rows are dense, else one per row or per column, whichever are fewer.
    uint32_t transfers(const box &b) const { return loops_->dense() ? 1 : base::min(b.cols, b.rows); }

    // The next box of at most `most_elements` elements and `most_transfers` transfers; the walk goes behind it.
    // REQUIRES: both are at least 1, and there are elements left.
    box take(uint32_t most_elements, uint32_t most_transfers) {
        const element_loops &l = *loops_;
        box b{base::min(l.order.extent[0] - index_[0], most_elements), 1, offset()};
        if (b.cols == l.order.extent[0]) {
            b.rows = base::min(l.order.by_extent(0).quotient(most_elements), l.order.extent[1] - index_[1]);
            if (transfers(b) > most_transfers) b.rows = most_transfers;
        }
        advance(b);
        return b;
    }

    // Goes over at most `most_elements` elements in boxes of at most `most_transfers` transfers together; returns how
    // many elements.
    uint32_t skip(uint32_t most_elements, uint32_t most_transfers) {
        uint32_t elements = 0;
        while (elements < most_elements && most_transfers > 0) {
            const box b = take(most_elements - elements, most_transfers);
            most_transfers -= transfers(b);
            elements += b.elements();
        }
        return elements;
    }

  private:
    uint32_t offset() const {
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < 4; ++i) bytes += index_[i] * loops_->stride[i];
        return bytes;
    }

    void advance(const box &b) {
        index_[0] += b.cols;
        if (index_[0] < loops_->order.extent[0]) return;
        index_[0] = 0;
        index_[1] += b.rows;
        for (uint32_t i = 1; i < 3 && index_[i] == loops_->order.extent[i]; ++i) {
            index_[i] = 0;
            ++index_[i + 1];
        }
    }

    const element_loops *loops_ = nullptr;
    uint32_t index_[4] = {};
};

// The transfers of a box between its tensor and a packed buffer, in the direction that `kind` tells. `assembled`: the
// box is a part of what the buffer shall hold, so the bytes must land there.
inline void push_box(dma_queue &dma, const element_loops &l, const element_walk::box &b, dma_addr_t tensor,
                     dma_addr_t packed, traffic kind, bool assembled) {
    const uint32_t e = l.element_bytes;
    const auto push = [&](uint32_t row_bytes, uint32_t rows, dma_addr_t outside, uint32_t outside_stride,
                          dma_addr_t inside, uint32_t inside_stride) {
        transfer t{.dst = inside,
                   .src = outside,
                   .row_bytes = row_bytes,
                   .rows = rows,
                   .dst_stride = inside_stride,
                   .src_stride = outside_stride};
        if (kind == traffic::write)
            t = {.dst = outside,
                 .src = inside,
                 .row_bytes = row_bytes,
                 .rows = rows,
                 .dst_stride = outside_stride,
                 .src_stride = inside_stride};
        t.kind = kind;
        t.land_at_dst = assembled;
        dma.push(t);
    };
    const dma_addr_t from = tensor + b.offset;
    if (l.dense()) {
        push(b.cols * e, b.rows, from, l.stride[1], packed, b.cols * e);
    } else if (b.rows <= b.cols) {
        for (uint32_t r = 0; r < b.rows; ++r)
            push(e, b.cols, from + r * l.stride[1], l.stride[0], packed + r * b.cols * e, e);
    } else {
        for (uint32_t c = 0; c < b.cols; ++c)
            push(e, b.rows, from + c * l.stride[0], l.stride[1], packed + c * e, b.cols * e);
    }
}

}  // namespace hexane::kernels
