// ops/mul_mat/kernel_multiply.cpp -- one thread's weights through its ring in VTCM, and its results out of it.
//
//   DDR weights --DMA--> ring of blocks --(x prepared columns)--> panel of results --DMA--> DDR dst
//
// Two panels alternate, so that one leaves while the other is filled. Everything goes through one strict FIFO; this
// file keeps the list of what is in it.
#include "hvx/subnormals.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

block_kernel kernel_of(weight_kind kind) {
    using formats::weight_type;
    switch (kind.format->id) {
        case weight_type::q4_0: return kind.tiled ? multiply_q4_0_tiles : multiply_q4_0_blocks;
        case weight_type::q8_0: return kind.tiled ? multiply_q8_0_tiles : multiply_q8_0_blocks;
        case weight_type::f16: return rows_along_k ? multiply_f16_dots : multiply_f16_rows;
        case weight_type::bf16: return rows_along_k ? multiply_bf16_dots : multiply_bf16_rows;
        case weight_type::f32: return rows_along_k ? multiply_f32_dots : multiply_f32_rows;
    }
    return nullptr;
}

// What the transfers in this thread's queue are, in order, and the weights that have arrived while something behind
// them was waited for.
class transfer_list {
  public:
    static constexpr uint8_t weights = 2;  // other values: the panel that is being written or read

    explicit transfer_list(htp::dma_queue &dma) : dma_(dma) {}

    void push(const htp::transfer &t, uint8_t what) {
        dma_.push(t);
        kinds_[pushed_++ % htp::dma_queue::capacity] = what;
        if (what != weights) ++in_flight_[what];
    }

    // Where the next block of weights is.
    const vtcm_byte *next_weights() {
        while (arrived_ == taken_) pop();
        return ready_[taken_++ % most_blocks];
    }

    void wait_for_panel(uint32_t panel) {
        while (in_flight_[panel] != 0) pop();
    }

    void finish() {
        while (popped_ != pushed_) pop();
    }

  private:
    static constexpr uint32_t most_blocks = 16;  // ring_depth is not larger

    void pop() {
        const vtcm_byte *where = dma_.pop();
        const uint8_t what = kinds_[popped_++ % htp::dma_queue::capacity];
        if (what == weights)
            ready_[arrived_++ % most_blocks] = where;
        else
            --in_flight_[what];
    }

    htp::dma_queue &dma_;
    uint8_t kinds_[htp::dma_queue::capacity];
    const vtcm_byte *ready_[most_blocks];
    uint32_t pushed_ = 0, popped_ = 0;
    uint32_t arrived_ = 0, taken_ = 0;
    uint32_t in_flight_[2] = {0, 0};
};

// A block of weights: `bands` bands of one slice, from `band` on, and a part of k.
struct block_place {
    uint32_t slice;  // within the pass
    uint32_t band, bands;
    uint32_t k_begin, k;
};

// Walks over a thread's blocks: parts of k, then bands, then slices.
class block_walk {
  public:
    block_walk(const product &x, base::range blocks) : x_(x), left_(blocks.size()) {
        uint32_t block = blocks.begin;
        while (block >= x.p.slice_blocks) {
            block -= x.p.slice_blocks;
            ++place_.slice;
        }
        place_.band = block * x.p.block_bands;
        clip();
    }

    bool done() const { return left_ == 0; }
    const block_place &place() const { return place_; }
    bool completes_k() const { return place_.k_begin + place_.k == x_.now.k; }
    bool is_last() const { return left_ == 1 && completes_k(); }

    void advance() {
        place_.k_begin += x_.p.block_k;
        if (place_.k_begin >= x_.now.k) {
            place_.k_begin = 0;
            place_.band += x_.p.block_bands;
            --left_;
            if (place_.band >= x_.bands()) {
                place_.band = 0;
                ++place_.slice;
            }
        }
        clip();
    }

  private:
    void clip() {
        place_.bands = base::min(x_.p.block_bands, x_.bands() - place_.band);
        place_.k = base::min(x_.p.block_k, x_.now.k - place_.k_begin);
    }

    const product &x_;
    uint32_t left_;  // bands of blocks, the current one included
    block_place place_{};
};

// Address of the first byte of a block of weights, and the distance of its pieces there.
struct weight_source {
    dma_addr_t address;
    uint32_t stride;
};

weight_source source_of(const product &x, const block_place &b) {
    const operand &w = x.weights;
    const uint32_t slice = x.now.slice + b.slice;
    const uint32_t slice3 = x.p.slices.quotient(slice), slice2 = slice - slice3 * x.p.slices.divisor;
    const uint32_t band_bytes = w.nb[1] * band_rows;  // tiles are a permutation: those of 32 rows are as many bytes
    const uint32_t band = slice3 * x.p.slice3_bytes + slice2 * x.p.slice_bytes + b.band * band_bytes;
    const uint32_t within_row = static_cast<uint32_t>(x.kind.format->bytes(x.now.k_begin + b.k_begin));
    if (x.kind.tiled) return {w.base + (band + within_row * band_rows), band_bytes};
    return {w.base + (band + within_row), w.nb[1]};
}

// One thread's multiplication of one pass.
class multiplier {
  public:
    multiplier(worker &w, const product &x, const multiply_layout &layout, vtcm_byte *vtcm, base::range columns)
        : x_(x),
          columns_(columns),
          kernel_(kernel_of(x.kind)),
          layout_(layout),
          vtcm_(vtcm),
          list_(w.dma),
          trace_(w.trace) {}

    void run(base::range blocks) {
        block_walk ahead(x_, blocks);
        for (uint32_t i = 0; i < x_.p.ring_depth && !ahead.done(); ++i, ahead.advance()) load(ahead.place());
        uint32_t index = 0;
        for (block_walk walk(x_, blocks); !walk.done(); walk.advance(), ++index) {
            const vtcm_byte *weights = list_.next_weights();
            htp::trace_scope traced(trace_, trace_event::hvx_comp, index);
            multiply_block(weights, walk);
            if (!ahead.done()) {
                load(ahead.place());
                ahead.advance();
            }
        }
        list_.finish();
    }

  private:
    void load(const block_place &b) {
        const weight_source source = source_of(x_, b);
        const weight_block block = weight_block::of(x_.kind, b.k);
        const uint32_t pieces =
            x_.kind.tiled ? b.bands : base::min(b.bands * band_rows, x_.weights.ne[1] - b.band * band_rows);
        vtcm_byte *slot = vtcm_ + slot_ * static_cast<uint32_t>(layout_.block_bytes);
        slot_ = slot_ + 1 == x_.p.ring_depth ? 0 : slot_ + 1;
        list_.push({.dst = dma_addr_t::of(slot),
                    .src = source.address,
                    .row_bytes = static_cast<uint32_t>(block.piece_bytes),
                    .rows = pieces,
                    .dst_stride = static_cast<uint32_t>(block.pitch),
                    .src_stride = source.stride,
                    .kind = htp::traffic::weights,
                    .land_at_dst = is_blocks(x_.kind)},  // a gather reads VTCM alone
                   transfer_list::weights);
    }

    void multiply_block(const vtcm_byte *weights, const block_walk &walk) {
        const block_place &b = walk.place();
        for (uint32_t first = columns_.begin; first < columns_.end; first += x_.p.panel_columns) {
            const uint32_t count = base::min(x_.p.panel_columns, columns_.end - first);
            const bool fresh = b.k_begin == 0;
            if (fresh && panel_bands_ == 0) open_panel(b, first, count);
            multiply_columns(weights, b, first, count);
            if (!walk.completes_k()) continue;
            panel_bands_ += b.bands;
            const bool more_fits = panel_bands_ + x_.p.block_bands <= x_.p.panel_bands && count == columns_.size();
            if (!more_fits || b.band + b.bands == x_.bands() || walk.is_last()) close_panel();
        }
    }

    void multiply_columns(const vtcm_byte *weights, const block_place &b, uint32_t first, uint32_t count) {
        const uint32_t k = b.k;
        const block_job job{.weights = weights,
                            .pitch = static_cast<uint32_t>(weight_block::of(x_.kind, k).pitch),
                            .bands = b.bands,
                            .rows = base::min(b.bands * band_rows, x_.weights.ne[1] - b.band * band_rows),
                            .k_begin = b.k_begin,
                            .k = k,
                            .column = b.slice * x_.now.n_columns + first,
                            .n_columns = count,
                            .out = panel_data() + panel_bands_ * band_rows,
                            .out_pitch = x_.p.panel_bands * band_rows,
                            .accumulate = b.k_begin > 0 || x_.now.k_begin > 0,
                            .tiles = vtcm_ + layout_.tiles,
                            .lanes = vtcm_ + layout_.lanes,
                            .prepared = x_.scratch,
                            .columns = x_.columns};
        kernel_(job);
    }

    // -- panels

    vtcm_f32 *panel_data() const {
        return reinterpret_cast<vtcm_f32 *>(vtcm_ + layout_.panels +
                                            panel_ * static_cast<uint32_t>(layout_.panel_bytes));
    }

    void open_panel(const block_place &b, uint32_t first, uint32_t count) {
        list_.wait_for_panel(panel_);
        panel_slice_ = b.slice;
        panel_band_ = b.band;
        panel_first_ = first;
        panel_count_ = count;
        if (x_.now.k_begin == 0) return;
        // The sums of the passes before. Such panels hold what this thread wrote itself, and its queue is in order.
        move_panel(base::min(x_.p.panel_bands, x_.bands() - b.band), htp::traffic::read);
        list_.wait_for_panel(panel_);
    }

    void close_panel() {
        move_panel(panel_bands_, htp::traffic::write);
        panel_bands_ = 0;
        panel_ ^= 1;
    }

    // The panel to dst, or what dst holds of it into the panel.
    void move_panel(uint32_t bands, htp::traffic direction) {
        const uint32_t row_bytes = base::min(bands * band_rows, x_.weights.ne[1] - panel_band_ * band_rows) * 4;
        const uint32_t pitch = x_.p.panel_bands * band_rows * 4;
        dma_addr_t in_vtcm = dma_addr_t::of(panel_data());
        for (uint32_t done = 0; done < panel_count_;) {
            const column_run run =
                x_.run_of(x_.dst, panel_slice_ * x_.now.n_columns + panel_first_ + done, panel_count_ - done);
            const dma_addr_t in_dst = run.address + panel_band_ * band_rows * 4;
            if (direction == htp::traffic::write) {
                list_.push({in_dst, in_vtcm, row_bytes, run.count, run.stride, pitch, direction}, panel_);
            } else {
                list_.push({in_vtcm, in_dst, row_bytes, run.count, pitch, run.stride, direction, true}, panel_);
            }
            in_vtcm = in_vtcm + run.count * pitch;
            done += run.count;
        }
    }

    const product &x_;
    const base::range columns_;  // of each slice of the pass
    const block_kernel kernel_;
    const multiply_layout &layout_;
    vtcm_byte *const vtcm_;
    transfer_list list_;
    htp::trace_log &trace_;
    uint32_t slot_ = 0;         // of the ring, next to be loaded
    uint8_t panel_ = 0;         // that is being filled
    uint32_t panel_bands_ = 0;  // complete in it
    uint32_t panel_slice_ = 0, panel_band_ = 0, panel_first_ = 0, panel_count_ = 0;
};

}  // namespace

status multiply(context &ctx, const product &x) {
    const multiply_layout layout = multiply_layout::of(x.kind, x.p);
    const base::fastdiv &ways = htp::by_threads(x.p.column_ways);
    const base::fastdiv &band_ways = htp::by_threads(ways.quotient(x.p.n_threads));
    // A thread takes one place of the grid.
    return ctx.each_share(htp::over::threads, x.p.n_threads, static_cast<uint32_t>(layout.bytes), x.p.n_threads,
                          [&](worker &w, vtcm_byte *vtcm, base::range place) {
                              const hvx::subnormals_are_zero arithmetic;
                              const uint32_t row = ways.quotient(place.begin), column = ways.remainder(place.begin);
                              static constexpr auto granule = base::fastdiv::by(column_granule);
                              const base::range columns = base::share(x.now.n_columns, column, ways, granule);
                              const base::range blocks = base::share(x.p.slice_blocks * x.now.n_slices, row, band_ways);
                              if (!columns.empty() && !blocks.empty())
                                  multiplier(w, x, layout, vtcm, columns).run(blocks);
                              return status::ok();
                          });
}

}  // namespace hexane::matmul
