// ops/copy/kernel.cpp -- the element sequence in runs: gathered into VTCM, converted, scattered from there.
#include "ops/copy/kernel.h"
#include "kernels/convert_elements.h"
#include "kernels/stream_units.h"
#include "ops/copy/copy.h"
#include "ops/copy/element_walk.h"

namespace hexane::kernels {

namespace {

// Transfers of one unit on either side. Two of each kind of `max_depth / 2` units stay below the queue's capacity;
// cutting a run short may add one.
constexpr uint32_t transfers_per_unit = 24;

// One worker's elements on their way.
class element_streamer {
  public:
    element_streamer(worker &w, const op::copy_params &p, const operand &src, const operand &dst,
                     const element_loops &from, const element_loops &to, vtcm_byte *vtcm, base::range elements)
        : worker_(w),
          params_(p),
          src_(src),
          dst_(dst),
          from_(from),
          to_(to),
          left_(elements.size()),
          read_(from, elements.begin),
          written_(to, elements.begin),
          vtcm_(vtcm) {}

    // As many elements as both sides reach with the transfers of one unit.
    bool load(uint32_t slot) {
        if (left_ == 0) return false;
        unit &u = units_[slot];
        element_walk ahead = read_;
        const uint32_t readable = ahead.skip(base::min(left_, params_.blocks.cols), transfers_per_unit);
        u.written = written_;
        u.elements = written_.skip(readable, transfers_per_unit);
        vtcm_byte *to = landing(slot);
        for (uint32_t done = 0; done < u.elements;) {
            const element_walk::box b = read_.take(u.elements - done, transfers_per_unit);
            push_box(worker_.dma, from_, b, src_.base, dma_addr_t::of(to + done * from_.element_bytes), traffic::read,
                     b.elements() != u.elements);
            done += b.elements();
        }
        left_ -= u.elements;
        return true;
    }

    void compute(uint32_t slot, const vtcm_byte *const *where) {
        unit &u = units_[slot];
        u.result = where[0];
        if (src_.type == dst_.type) return;
        trace_scope traced(worker_.trace, trace_event::hvx_comp, left_);
        convert_elements(dst_.type, converted(slot), src_.type, where[0], u.elements);
        u.result = converted(slot);
    }

    void store(uint32_t slot) {
        unit &u = units_[slot];
        for (uint32_t done = 0; done < u.elements;) {
            const element_walk::box b = u.written.take(u.elements - done, transfers_per_unit);
            push_box(worker_.dma, to_, b, dst_.base, dma_addr_t::of(u.result + done * to_.element_bytes),
                     traffic::write, false);
            done += b.elements();
        }
    }

  private:
    struct unit {
        element_walk written;  // where its elements go
        uint32_t elements;
        const vtcm_byte *result;  // packed, in the type of the destination
    };

    vtcm_byte *loaded(uint32_t slot) const {
        return vtcm_ + slot * params_.blocks.cols * (from_.element_bytes + to_.element_bytes);
    }
    vtcm_byte *converted(uint32_t slot) const { return loaded(slot) + params_.blocks.cols * from_.element_bytes; }

    // Where the next unit of a slot lands. Without a conversion its store leaves from there too, and is still on its way when the
    // slot is loaded again: then the two regions take turns.
    vtcm_byte *landing(uint32_t slot) {
        if (src_.type != dst_.type) return loaded(slot);
        second_region_[slot] = !second_region_[slot];
        return second_region_[slot] ? converted(slot) : loaded(slot);
    }

    worker &worker_;
    const op::copy_params &params_;
    const operand &src_;
    const operand &dst_;
    const element_loops &from_;
    const element_loops &to_;
    uint32_t left_;
    element_walk read_;
    element_walk written_;
    vtcm_byte *vtcm_;
    unit units_[most_depth];
    bool second_region_[most_depth] = {};
};

}  // namespace

template <> status run_member<op::copy>(op_id, context &ctx, const op::copy_params &p, const operands &io) {
    const operand &src = *io.src[0], &dst = *io.dst[0];
    if (p.kind == op::copy_kind::transpose) return copy_transposed(ctx, p, src, dst);
    static constexpr base::fastdiv granule = base::fastdiv::by(rows::col_granule);
    const element_loops from(p.sequence.from, src), to(p.sequence.to, dst);
    const auto bytes = static_cast<uint32_t>(op::copy_runs_bytes(p.blocks, from.element_bytes, to.element_bytes));
    return ctx.each_share(
        over::devices, p.blocks.n_threads, bytes, to.order.elements(),
        [&](worker &w, vtcm_byte *vtcm, base::range elements) {
            element_streamer streamer(w, p, src, dst, from, to, vtcm, elements);
            stream_units(w.dma, p.blocks.depth, streamer);
            return status::ok();
        },
        granule);
}

}  // namespace hexane::kernels
