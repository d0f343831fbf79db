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

// A unit of this size amortises its transfers.
constexpr uint32_t wanted_box_bytes = 64u << 10;

// The box of a transposing copy: square tiles, doubled along the shorter side while there is room and something to gain.
std::optional<rows::blocks> grow_box(const rows::nest<2> &n, bool converts, uint32_t budget) {
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
    const rows::shape shapes[] = {shape_of(dst), shape_of(src)};
    rows::nest<2> n = rows::make_nest(shapes, rows::row_kind::free);
    if (!op::arrange_transpose(n)) return std::nullopt;
    const uint64_t traffic = static_cast<uint64_t>(dst.elements()) * (element + block_bytes(src.dtype()));
    const bool turns_type = src.type != dst.type;
    for (uint32_t threads = threads_for(traffic, hw); threads > 0; --threads) {
        auto box = grow_box(n, turns_type, base::align_down(hw.vtcm_bytes / threads, line_bytes));
        if (!box) continue;
        box->n_threads = threads;
        const auto layout = op::transpose_layout::of(*box, block_bytes(src.dtype()), element, turns_type);
        return plan_or<op::copy_params>({op::copy_kind::transpose, *box},
                                        uint64_t{threads} * layout.bytes * box->depth);
    }
    return std::nullopt;
}

plan_or<op::copy_params> plan_copy(const node &n, const hardware &hw) {
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
    return {{op::copy_kind::runs, blocks}, r->n_threads * op::copy_runs_bytes(blocks, from, to)};
}

std::string describe_copy(const op::copy_params &p) {
    return (p.kind == op::copy_kind::transpose ? "transposed, " : "in runs, ") + to_string(p.blocks);
}

}  // namespace

template <> plan_or<op::copy_params> plan<op::cpy>(const node &n, const hardware &hw) { return plan_copy(n, hw); }
template <> plan_or<op::copy_params> plan<op::cont>(const node &n, const hardware &hw) { return plan_copy(n, hw); }
template <> plan_or<op::copy_params> plan<op::dup>(const node &n, const hardware &hw) { return plan_copy(n, hw); }

template <> std::string describe<op::cpy>(const op::copy_params &p) { return describe_copy(p); }
template <> std::string describe<op::cont>(const op::copy_params &p) { return describe_copy(p); }
template <> std::string describe<op::dup>(const op::copy_params &p) { return describe_copy(p); }

}  // namespace hexane::plan
