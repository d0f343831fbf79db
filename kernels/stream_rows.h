// kernels/stream_rows.h -- the pipeline of the row-wise ops: units stream DDR -> VTCM -> body -> VTCM -> DDR, several in
// flight.
//
// stream_units() owns prologue, steady state and drain for anything that comes in units; stream_rows() uses it for the
// boxes of a loop nest (abi/row_blocks.h) and gives the op's body dense rows.
#pragma once

#include <stdint.h>

#include "abi/row_blocks.h"
#include "kernels/kernel.h"

namespace hexane::kernels {

// Runs units through `depth` slots until there are no more, then drains the queue.
//   bool load(slot)     pushes the loads of the next unit into a slot; false, with nothing pushed, when there is none
//   void compute(slot)  pops these loads in order and works on them
//   void store(slot)    pushes the stores of the unit
// A slot is loaded again only after its store() was called, and computed again only after its stores have landed.
// REQUIRES: the queue is empty, and depth units with their loads and stores stay below its capacity.
template <class Load, class Compute, class Store>
void stream_units(dma_queue &dma, uint32_t depth, Load &&load, Compute &&compute, Store &&store) {
    uint32_t stores[rows::max_depth] = {};  // transfers that each slot's last unit left in the queue
    uint32_t loaded = 0;
    while (loaded < depth && load(loaded)) ++loaded;
    bool more = loaded == depth;
    uint32_t slot = 0;
    for (uint32_t done = 0; done < loaded; ++done) {
        for (; stores[slot] > 0; --stores[slot]) (void)dma.pop();
        compute(slot);
        const uint32_t before = dma.in_flight();
        store(slot);
        stores[slot] = dma.in_flight() - before;
        if (more) {
            more = load(slot);
            loaded += more;
        }
        slot = slot + 1 == depth ? 0 : slot + 1;
    }
    dma.flush();
}

// A unit as a body sees it: `rows` rows of `cols` elements per operand; operand 0 is the destination. Rows are dense,
// begin on 128-byte lines and may be read (sources) and written (destination) up to the end of their last line. A splat
// operand has its one element first in each row.
template <uint32_t N> struct row_unit {
    uint32_t cols;
    uint32_t rows;
    const vtcm_byte *source[N];  // [0] unused
    vtcm_byte *destination;
    uint32_t pitch[N];  // bytes from row to row; 0 where one row serves all

    const vtcm_byte *in(uint32_t operand, uint32_t row) const { return source[operand] + row * pitch[operand]; }
    vtcm_byte *out(uint32_t row) const { return destination + row * pitch[0]; }
};

// Walks the units [first, last) of a nest in their order and tells extent and place of each.
template <uint32_t N> class unit_walk {
  public:
    using nest = rows::nest<N>;

    unit_walk(const nest &n, const rows::blocks &b, uint32_t first) : nest_(n), blocks_(b) {
        const uint32_t row_blocks = rows::row_blocks(n, b);
        uint32_t rest = first / row_blocks;
        row_ = (first - rest * row_blocks) * b.rows;
        rest = enter_loops<2>(rest);
        col_ = rest * b.cols;
    }

    uint32_t cols() const { return base::min(blocks_.cols, nest_.extent[0] - col_); }
    uint32_t rows() const { return base::min(blocks_.rows, nest_.extent[1] - row_); }
    // Bytes from the base of an operand to the first element of the unit.
    uint32_t offset(uint32_t operand) const {
        const auto &stride = nest_.stride[operand];
        uint32_t bytes = col_ * stride[0] + row_ * stride[1];
        for (uint32_t i = 2; i < nest_.n_loops; ++i) bytes += index_[i] * stride[i];
        return bytes;
    }

    void advance() {
        row_ += blocks_.rows;
        if (row_ < nest_.extent[1]) return;
        row_ = 0;
        for (uint32_t i = 2; i < nest_.n_loops; ++i) {
            if (++index_[i] < nest_.extent[i]) return;
            index_[i] = 0;
        }
        col_ += blocks_.cols;
    }

  private:
    // Splits the number of an outer step into indices of the loops from I on; what is left is the piece of columns. A
    // recursion, since Hexagon divides by a function call, and loops are to have none.
    template <uint32_t I> uint32_t enter_loops(uint32_t step) {
        if constexpr (I == nest::max_loops) {
            return step;
        } else {
            if (I >= nest_.n_loops) return step;
            const uint32_t next = step / nest_.extent[I];
            index_[I] = step - next * nest_.extent[I];
            return enter_loops<I + 1>(next);
        }
    }

    const nest &nest_;
    const rows::blocks &blocks_;
    uint32_t col_ = 0;
    uint32_t row_ = 0;
    uint32_t index_[nest::max_loops] = {};
};

// Starts the loads of a box of `cols` x `n_rows` elements of source `o`, which begins at `from`, into rows of `pitch`
// bytes at `to`: one transfer, or one per row where the elements of a row do not follow each other. Returns their
// number; the first pop of them tells where the box is.
template <uint32_t N> uint32_t push_load(dma_queue &dma, const rows::nest<N> &n, uint32_t o, dma_addr_t from,
                                         vtcm_byte *to, uint32_t pitch, uint32_t cols, uint32_t n_rows) {
    const uint32_t element = n.element_bytes[o];
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

// Starts the stores of a box of the destination, in the same way.
template <uint32_t N> void push_store(dma_queue &dma, const rows::nest<N> &n, dma_addr_t to, const vtcm_byte *from,
                                      uint32_t pitch, uint32_t cols, uint32_t n_rows) {
    const uint32_t element = n.element_bytes[0];
    if (!n.gathered(0)) {
        dma.push({.dst = to,
                  .src = dma_addr_t::of(from),
                  .row_bytes = cols * element,
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

// One worker's side of stream_rows(): its buffers in VTCM and the transfers that fill and empty them.
template <uint32_t N> class row_streamer {
  public:
    row_streamer(worker &w, const rows::nest<N> &n, const rows::blocks &b, const dma_addr_t (&base)[N], vtcm_byte *vtcm,
                 base::range units)
        : worker_(w), nest_(n), blocks_(b), walk_(n, b, units.begin), next_(units.begin), last_(units.end) {
        for (uint32_t o = 0; o < N; ++o) {
            base_[o] = base[o];
            pitch_[o] = rows::pitch_bytes(n, b, o);
            slot_bytes_[o] = rows::slot_bytes(n, b, o);
            ring_[o] = vtcm;
            vtcm += slot_bytes_[o] * b.depth;
        }
    }

    template <class Body> void run(Body &&body) {
        stream_units(
            worker_.dma, blocks_.depth, [this](uint32_t slot) { return load(slot); },
            [&](uint32_t slot) { compute(slot, body); }, [this](uint32_t slot) { store(slot); });
    }

  private:
    struct unit {
        uint32_t cols, rows, number;
        uint32_t dst_offset;
        uint32_t transfers[N];  // loads in flight per source; 0: the rows of the unit before serve this one too
    };

    bool load(uint32_t slot) {
        if (next_ == last_) return false;
        unit &u = units_[slot];
        u.cols = walk_.cols();
        u.rows = walk_.rows();
        u.number = next_;
        u.dst_offset = walk_.offset(0);
        for (uint32_t o = 1; o < N; ++o) load_source(u, o);
        walk_.advance();
        ++next_;
        return true;
    }

    // Rows that all units share, and those that the unit before had, stay where they are. The ring of a source advances
    // only with a load, so what a unit in flight still reads is never overwritten: at most `depth` units are in flight.
    void load_source(unit &u, uint32_t o) {
        const uint32_t offset = walk_.offset(o);
        const uint32_t n_rows = nest_.row_repeats(o) ? 1 : u.rows;
        held &h = held_[o];
        if (h.valid && h.offset == offset && h.cols >= u.cols && h.rows >= n_rows) {
            u.transfers[o] = 0;
            return;
        }
        h = {offset, u.cols, n_rows, true};
        vtcm_byte *to = ring_[o] + ring_at_[o] * slot_bytes_[o];
        ring_at_[o] = ring_at_[o] + 1 == blocks_.depth ? 0 : ring_at_[o] + 1;
        u.transfers[o] = push_load(worker_.dma, nest_, o, base_[o] + offset, to, pitch_[o], u.cols, n_rows);
    }

    template <class Body> void compute(uint32_t slot, Body &body) {
        const unit &u = units_[slot];
        row_unit<N> view{.cols = u.cols,
                         .rows = u.rows,
                         .source = {},
                         .destination = ring_[0] + slot * slot_bytes_[0],
                         .pitch = {pitch_[0]}};
        for (uint32_t o = 1; o < N; ++o) {
            for (uint32_t i = 0; i < u.transfers[o]; ++i) {
                const vtcm_byte *where = worker_.dma.pop();
                if (i == 0) at_[o] = where;
            }
            view.source[o] = at_[o];
            view.pitch[o] = nest_.row_repeats(o) ? 0 : pitch_[o];
        }
        trace_scope traced(worker_.trace, trace_event::hvx_comp, u.number);
        body(view);
    }

    void store(uint32_t slot) {
        const unit &u = units_[slot];
        push_store(worker_.dma, nest_, base_[0] + u.dst_offset, ring_[0] + slot * slot_bytes_[0], pitch_[0], u.cols,
                   u.rows);
    }

    struct held {
        uint32_t offset, cols, rows;
        bool valid;
    };

    worker &worker_;
    const rows::nest<N> &nest_;
    const rows::blocks &blocks_;
    unit_walk<N> walk_;
    uint32_t next_, last_;
    dma_addr_t base_[N];
    uint32_t pitch_[N];
    uint32_t slot_bytes_[N];
    vtcm_byte *ring_[N];
    uint32_t ring_at_[N] = {};
    const vtcm_byte *at_[N] = {};
    held held_[N] = {};
    unit units_[rows::max_depth];
};

// Runs `body(const row_unit<N> &)` on every unit of the nest, units over threads. `base` are the addresses that the
// nest's offsets count from. A body writes each element of its destination rows and nothing else; it may run on several
// threads at once.
template <uint32_t N, class Body> status stream_rows(context &ctx, const rows::nest<N> &n, const rows::blocks &b,
                                                     const dma_addr_t (&base)[N], Body &&body) {
    const uint32_t units = rows::total_units(n, b);
    const uint32_t worker_bytes = static_cast<uint32_t>(rows::worker_bytes(n, b));
    return ctx.work.run(b.n_threads, [&](worker &w) {
        const base::range share = w.share_of(units);
        if (!share.empty()) row_streamer<N>(w, n, b, base, &ctx.vtcm[w.index * worker_bytes], share).run(body);
        return status::ok();
    });
}

// The shape of an operand as abi/row_blocks.h wants it.
inline rows::shape shape_of(const operand &t) {
    rows::shape s{};
    for (uint32_t i = 0; i < 4; ++i) {
        s.ne[i] = t.ne[i];
        s.nb[i] = t.nb[i];
    }
    s.element_bytes = block_bytes(t.type);
    return s;
}

}  // namespace hexane::kernels
