// tests/fuzz/plan_fit.cpp -- sums are taken in 128 bits, so that what wraps in the kernel's 32 shows as a difference.
#include "tests/fuzz/plan_fit.h"

#include "ops/mul_mat/layout.h"
#include "plan/row_plan.h"

namespace hexane::fuzz {
namespace {

using plan::node;
using plan::tensor_shape;
using wide = unsigned __int128;

// Transfers that a worker's queue holds (htp/dma_queue.h).
constexpr uint32_t queue_capacity = 128;

std::string check_threads(uint32_t n_threads, wide worker_bytes, const hardware &hw) {
    if (n_threads < 1 || n_threads > hw.n_threads) return "threads: " + std::to_string(n_threads);
    if (worker_bytes * n_threads > hw.vtcm_bytes) return "workers exceed VTCM";
    return {};
}

wide product_of(const tensor_shape &t) {
    wide elements = 1;
    for (const int64_t n : t.ne) elements *= static_cast<uint64_t>(n);
    return elements;
}

// -- ops that walk a nest of loops

// Bytes and units again, in numbers that cannot wrap.
wide worker_bytes_of(const rows::nest &n, const rows::blocks &b) {
    wide bytes = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) {
        const wide row = n.splat(o) ? 1 : wide{b.cols} * n.element_bytes[o];
        bytes += (row + line_bytes - 1) / line_bytes * line_bytes * (n.row_repeats(o) ? 1 : b.rows);
    }
    return bytes * b.depth;
}

wide units_of(const rows::nest &n, const rows::blocks &b) {
    wide units = (wide{n.extent[0]} + b.cols - 1) / b.cols * ((wide{n.extent[1]} + b.rows - 1) / b.rows);
    for (uint32_t i = 2; i < n.n_loops; ++i) units *= n.extent[i];
    return units;
}

std::string misfit_of_cut(const rows::nest &n, const rows::blocks &b, const hardware &hw) {
    if (b.depth < 2 || b.depth > rows::max_depth) return "units in flight: " + std::to_string(b.depth);
    if (b.rows < 1 || b.rows > n.extent[1]) return "rows of a unit: " + std::to_string(b.rows);
    if (b.cols != n.extent[0] && (b.cols < 1 || b.cols > n.extent[0] || b.cols % rows::col_granule != 0 || b.rows != 1))
        return "columns of a unit: " + std::to_string(b.cols);
    const wide bytes = worker_bytes_of(n, b);
    if (bytes != rows::worker_bytes(n, b)) return "the bytes of a worker wrap";
    uint32_t transfers = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) transfers += n.gathered(o) ? b.rows : 1;
    if (transfers * b.depth > queue_capacity) return "units exceed the queue";
    return check_threads(b.n_threads, bytes, hw);
}

std::string misfit_of_rows(std::initializer_list<const tensor_shape *> operands, const rows::loops &l,
                           const rows::blocks &b, const hardware &hw) {
    const rows::nest n = plan::nest_of(l, plan::shapes_of(operands));
    wide elements = 1;
    for (uint32_t i = 0; i < n.n_loops; ++i) elements *= n.extent[i];
    if (elements != product_of(**operands.begin())) return "the nest has other elements than the destination";
    if (units_of(n, b) != l.units) return "the number of units wraps";
    return misfit_of_cut(n, b, hw);
}

// -- MUL_MAT

std::string misfit_of_pass(const op::mul_mat::kernel_params &p, const tensor_shape &src0, wide columns,
                           const hardware &hw) {
    const auto kind = matmul::kind_of(src0.dtype(), src0.tiled);
    const auto k = static_cast<uint64_t>(src0.ne[0]);
    if (p.k_per_pass != k && (p.k_per_pass == 0 || p.k_per_pass > k || p.k_per_pass % 2048 != 0)) return "k of a pass";
    if (p.columns_per_pass < 1 || p.columns_per_pass > columns) return "columns of a pass";
    const wide slices = wide{static_cast<uint64_t>(src0.ne[2])} * static_cast<uint64_t>(src0.ne[3]);
    if (p.slices_per_pass < 1 || p.slices_per_pass > slices) return "slices of a pass";
    if (p.slices_per_pass > 1 && p.columns_per_pass != columns) return "several slices with a part of their columns";
    const uint64_t prepared = uint64_t{p.columns_per_pass} * p.slices_per_pass;
    if (matmul::column_layout::of(kind, p.k_per_pass, prepared).bytes > hw.scratch_bytes)
        return "columns exceed scratch";
    return {};
}

std::string misfit_of_stages(const op::mul_mat::kernel_params &p, const node &n, const hardware &hw) {
    const auto kind = matmul::kind_of(n.src[0].dtype(), n.src[0].tiled);
    if (p.stage_rows < 1 || p.stage_k < 1) return "empty stages";
    if (p.stage_k != p.k_per_pass && (p.stage_k % 1024 != 0 || p.stage_k > p.k_per_pass)) return "k of a stage";
    if (p.stage_k != p.k_per_pass && p.stage_rows != 1) return "parts of several rows";
    const auto stage = matmul::stage_layout::of(kind, block_bytes(n.src[1].dtype()), p.stage_k, p.stage_rows);
    return check_threads(p.prepare_threads, stage.thread_bytes, hw);
}

std::string misfit_of_blocks(const op::mul_mat::kernel_params &p, const tensor_shape &src0, const hardware &hw) {
    const auto kind = matmul::kind_of(src0.dtype(), src0.tiled);
    if (p.column_ways < 1 || p.n_threads % p.column_ways != 0) return "column ways";
    if (p.ring_depth < 2 || p.ring_depth > 16) return "ring";
    if (p.block_bands < 1 || p.block_k < 1 || p.block_k > p.k_per_pass) return "empty or too long blocks";
    if (p.block_k > matmul::most_block_k(kind)) return "blocks of too much k";
    if (p.block_k != p.k_per_pass && p.block_bands != 1) return "parts of several bands";
    if (p.block_k != p.k_per_pass && p.block_k % matmul::k_unit(kind) != 0) return "blocks that end within a unit of k";
    if (p.panel_columns < 1 || p.panel_bands < p.block_bands || p.panel_bands % p.block_bands != 0) return "panels";
    return check_threads(p.n_threads, matmul::multiply_layout::of(kind, p).bytes, hw);
}

}  // namespace

std::string misfit(const op::noop::kernel_params &p, const node &n, const hardware &hw) {
    if (p.bytes != product_of(n.dst) / block_elements(n.dst.dtype()) * block_bytes(n.dst.dtype())) return "bytes";
    if (p.bytes_per_block == 0 || p.bytes_per_block % line_bytes != 0) return "blocks";
    return check_threads(p.n_threads, op::noop_worker_bytes(p), hw);
}

std::string misfit(const op::binary_params &p, const node &n, const hardware &hw) {
    return misfit_of_rows({&n.dst, &n.src[0], &n.src[1]}, p.loops, p.blocks, hw);
}

std::string misfit(const op::scale::kernel_params &p, const node &n, const hardware &hw) {
    return misfit_of_rows({&n.dst, &n.src[0]}, p.loops, p.blocks, hw);
}

std::string misfit(const op::rms_norm::kernel_params &p, const node &n, const hardware &hw) {
    return misfit_of_rows({&n.dst, &n.src[0]}, p.loops, p.blocks, hw);
}

std::string misfit(const op::glu_params &p, const node &n, const hardware &hw) {
    tensor_shape x = n.src[0], g = n.has_src(1) ? n.src[1] : n.src[0];
    const uint64_t room = x.extent_bytes(), room_g = g.extent_bytes();
    x.ne[0] = g.ne[0] = n.dst.ne[0];
    if (p.x_offset + x.extent_bytes() > room || p.g_offset + g.extent_bytes() > room_g)
        return "a half leaves its source";
    return misfit_of_rows({&n.dst, &x, &g}, p.loops, p.blocks, hw);
}

std::string misfit(const op::copy_params &p, const node &n, const hardware &hw) {
    const uint32_t from = block_bytes(n.src[0].dtype()), to = block_bytes(n.dst.dtype());
    if (p.blocks.depth < 2 || p.blocks.depth > rows::max_depth) return "units in flight";
    if (p.kind == op::copy_kind::runs) {
        if (p.blocks.cols < rows::col_granule || p.blocks.cols % rows::col_granule != 0) return "runs";
        if (product_of(n.dst) >> 32 != 0) return "more elements than the kernel counts";
        return check_threads(p.blocks.n_threads, op::copy_runs_bytes(p.blocks, from, to), hw);
    }
    const rows::nest nest = plan::nest_of(p.boxes, plan::shapes_of({&n.dst, &n.src[0]}));
    if (nest.stride[0][0] != to || nest.stride[1][1] != from) return "nothing to transpose";
    if (units_of(nest, p.blocks) != p.boxes.units) return "the number of units wraps";
    const auto layout = op::transpose_layout::of(p.blocks, from, to, n.src[0].type != n.dst.type);
    return check_threads(p.blocks.n_threads, wide{layout.bytes} * p.blocks.depth, hw);
}

std::string misfit(const op::set_rows::kernel_params &p, const node &n, const hardware &hw) {
    if (p.depth < 2 || p.depth > rows::max_depth / 2) return "units in flight";
    if (p.elements_per_unit == 0 || p.elements_per_unit % rows::col_granule != 0) return "elements of a unit";
    const wide pieces = (wide{static_cast<uint64_t>(n.src[0].ne[0])} + p.elements_per_unit - 1) / p.elements_per_unit;
    const wide row_count = product_of(n.src[0]) / static_cast<uint64_t>(n.src[0].ne[0]);
    if ((pieces * row_count) >> 32 != 0) return "more pieces than the kernel counts";
    return check_threads(p.n_threads, op::set_rows_worker_bytes(p, n.src[0].dtype(), n.dst.dtype()), hw);
}

std::string misfit(const op::rope_params &p, const node &n, const hardware &hw) {
    const auto n0 = static_cast<uint32_t>(n.dst.ne[0]);
    if (p.heads_per_unit < 1 || p.heads_per_unit > n.dst.ne[1]) return "heads of a unit";
    if (p.positions_per_unit < 1 || p.positions_per_unit > n.dst.ne[2]) return "positions of a unit";
    if (p.positions_per_unit > 1 && p.heads_per_unit != n.dst.ne[1])
        return "several positions with a part of their heads";
    if (p.depth < 2 || p.depth > rows::max_depth) return "units in flight";
    if (uint64_t{p.offset} + 2 * uint64_t{p.n_pairs} > n0) return "pairs leave the row";
    if (p.scale_first != p.scale_last && (p.ramp_begin < 0 || p.ramp_end <= p.ramp_begin)) return "ramp";
    if (op::rope_layout::frequency_bytes(p.n_pairs) > hw.scratch_bytes) return "frequencies exceed scratch";
    return check_threads(p.n_threads, op::rope_layout::worker_bytes(p, n0, block_bytes(n.dst.dtype())), hw);
}

std::string misfit(const op::mul_mat::kernel_params &p, const node &n, const hardware &hw) {
    const wide columns = wide{p.columns.divisor} * p.broadcast.divisor * p.broadcast3.divisor;
    if (columns * p.slices.divisor * static_cast<uint64_t>(n.src[0].ne[3]) !=
        product_of(n.src[1]) / static_cast<uint64_t>(n.src[1].ne[0]))
        return "columns and slices are not the rows of src1";
    if (std::string s = misfit_of_pass(p, n.src[0], columns, hw); !s.empty()) return s;
    if (std::string s = misfit_of_blocks(p, n.src[0], hw); !s.empty()) return s;
    return misfit_of_stages(p, n, hw);
}

}  // namespace hexane::fuzz
