// kernels/row_walk.h -- the units of a loop nest (abi/row_blocks.h) on the NPU: which comes when, and the transfers of its boxes.
#pragma once

#include <stdint.h>

#include "abi/row_blocks.h"
#include "kernels/kernel.h"

namespace hexane::kernels {

// An operand of a nest: the elements from `offset` bytes on. Operand 0 is the destination.
struct row_operand {
    const operand *tensor;
    uint32_t offset = 0;
};

// The nest of an op with the addresses that its offsets count from.
struct row_nest : rows::nest {
    const rows::loops &loops;
    dma_addr_t base[rows::max_operands];

    // REQUIRES: the planner made `l` from these operands.
    row_nest(const rows::loops &l, const row_operand *operands, uint32_t n_operands);
    template <uint32_t N>
    row_nest(const rows::loops &l, const row_operand (&operands)[N]) : row_nest(l, operands, N) {}
};

// Walks units of a nest in their order and tells extent and place of each.
class unit_walk {
  public:
    unit_walk(const row_nest &n, const rows::blocks &b, uint32_t first);

    uint32_t cols() const { return base::min(blocks_.cols, nest_.extent[0] - col_); }
    uint32_t rows() const { return base::min(blocks_.rows, nest_.extent[1] - row_); }
    // Bytes from the base of an operand to the first element of the unit.
    uint32_t offset(uint32_t operand) const;
    void advance();

  private:
    const row_nest &nest_;
    const rows::blocks &blocks_;
    uint32_t col_ = 0;
    uint32_t row_ = 0;
    uint32_t index_[rows::max_loops] = {};
};

// Starts the loads of a box of `cols` x `n_rows` elements of source `o`, which begins at `offset`, into rows of `pitch` bytes
// at `to`: one transfer, or one per row where the elements of a row do not follow each other. The first pop of them tells
// where the box is. Returns their number.
uint32_t push_load(dma_queue &dma, const row_nest &n, uint32_t o, uint32_t offset, vtcm_byte *to, uint32_t pitch,
                   uint32_t cols, uint32_t n_rows);

// Starts the stores of a box of the destination, in the same way.
void push_store(dma_queue &dma, const row_nest &n, uint32_t offset, const vtcm_byte *from, uint32_t pitch,
                uint32_t cols, uint32_t n_rows);

}  // namespace hexane::kernels
