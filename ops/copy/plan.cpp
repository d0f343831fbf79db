// ops/copy/plan.cpp -- one plan for CPY, CONT and DUP: boxes that are turned in VTCM where source and destination are dense along
// different dimensions, else equal runs of the element sequence.
#include <algorithm>

#include "ops/copy/copy.h"
#include "plan/row_plan.h"

namespace hexane::plan {

namespace {

bool converts(const tensor_shape &src, const tensor_shape &dst) {
    if (src.type == dst.type || (is_float(src) && is_float(dst))) return true;
    return (src.is(data_type::f32) && dst.is(data_type::i32)) || (src.is(data_type::i32) && dst.is(data_type::f32));
}

bool blocks_dense(const tensor_shape &t) { return block_elements(t.dtype()) == 1 || t.rows_dense(); }

// Makes the loop along which the destination is dense loop 0, and the one along which the source is dense loop 1. False,
// and nothing changed, if these are not two different loops: then there is nothing to transpose.
bool arrange_transpose(rows::loops &l, const std::vector<rows::shape> &operands) {
    const rows::nest n = nest_of(l, operands);
    uint32_t to = n.n_loops, from = n.n_loops;
    for (uint32_t i = 0; i < n.n_loops; ++i) {
        if (n.extent[i] == 1) continue;
        if (n.stride[0][i] == n.element_bytes[0]) to = i;
        if (n.stride[1][i] == n.element_bytes[1]) from = i;
    }
    if (to == n.n_loops || from == n.n_loops || to == from) return false;
    rows::swap_loops(l, 0, to);
    rows::swap_loops(l, 1, from == 0 ? to : from);
    return true;
}

// A unit of this size amortises its transfers.
constexpr uint32_t wanted_box_bytes = 64u << 10;

// The box of a transposing copy: square tiles, doubled along the shorter side while there is room and something to gain.
std::optional<rows::blocks> grow_box(const rows::nest &n, bool converts, uint32_t budget) {
    const auto bytes = [&](const rows::blocks &b) {
        return op::transpose_layout::of(b, n.element_bytes[1], n.element_bytes[0], converts).bytes;
    };
    const uint32_t tile = line_bytes / n.element_bytes[0];
    rows::blocks b{.n_threads = 0, .cols = tile, .rows = tile, .depth = 2};
    if (bytes(b) * b.depth > budget) return std::nullopt;
    for (;;) {
        rows::blocks taller = b, wider = b;
        taller.rows *= 2;
        wider.cols *= 2;
        const uint32_t most = std::min(wanted_box_bytes, budget / b.depth);
        const bool can_taller = b.rows < n.extent[1] && bytes(taller) <= most;
        const bool can_wider = b.cols < n.extent[0] && bytes(wider) <= most;
        if (!can_taller && !can_wider) return b;
        b = can_taller && (b.rows <= b.cols || !can_wider) ? taller : wider;
    }
}

// Nothing if the tensors do not call for it: of different shape, dense along the same dimension, or of elements that are
// neither halfwords nor words.
std::optional<plan_or<op::copy_params>> plan_transpose(const tensor_shape &src, const tensor_shape &dst,
                                                       const hardware &hw) {
    const uint32_t element = block_bytes(dst.dtype());
    if (!src.same_shape(dst) || block_elements(dst.dtype()) != 1 || (element != 2 && element != 4)) return std::nullopt;
    const std::vector<rows::shape> shapes = shapes_of({&dst, &src});
    auto loops = make_loops(shapes, row_kind::free);
    if (!loops || !arrange_transpose(*loops, shapes)) return std::nullopt;
    const rows::nest n = nest_of(*loops, shapes);
    const uint64_t traffic = static_cast<uint64_t>(dst.elements()) * (element + block_bytes(src.dtype()));
    const bool turns_type = src.type != dst.type;
    for (uint32_t threads = threads_for(traffic, hw); threads > 0; --threads) {
        auto box = grow_box(n, turns_type, base::align_down(hw.vtcm_bytes / threads, line_bytes));
        if (!box) continue;
        box->n_threads = threads;
        const auto layout = op::transpose_layout::of(*box, block_bytes(src.dtype()), element, turns_type);
        rows::set_units(*loops, *box);
        return plan_or<op::copy_params>({.kind = op::copy_kind::transpose, .blocks = *box, .boxes = *loops},
                                        uint64_t{threads} * layout.bytes * box->depth);
    }
    return std::nullopt;
}

op::element_order order_of(const tensor_shape &t) {
    op::element_order e{{1, 1, 1, 1}, {}, {}, {}};
    uint32_t n_loops = 0;
    uint64_t next = 0;  // stride with which a dimension continues the last loop
    for (uint32_t d = 0; d < 4; ++d) {
        const auto steps = static_cast<uint32_t>(t.ne[d]) / (d == 0 ? block_elements(t.dtype()) : 1);
        if (steps == 1) continue;
        if (n_loops > 0 && t.nb[d] == next) {
            e.extent[n_loops - 1] *= steps;
        } else {
            e.extent[n_loops] = steps;
            e.dimension[n_loops++] = static_cast<uint8_t>(d);
        }
        next = t.nb[d] * steps;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const auto by = base::fastdiv::by(e.extent[i]);
        e.multiplier[i] = by.multiplier;
        e.shift[i] = static_cast<uint8_t>(by.shift);
    }
    return e;
}

}  // namespace

template <> plan_or<op::copy_params> plan<op::copy>(const node &n, const hardware &hw) {
    const tensor_shape &src = n.src[0], &dst = n.dst;
    if (auto r = check_operands({&src}, dst, hw)) return *r;
    if (!converts(src, dst)) return reject{"no conversion between these types"};
    if (src.elements() != dst.elements()) return reject{"source and destination differ in size"};
    if (!blocks_dense(src) || !blocks_dense(dst)) return reject{"blocks of a quantised row have gaps"};
    if (auto p = plan_transpose(src, dst, hw)) return *p;
    const uint64_t elements = static_cast<uint64_t>(dst.elements()) / block_elements(dst.dtype());
    const uint32_t from = block_bytes(src.dtype()), to = block_bytes(dst.dtype());
    const auto r = cut_runs(elements, from + to, hw);
    if (!r) return reject{"VTCM is too small"};
    const rows::blocks blocks{r->n_threads, r->elements_per_unit, 1, r->depth};
    return {{.kind = op::copy_kind::runs, .blocks = blocks, .sequence = {order_of(src), order_of(dst)}},
            r->n_threads * op::copy_runs_bytes(blocks, from, to)};
}

template <> std::string describe<op::copy>(const op::copy_params &p) {
    return (p.kind == op::copy_kind::transpose ? "transposed, " : "in runs, ") + to_string(p.blocks);
}

}  // namespace hexane::plan
