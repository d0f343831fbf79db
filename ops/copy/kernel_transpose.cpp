// ops/copy/kernel_transpose.cpp -- copies between tensors that are dense along different dimensions: boxes come in along the
// one, are turned in VTCM, and leave along the other. Either side of a box is one transfer of long rows, where a gather would move
// single elements.
#include "kernels/convert_elements.h"
#include "kernels/row_walk.h"
#include "kernels/stream_units.h"
#include "ops/copy/kernel.h"
#include "ops/copy/transpose.h"

namespace hexane::kernels {

namespace {

// One worker's boxes on their way. Loop 0 of the nest is dense in the destination, loop 1 in the source.
class box_streamer {
  public:
    box_streamer(worker &w, const op::copy_params &p, const row_nest &n, const operand &src, const operand &dst,
                 const op::transpose_layout &layout, vtcm_byte *vtcm, base::range units)
        : worker_(w),
          nest_(n),
          src_(src),
          dst_(dst),
          layout_(layout),
          vtcm_(vtcm),
          walk_(n, p.blocks, units.begin),
          next_(units.begin),
          last_(units.end) {}

    bool load(uint32_t slot) {
        if (next_ == last_) return false;
        boxes_[slot] = {walk_.cols(), walk_.rows(), next_, walk_.offset(0)};
        const box &b = boxes_[slot];
        // Whole tiles are read where this lands, so it must not stay in DDR.
        worker_.dma.push({.dst = dma_addr_t::of(loaded(slot)),
                          .src = src_.base + walk_.offset(1),
                          .row_bytes = b.rows * nest_.element_bytes[1],
                          .rows = b.cols,
                          .dst_stride = layout_.loaded_pitch,
                          .src_stride = nest_.stride[1][0],
                          .land_at_dst = true});
        walk_.advance();
        ++next_;
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *) {
        const box &b = boxes_[slot];
        trace_scope traced(worker_.trace, trace_event::hvx_comp, b.number);
        if (src_.type != dst_.type) {
            for (uint32_t c = 0; c < b.cols; ++c)
                convert_elements(dst_.type, converted(slot) + c * layout_.converted_pitch, src_.type,
                                 loaded(slot) + c * layout_.loaded_pitch, b.rows);
        }
        if (nest_.element_bytes[0] == 2) {
            turn<2>(slot, b);
        } else {
            turn<4>(slot, b);
        }
    }

    void store(uint32_t slot) {
        const box &b = boxes_[slot];
        worker_.dma.push({.dst = dst_.base + b.dst_offset,
                          .src = dma_addr_t::of(turned(slot)),
                          .row_bytes = b.cols * nest_.element_bytes[0],
                          .rows = b.rows,
                          .dst_stride = nest_.stride[0][1],
                          .src_stride = layout_.turned_pitch,
                          .kind = traffic::write});
    }

  private:
    struct box {
        uint32_t cols, rows, number, dst_offset;
    };

    vtcm_byte *loaded(uint32_t slot) const { return vtcm_ + slot * layout_.bytes; }
    vtcm_byte *converted(uint32_t slot) const { return loaded(slot) + layout_.converted; }
    vtcm_byte *turned(uint32_t slot) const { return loaded(slot) + layout_.turned; }

    template <uint32_t ElementBytes> void turn(uint32_t slot, const box &b) {
        for (uint32_t c = 0; c < b.cols; c += layout_.tile) {
            const vtcm_byte *from = converted(slot) + c * layout_.converted_pitch;
            vtcm_byte *to = turned(slot) + c * ElementBytes;
            for (uint32_t r = 0; r < b.rows; r += layout_.tile)
                transpose_tile<ElementBytes>(to + r * layout_.turned_pitch, layout_.turned_pitch,
                                             from + r * ElementBytes, layout_.converted_pitch);
        }
    }

    worker &worker_;
    const row_nest &nest_;
    const operand &src_;
    const operand &dst_;
    const op::transpose_layout &layout_;
    vtcm_byte *vtcm_;
    unit_walk walk_;
    uint32_t next_, last_;
    box boxes_[most_depth];
};

}  // namespace

status copy_transposed(context &ctx, const op::copy_params &p, const operand &src, const operand &dst) {
    const row_nest nest(p.boxes, {{&dst}, {&src}});
    const auto layout =
        op::transpose_layout::of(p.blocks, nest.element_bytes[1], nest.element_bytes[0], src.type != dst.type);
    return ctx.each_share(over::devices, p.blocks.n_threads, layout.bytes * p.blocks.depth, p.boxes.units,
                          [&](worker &w, vtcm_byte *vtcm, base::range units) {
                              box_streamer streamer(w, p, nest, src, dst, layout, vtcm, units);
                              stream_units(w.dma, p.blocks.depth, streamer);
                              return status::ok();
                          });
}

}  // namespace hexane::kernels
