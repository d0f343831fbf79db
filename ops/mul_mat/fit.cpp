// ops/mul_mat/fit.cpp -- whether a plan of MUL_MAT fits its hardware.
#include "ops/mul_mat/layout.h"
#include "tests/fuzz/plan_fit.h"

namespace hexane::fuzz {

namespace {

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
    if (p.block_k != p.k_per_pass && p.block_k % kind.format->k_unit != 0) return "blocks that end within a unit of k";
    if (p.panel_columns < 1 || p.panel_bands < p.block_bands || p.panel_bands % p.block_bands != 0) return "panels";
    return check_threads(p.n_threads, matmul::multiply_layout::of(kind, p).bytes, hw);
}

}  // namespace

template <> std::string misfit(const op::mul_mat::kernel_params &p, const node &n, const hardware &hw) {
    const wide columns = wide{p.columns.divisor} * p.broadcast.divisor * p.broadcast3.divisor;
    if (columns * p.slices.divisor * static_cast<uint64_t>(n.src[0].ne[3]) !=
        product_of(n.src[1]) / static_cast<uint64_t>(n.src[1].ne[0]))
        return "columns and slices are not the rows of src1";
    if (std::string s = misfit_of_pass(p, n.src[0], columns, hw); !s.empty()) return s;
    if (std::string s = misfit_of_blocks(p, n.src[0], hw); !s.empty()) return s;
    return misfit_of_stages(p, n, hw);
}

}  // namespace hexane::fuzz
