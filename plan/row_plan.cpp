// plan/row_plan.cpp -- how the row-wise ops are cut into units: enough of them for the threads, small enough for VTCM.
#include "plan/row_plan.h"

#include <algorithm>

namespace hexane::plan {

namespace {

// Traffic below which one more thread does not pay: about 2 us of streaming, a few times the cost of a hand-over.
constexpr uint64_t bytes_per_thread = 16u << 10;

// A unit of this size amortises its descriptors; a larger one only delays the first computation and the last store.
constexpr uint64_t wanted_unit_bytes = 64u << 10;
constexpr uint64_t least_unit_bytes = 8u << 10;

// Units per thread that are wanted before units are made larger: loads, computation and stores overlap from two on.
constexpr uint32_t wanted_units_per_thread = 4;

constexpr uint32_t default_depth = 2;
constexpr uint32_t deepest = 4;

// Transfers in flight that a worker may count on; the queue holds 128.
constexpr uint32_t transfers_in_flight = 120;

uint32_t worker_vtcm(const hardware &hw, uint32_t n_threads) {
    return base::align_down(hw.vtcm_bytes / n_threads, line_bytes);
}

uint64_t element_bytes(const rows::nest &n) {
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) bytes += n.splat(o) ? 0 : n.element_bytes[o];
    return bytes;
}

uint64_t unit_bytes(const rows::nest &n, rows::blocks b) {
    b.depth = 1;
    return rows::worker_bytes(n, b);
}

bool any_gathered(const rows::nest &n) {
    for (uint32_t o = 0; o < n.n_operands; ++o)
        if (n.gathered(o)) return true;
    return false;
}

// Largest number of columns, a multiple of the granule, of which `depth` single-row units fit; the whole row if that
// fits.
uint32_t fitting_cols(const rows::nest &n, rows::blocks b, uint64_t budget) {
    b.rows = 1;
    b.cols = n.extent[0];
    if (rows::worker_bytes(n, b) <= budget) return b.cols;
    b.cols = rows::col_granule;
    const uint64_t granule_bytes = element_bytes(n) * rows::col_granule * b.depth;
    const uint64_t fixed = rows::worker_bytes(n, b) - granule_bytes;
    if (rows::worker_bytes(n, b) > budget) return 0;
    return static_cast<uint32_t>((budget - fixed) / granule_bytes) * rows::col_granule;
}

// Columns that give every thread something to do where rows are few, but no crumbs.
uint32_t shared_cols(const rows::nest &n, uint32_t n_threads, uint32_t cols) {
    const uint64_t n_rows = uint64_t{n.extent[1]} * n.outer_steps();
    const uint64_t wanted_units = n_threads == 1 ? 1 : 2 * n_threads;
    if (n_rows >= wanted_units) return cols;
    const uint64_t pieces_per_row = base::ceil_div<uint64_t>(wanted_units, n_rows);
    const uint64_t least =
        std::max<uint64_t>(least_unit_bytes / std::max<uint64_t>(element_bytes(n), 1), rows::col_granule);
    const uint64_t piece = std::max(base::ceil_div<uint64_t>(n.extent[0], pieces_per_row), least);
    const uint64_t rounded = base::align_up<uint64_t>(piece, rows::col_granule);
    return rounded < cols ? static_cast<uint32_t>(rounded) : cols;
}

// Rows of a unit: towards the wanted size, but with several units for each thread, and never more than fit.
uint32_t wanted_rows(const rows::nest &n, rows::blocks b, uint64_t budget) {
    b.rows = 1;
    const uint64_t one = unit_bytes(n, b);
    b.rows = 2;
    const uint64_t each = std::max<uint64_t>(unit_bytes(n, b) - one, 1);  // repeated rows are there once
    const auto rows_in = [&](uint64_t bytes) { return bytes <= one ? 1 : 1 + (bytes - one) / each; };
    const uint64_t most = rows_in(std::min(budget / b.depth, wanted_unit_bytes));
    const uint64_t n_rows = uint64_t{n.extent[1]} * n.outer_steps();
    const uint64_t balanced = base::ceil_div<uint64_t>(n_rows, uint64_t{b.n_threads} * wanted_units_per_thread);
    const uint64_t wanted = std::max(balanced, rows_in(least_unit_bytes));
    uint64_t rows = std::min({most, wanted, uint64_t{n.extent[1]}});
    if (any_gathered(n)) rows = std::min<uint64_t>(rows, rows::max_gather_rows);
    return static_cast<uint32_t>(std::max<uint64_t>(rows, 1));
}

// Units in flight: as many as fit, within what the transfer queue holds.
uint32_t fitting_depth(const rows::nest &n, const rows::blocks &b, uint64_t budget) {
    uint32_t transfers = 0;
    for (uint32_t o = 0; o < n.n_operands; ++o) transfers += n.gathered(o) ? b.rows : 1;
    const uint64_t fit = budget / unit_bytes(n, b);
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(std::min<uint64_t>(fit, transfers_in_flight / transfers), default_depth, deepest));
}

// Blocks such that every worker's buffers fit its part of VTCM: whole rows, or pieces of rows where a row does not fit or
// where there are fewer rows than threads (only if `kind` leaves rows free). Nothing if not even the smallest piece fits.
std::optional<rows::blocks> cut(const rows::nest &n, row_kind kind, const hardware &hw) {
    rows::blocks b{};
    b.depth = default_depth;
    const uint64_t elements = uint64_t{n.extent[0]} * n.extent[1] * n.outer_steps();
    for (b.n_threads = threads_for(elements * element_bytes(n), hw); b.n_threads > 0; --b.n_threads) {
        const uint64_t budget = worker_vtcm(hw, b.n_threads);
        b.cols = fitting_cols(n, b, budget);
        if (b.cols == 0) continue;
        if (kind == row_kind::free) b.cols = shared_cols(n, b.n_threads, b.cols);
        if (kind == row_kind::free || b.cols < n.extent[0]) {
            // Pieces that pass through VTCM one by one need not be larger than a good unit.
            const uint64_t good = base::align_down<uint64_t>(wanted_unit_bytes / element_bytes(n), rows::col_granule);
            if (b.cols > good) b.cols = static_cast<uint32_t>(good);
        }
        b.rows = b.cols < n.extent[0] ? 1 : wanted_rows(n, b, budget);
        b.depth = fitting_depth(n, b, budget);
        return b;
    }
    return std::nullopt;
}

}  // namespace

std::optional<reject> check_operands(std::initializer_list<const tensor_shape *> sources, const tensor_shape &dst,
                                     const hardware &hw) {
    if (const char *why = unaddressable(dst)) return reject{std::string("destination: ") + why};
    if (dst.overlaps_itself()) return reject{"destination overlaps itself"};
    if (dst.tiled) return reject{"destination is in tiles"};
    uint64_t bytes = dst.extent_bytes();
    for (const tensor_shape *t : sources) {
        if (const char *why = unaddressable(*t)) return reject{why};
        if (t->tiled) return reject{"source is in tiles"};
        bytes += t->extent_bytes();
    }
    if (bytes > hw.window_bytes) return reject{"operands are larger than the window"};
    return std::nullopt;
}

bool is_float(const tensor_shape &t) { return t.is(data_type::f32) || t.is(data_type::f16) || t.is(data_type::bf16); }

bool repeats_to(const tensor_shape &small, const tensor_shape &large) {
    for (int i = 0; i < 4; ++i)
        if (small.ne[i] < 1 || large.ne[i] % small.ne[i] != 0) return false;
    return true;
}

uint32_t threads_for(uint64_t bytes, const hardware &hw) {
    return static_cast<uint32_t>(std::clamp<uint64_t>(bytes / bytes_per_thread, 1, hw.n_threads));
}

plan_or<row_cut> plan_rows(std::initializer_list<const tensor_shape *> operands, row_kind kind, const hardware &hw) {
    const std::vector<rows::shape> shapes = shapes_of(operands);
    auto loops = make_loops(shapes, kind);
    if (!loops) return reject{"operands repeat in too many ways"};
    const rows::nest n = nest_of(*loops, shapes);
    const auto blocks = cut(n, kind, hw);
    if (!blocks) return reject{"VTCM is too small"};
    rows::set_units(*loops, *blocks);
    return {{*blocks, *loops}, blocks->n_threads * rows::worker_bytes(n, *blocks)};
}

std::string to_string(const rows::blocks &b) {
    return std::to_string(b.cols) + " columns x " + std::to_string(b.rows) + " rows per unit, " +
           std::to_string(b.depth) + " in flight, " + std::to_string(b.n_threads) + " threads";
}

std::optional<runs> cut_runs(uint64_t elements, uint32_t bytes_per_element, const hardware &hw) {
    runs r{};
    r.depth = default_depth;
    const uint64_t least = uint64_t{rows::col_granule} * bytes_per_element * r.depth;
    for (r.n_threads = threads_for(elements * bytes_per_element, hw); r.n_threads > 0; --r.n_threads) {
        const uint64_t budget = worker_vtcm(hw, r.n_threads);
        if (least > budget) continue;
        const uint64_t fit = budget / (uint64_t{bytes_per_element} * r.depth);
        const uint64_t good = std::max<uint64_t>(wanted_unit_bytes / bytes_per_element, rows::col_granule);
        r.elements_per_unit = static_cast<uint32_t>(base::align_down<uint64_t>(std::min(fit, good), rows::col_granule));
        return r;
    }
    return std::nullopt;
}

}  // namespace hexane::plan
