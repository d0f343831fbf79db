// ops/mul_mat/plan.cpp -- how much goes where, and how the threads share it.
//
// First the pass: as many columns as the scratch area holds. Then, with all threads, then with fewer: blocks of whole
// bands if two of them fit a thread's part of VTCM, else blocks of a part of k, with the partial sums of all columns in
// VTCM.
#include <algorithm>
#include <string>

#include "base/align.h"
#include "ops/mul_mat/layout.h"
#include "ops/mul_mat/mul_mat.h"
#include "plan/plan.h"

namespace hexane::plan {
namespace {

using namespace matmul;
using params = op::mul_mat::kernel_params;

constexpr uint64_t block_target_bytes = 32u << 10;  // small bands are grouped up to this
constexpr uint64_t panel_target_bytes = 32u << 10;  // more only delays the write
constexpr uint64_t stage_target_bytes = 64u << 10;
constexpr uint64_t prepare_grain = 8192;     // elements per thread below which waking one costs more than it saves
constexpr uint64_t segments_per_stage = 32;  // transfers per stage and per panel, so that the queue never fills
constexpr uint64_t segments_per_panel = 16;

// The product as the planner sees it.
struct product {
    weight_kind weights;
    uint64_t k, n, m;
    uint64_t columns;        // M * r2 * r3: the columns of one slice of weights
    uint64_t slices;         // A * B
    uint64_t bands;          // of one slice
    uint64_t segment;        // columns that lie at one stride in src1 and dst
    uint32_t element_bytes;  // of src1
};

uint64_t round_up(uint64_t value, uint64_t unit) { return base::align_up(value, unit); }

formats::tiled_view view_of(const tensor_shape &t) { return formats::tiled_view::of(t.nb[1], t.nb[2], t.nb[3]); }

// Bytes from the first to the last byte of a tiled operand, padding included. No overflow: an addressable operand spreads
// over 4 GiB at most, and padding makes no slice longer than 32 times.
uint64_t tiled_extent(const tensor_shape &t) {
    return view_of(t).extent_bytes(static_cast<uint64_t>(t.ne[1]), static_cast<uint64_t>(t.ne[2]),
                                   static_cast<uint64_t>(t.ne[3]));
}

// A view of tiles must begin bands and runs where its tensor does.
const char *check_tiles(const tensor_shape &t) {
    const uint64_t unit = block_bytes(t.dtype());
    if (!kind_of(t.dtype(), true).tiled) return "type has no tiles";
    if (t.nb[1] < t.row_bytes() || t.nb[1] % unit != 0) return "rows of tiles overlap or are not whole blocks";
    const uint64_t tensor_k = t.nb[1] / unit * formats::tile_k;
    if (static_cast<uint64_t>(t.ne[0]) != tensor_k && t.ne[0] % formats::run_k != 0)
        return "view of tiles ends within a run of 256";
    if (t.nb[2] % t.nb[1] != 0 || t.nb[2] / t.nb[1] < static_cast<uint64_t>(t.ne[1])) return "tiles are permuted";
    if (t.nb[3] % t.nb[2] != 0 || t.nb[3] / t.nb[2] < static_cast<uint64_t>(t.ne[2])) return "tiles are permuted";
    return nullptr;
}

const char *check_types(const tensor_shape &src0, const tensor_shape &src1, const tensor_shape &dst) {
    if (!formats::weight_format_of(src0.dtype())) return "weight type is not supported";
    if (!src1.is(data_type::f32) && !src1.is(data_type::f16) && !src1.is(data_type::bf16))
        return "activation type is not supported";
    if (!dst.is(data_type::f32)) return "result type is not f32";
    if (src1.tiled || dst.tiled) return "activations in tiles";
    if (!src0.rows_dense() || !src1.rows_dense() || !dst.rows_dense()) return "elements of a row have gaps";
    return src0.tiled ? check_tiles(src0) : nullptr;
}

const char *check_shapes(const tensor_shape &src0, const tensor_shape &src1, const tensor_shape &dst) {
    for (const tensor_shape *t : {&src0, &src1, &dst}) {
        if (const char *why = unaddressable(*t)) return why;
    }
    if (dst.overlaps_itself()) return "destination overlaps itself";
    if (src0.ne[0] != src1.ne[0] || dst.ne[0] != src0.ne[1] || dst.ne[1] != src1.ne[1]) return "shapes do not match";
    if (dst.ne[2] != src1.ne[2] || dst.ne[3] != src1.ne[3]) return "shapes do not match";
    if (src1.ne[2] % src0.ne[2] != 0 || src1.ne[3] % src0.ne[3] != 0) return "slices cannot be broadcast";
    return nullptr;
}

const char *check_bytes(const tensor_shape &src0, const tensor_shape &src1, const tensor_shape &dst,
                        const hardware &hw) {
    const uint64_t w = src0.tiled ? tiled_extent(src0) : src0.extent_bytes();
    const uint64_t a = src1.extent_bytes(), d = dst.extent_bytes();
    if (w > most_operand_bytes) return "operand exceeds 4 GiB";
    if (w + a + d > hw.window_bytes) return "operands exceed the address window";
    return nullptr;
}

product product_of(const tensor_shape &src0, const tensor_shape &src1) {
    product x{};
    x.weights = kind_of(src0.dtype(), src0.tiled);
    x.k = static_cast<uint64_t>(src0.ne[0]);
    x.n = static_cast<uint64_t>(src0.ne[1]);
    x.m = static_cast<uint64_t>(src1.ne[1]);
    const uint64_t r2 = static_cast<uint64_t>(src1.ne[2] / src0.ne[2]),
                   r3 = static_cast<uint64_t>(src1.ne[3] / src0.ne[3]);
    x.columns = x.m * r2 * r3;
    x.slices = static_cast<uint64_t>(src0.ne[2] * src0.ne[3]);
    x.bands = base::ceil_div<uint64_t>(x.n, band_rows);
    x.segment = x.m > 1 ? x.m : r2;
    x.element_bytes = block_bytes(src1.dtype());
    return x;
}

// -- the pass: what the scratch area holds

uint64_t columns_that_fit(const product &x, uint64_t k, uint64_t scratch_bytes) {
    uint64_t columns =
        scratch_bytes / column_layout::of(x.weights, k, group_blocks).bytes * group_blocks + group_blocks;
    while (columns > 0 && column_layout::of(x.weights, k, columns).bytes > scratch_bytes) --columns;
    return columns;
}

bool plan_pass(params &p, const product &x, const hardware &hw) {
    const uint64_t k_unit_of_pass = 2048;  // whole groups of blocks, runs and segments
    uint64_t k = x.k;
    uint64_t fit = columns_that_fit(x, k, hw.scratch_bytes);
    if (fit == 0) {
        k = base::align_down<uint64_t>(hw.scratch_bytes / 4, k_unit_of_pass);
        while (k > 0 && columns_that_fit(x, k, hw.scratch_bytes) == 0) k -= k_unit_of_pass;
        if (k == 0) return false;
        fit = columns_that_fit(x, k, hw.scratch_bytes);
    }
    p.k_per_pass = static_cast<uint32_t>(k);
    if (fit >= x.columns) {
        p.columns_per_pass = static_cast<uint32_t>(x.columns);
        p.slices_per_pass = static_cast<uint32_t>(std::clamp<uint64_t>(fit / x.columns, 1, x.slices));
    } else {
        const uint64_t passes = base::ceil_div(x.columns, fit);
        const uint64_t even = round_up(base::ceil_div(x.columns, passes), column_granule);
        p.columns_per_pass = static_cast<uint32_t>(std::min(even, fit));
        p.slices_per_pass = 1;
    }
    return true;
}

// -- the grid of threads

// Longest share, in bands x groups of columns, when `ways` threads split the columns of a pass.
uint64_t longest_share(const product &x, const params &p, uint64_t threads, uint64_t ways) {
    const uint64_t groups = base::ceil_div<uint64_t>(p.columns_per_pass, column_granule);
    return base::ceil_div(x.bands * p.slices_per_pass, threads / ways) * base::ceil_div(groups, ways);
}

// Splitting columns streams the weights once per way, so it must pay: an eighth of the time at least.
uint32_t column_ways_of(const product &x, const params &p, uint64_t threads) {
    uint64_t best = 1;
    for (uint64_t ways = 2; ways <= threads; ++ways) {
        if (threads % ways != 0) continue;
        if (longest_share(x, p, threads, ways) * 8 <= longest_share(x, p, threads, best) * 7) best = ways;
    }
    return static_cast<uint32_t>(best);
}

struct share {
    uint64_t bands;  // of all slices of a pass, per thread
    uint64_t columns;
};

share share_of(const product &x, const params &p) {
    const uint64_t columns = round_up(base::ceil_div<uint64_t>(p.columns_per_pass, p.column_ways), column_granule);
    return {base::ceil_div<uint64_t>(x.bands * p.slices_per_pass, p.n_threads / p.column_ways),
            std::min<uint64_t>(columns, p.columns_per_pass)};
}

// -- VTCM while multiplying

uint64_t layout_bytes(const product &x, const params &p) { return multiply_layout::of(x.weights, p).bytes; }

// The deepest ring that fits; false if not even two blocks do.
bool plan_ring(params &p, const product &x, uint64_t vtcm_bytes) {
    for (p.ring_depth = 16; p.ring_depth >= 2; --p.ring_depth) {
        if (layout_bytes(x, p) <= vtcm_bytes) return true;
    }
    return false;
}

// Blocks of whole bands. Results of a block may leave in several panels.
bool plan_whole_bands(params &p, const product &x, uint64_t vtcm_bytes) {
    if (p.k_per_pass > most_block_k(x.weights)) return false;
    const share mine = share_of(x, p);
    const uint64_t band_bytes = weight_block::of(x.weights, p.k_per_pass).band_bytes();
    p.block_k = p.k_per_pass;
    const uint64_t most_bands = is_blocks(x.weights) ? 1 : std::min(x.bands, base::ceil_div<uint64_t>(mine.bands, 4));
    p.block_bands = static_cast<uint32_t>(std::clamp<uint64_t>(block_target_bytes / band_bytes, 1, most_bands));

    const uint64_t panel_row = uint64_t{p.block_bands} * band_rows * 4;
    const uint64_t wished =
        std::max<uint64_t>(base::align_down<uint64_t>(panel_target_bytes / panel_row, column_granule), column_granule);
    p.panel_columns = static_cast<uint32_t>(std::min({wished, mine.columns, segments_per_panel * x.segment}));
    const uint64_t blocks_per_panel =
        p.panel_columns < mine.columns ? 1 : std::max<uint64_t>(panel_target_bytes / (panel_row * p.panel_columns), 1);
    p.panel_bands = static_cast<uint32_t>(
        p.block_bands * std::min(blocks_per_panel, base::ceil_div<uint64_t>(mine.bands, p.block_bands)));
    if (plan_ring(p, x, vtcm_bytes)) return true;

    p.block_bands = p.panel_bands = 1;
    p.panel_columns = static_cast<uint32_t>(std::min<uint64_t>(p.panel_columns, 2 * column_granule));
    return plan_ring(p, x, vtcm_bytes);
}

// Blocks of a part of k. The panel holds the sums of all the thread's columns until the band is complete: half of VTCM
// for it.
bool plan_parts_of_k(params &p, const product &x, uint64_t vtcm_bytes) {
    const uint64_t unit = std::min<uint64_t>(x.weights.format->k_unit, p.k_per_pass);
    const uint64_t most_k = std::min<uint64_t>(p.k_per_pass, most_block_k(x.weights));
    p.block_bands = p.panel_bands = 1;
    const uint64_t share_columns = share_of(x, p).columns;
    for (uint64_t columns =
             std::min({share_columns, vtcm_bytes / 2 / (2 * band_rows * 4), segments_per_panel * x.segment});
         columns > 0; columns = columns / 2) {
        const uint64_t even = columns > column_granule ? base::align_down<uint64_t>(columns, column_granule) : columns;
        if (even < share_columns && even < column_granule) return false;
        p.panel_columns = static_cast<uint32_t>(even);
        for (uint64_t parts = 1; parts * unit <= most_k || parts == 1; ++parts) {
            const uint64_t k = std::min(parts * unit, most_k);
            const uint64_t bytes = multiply_layout::of(x.weights, 1, k, 4, even, 1).bytes;
            if (parts > 1 && bytes > vtcm_bytes) break;
            p.block_k = static_cast<uint32_t>(k);
        }
        if (plan_ring(p, x, vtcm_bytes)) {
            if (even < share_columns) {  // more passes: a thread's columns of one pass fill its panel
                p.columns_per_pass = p.panel_columns * p.column_ways;
                p.slices_per_pass = 1;
            }
            return true;
        }
    }
    return false;
}

// -- VTCM while preparing

bool plan_stages(params &p, const product &x, const hardware &hw) {
    const uint64_t total = uint64_t{p.columns_per_pass} * p.slices_per_pass;
    const uint64_t pitch = is_quantised(x.weights) ? column_layout::block_pitch(p.k_per_pass) : group_blocks;
    const uint64_t granule = pitch < group_blocks ? group_blocks / pitch : 1;
    const uint64_t useful = std::min(base::ceil_div(total, granule), total * p.k_per_pass / prepare_grain);
    for (p.prepare_threads = static_cast<uint32_t>(std::clamp<uint64_t>(useful, 1, hw.n_threads));
         p.prepare_threads > 0; --p.prepare_threads) {
        const uint64_t room = base::align_down<uint64_t>(hw.vtcm_bytes / p.prepare_threads, line_bytes);
        const auto stage = [&](uint64_t k, uint64_t rows) {
            return stage_layout::of(x.weights, x.element_bytes, k, rows).thread_bytes;
        };
        p.stage_k = p.k_per_pass;
        p.stage_rows = static_cast<uint32_t>(granule);
        if (stage(p.stage_k, granule) <= room) {
            const uint64_t most =
                std::min({stage_target_bytes / stage_layout::of(x.weights, x.element_bytes, p.stage_k, 1).pitch,
                          segments_per_stage * x.segment, round_up(total, granule)});
            p.stage_rows = static_cast<uint32_t>(std::max(base::align_down(most, granule), granule));
            while (stage(p.stage_k, p.stage_rows) > room) p.stage_rows -= static_cast<uint32_t>(granule);
            return true;
        }
        const uint64_t work = is_quantised(x.weights) ? quantise_bytes : 0;
        if (room < work) continue;
        p.stage_k = static_cast<uint32_t>(base::align_down<uint64_t>((room - work) / 2 / x.element_bytes, 1024));
        if (p.stage_k > 0 && granule == 1) return true;
    }
    return false;
}

// Of the two phases, which take turns.
uint64_t vtcm_bytes_of(const params &p, const product &x) {
    const auto stage = stage_layout::of(x.weights, x.element_bytes, p.stage_k, p.stage_rows);
    return std::max(p.prepare_threads * stage.thread_bytes, p.n_threads * layout_bytes(x, p));
}

bool plan_threads(params &p, const product &x, const hardware &hw) {
    const params pass = p;
    const uint64_t units = x.bands * p.slices_per_pass * base::ceil_div<uint64_t>(p.columns_per_pass, column_granule);
    for (uint64_t threads = std::min<uint64_t>(hw.n_threads, units); threads > 0; --threads) {
        p = pass;
        p.n_threads = static_cast<uint32_t>(threads);
        p.column_ways = column_ways_of(x, p, threads);
        const uint64_t vtcm_bytes = base::align_down<uint64_t>(hw.vtcm_bytes / threads, line_bytes);
        if (!plan_whole_bands(p, x, vtcm_bytes) && !plan_parts_of_k(p, x, vtcm_bytes)) continue;
        p.slice_blocks = static_cast<uint32_t>(base::ceil_div<uint64_t>(x.bands, p.block_bands));
        return plan_stages(p, x, hw);
    }
    return false;
}

}  // namespace

template <> plan_or<op::mul_mat::kernel_params> plan<op::mul_mat>(const node &n, const hardware &hw) {
    const tensor_shape &src0 = n.src[0], &src1 = n.src[1], &dst = n.dst;
    if (const char *why = check_shapes(src0, src1, dst)) return reject{why};
    if (const char *why = check_types(src0, src1, dst)) return reject{why};
    if (const char *why = check_bytes(src0, src1, dst, hw)) return reject{why};

    const product x = product_of(src0, src1);
    params p{};
    p.columns = base::fastdiv::by(static_cast<uint32_t>(x.m));
    p.broadcast = base::fastdiv::by(static_cast<uint32_t>(src1.ne[2] / src0.ne[2]));
    p.broadcast3 = base::fastdiv::by(static_cast<uint32_t>(src1.ne[3] / src0.ne[3]));
    p.slices = base::fastdiv::by(static_cast<uint32_t>(src0.ne[2]));
    p.slice_bytes = static_cast<uint32_t>(src0.tiled ? view_of(src0).slice_bytes() : src0.nb[2]);
    p.slice3_bytes = static_cast<uint32_t>(src0.tiled ? view_of(src0).slice3_bytes() : src0.nb[3]);
    if (!plan_pass(p, x, hw)) return reject{"scratch area is too small"};
    if (!plan_threads(p, x, hw)) return reject{"VTCM is too small"};
    return {p, vtcm_bytes_of(p, x)};
}

template <> std::string describe<op::mul_mat>(const op::mul_mat::kernel_params &p) {
    const auto s = [](uint32_t v) { return std::to_string(v); };
    return s(p.n_threads) + " threads (" + s(p.column_ways) + " column ways), pass of " + s(p.slices_per_pass) +
           " slices x " + s(p.columns_per_pass) + " columns x " + s(p.k_per_pass) + " k, blocks of " +
           s(p.block_bands) + " bands x " + s(p.block_k) + " k, ring of " + s(p.ring_depth) + ", panels of " +
           s(p.panel_columns) + " x " + s(p.panel_bands) + " bands, prepared by " + s(p.prepare_threads) +
           " threads in stages of " + s(p.stage_rows) + " x " + s(p.stage_k);
}

}  // namespace hexane::plan
