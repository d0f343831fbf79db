// tests/fuzz/plan_fit.h -- whether an accepted plan fits its hardware, by the layout functions that the kernel lays itself out with.
//
// Sums are taken in 128 bits, so that what wraps in the kernel's 32 shows as a difference.
#pragma once

#include <string>
#include <utility>

#include "abi/hardware.h"
#include "abi/row_blocks.h"
#include "plan/plan.h"
#include "plan/row_plan.h"

namespace hexane::fuzz {

using plan::node;
using plan::tensor_shape;
using wide = unsigned __int128;

// What does not fit, or is outside of what the params promise; empty when all is well. Each ops/<op>/fit.cpp defines it for the
// params of its op; one that is missing is a link error that names it. A row-wise op needs none: see misfit_of().
template <class Params> std::string misfit(const Params &p, const node &n, const hardware &hw);

// Transfers that a worker's queue holds (htp/dma_queue.h).
inline constexpr uint32_t queue_capacity = 128;

// Whether a plan has a number of threads that there are, and VTCM for each of them.
inline std::string check_threads(uint32_t n_threads, wide worker_bytes, const hardware &hw) {
    if (n_threads < 1 || n_threads > hw.n_threads) return "threads: " + std::to_string(n_threads);
    if (worker_bytes * n_threads > hw.vtcm_bytes) return "workers exceed VTCM";
    return {};
}

// Elements of a tensor.
inline wide product_of(const tensor_shape &t) {
    wide elements = 1;
    for (const int64_t n : t.ne) elements *= static_cast<uint64_t>(n);
    return elements;
}

// Bytes and units again, in numbers that cannot wrap.
inline wide worker_bytes_of(const rows::nest &n, const rows::blocks &b) {
    wide bytes = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) {
        const wide row = n.splat(o) ? 1 : wide{b.cols} * n.element_bytes[o];
        bytes += (row + line_bytes - 1) / line_bytes * line_bytes * (n.row_repeats(o) ? 1 : b.rows);
    }
    return bytes * b.depth;
}

inline wide units_of(const rows::nest &n, const rows::blocks &b) {
    wide units = (wide{n.extent[0]} + b.cols - 1) / b.cols * ((wide{n.extent[1]} + b.rows - 1) / b.rows);
    for (uint32_t i = 2; i < n.n_loops; ++i) units *= n.extent[i];
    return units;
}

inline std::string misfit_of_cut(const rows::nest &n, const rows::blocks &b, const hardware &hw) {
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

// For an op that walks the nest of these operands, destination first.
inline std::string misfit_of_rows(std::initializer_list<const tensor_shape *> operands, const rows::loops &l,
                                  const rows::blocks &b, const hardware &hw) {
    const rows::nest n = plan::nest_of(l, plan::shapes_of(operands));
    wide elements = 1;
    for (uint32_t i = 0; i < n.n_loops; ++i) elements *= n.extent[i];
    if (elements != product_of(**operands.begin())) return "the nest has other elements than the destination";
    if (units_of(n, b) != l.units) return "the number of units wraps";
    return misfit_of_cut(n, b, hw);
}

// An op whose header says so walks the nest of dst and its first n_sources sources as they are, by `kernel_params::loops` and `blocks`: how
// that fits is known without it.
template <class Op>
concept row_wise = requires { requires Op::streams_rows; };

template <class Op, uint32_t... Source>
std::string misfit_of_row_wise(const typename Op::kernel_params &p, const node &n, const hardware &hw,
                               std::integer_sequence<uint32_t, Source...>) {
    return misfit_of_rows({&n.dst, &n.src[Source]...}, p.loops, p.blocks, hw);
}

// The same as misfit(), for every op.
template <class Op> std::string misfit_of(const typename Op::kernel_params &p, const node &n, const hardware &hw) {
    if constexpr (row_wise<Op>) {
        return misfit_of_row_wise<Op>(p, n, hw, std::make_integer_sequence<uint32_t, Op::n_sources>());
    } else {
        return misfit(p, n, hw);
    }
}

}  // namespace hexane::fuzz
