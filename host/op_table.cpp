// host/op_table.cpp
#include "host/op_table.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ggml.h"
#include "ops/all_ops.h"

namespace hexane::host {

namespace {

template <class Op> erased_plan plan_one(const node &n, const hardware &hw) {
    const auto p = plan::plan<owner_of<Op>>(n, hw);
    erased_plan result;
    result.accepted = p.accepted() && p.vtcm_bytes() <= hw.vtcm_bytes;
    if (!result.accepted) {
        // A planner that does its sums wrong leaves the op to the CPU.
        result.reason = p.accepted() ? "the plan uses more VTCM than there is" : p.reason();
        return result;
    }
    result.op.op = Op::id;
    result.op.vtcm_bytes = static_cast<uint32_t>(p.vtcm_bytes());
    std::memcpy(result.op.kernel_params, &p.params(), sizeof p.params());
    return result;
}

template <class Op> std::string describe_one(const planned_op &op) {
    typename Op::kernel_params params;
    std::memcpy(&params, op.kernel_params, sizeof params);
    return plan::describe<owner_of<Op>>(params);
}

const std::array<op_entry, all_ops::size> &entries() {
    static const auto table = [] {
        std::array<op_entry, all_ops::size> t{};
        size_t i = 0;
        all_ops::for_each([&]<class Op>() { t[i++] = {Op::id, Op::name, plan_one<Op>, describe_one<Op>}; });
        return t;
    }();
    return table;
}

bool matches(const options &o, const char *name) {
    try {
        return o.filter && std::regex_match(name, *o.filter);
    } catch (const std::regex_error &) {
        return false;  // too complex for this name
    }
}

}  // namespace

op_table::op_table(const options &o) : by_id_(all_ops::id_limit) {
    for (const op_entry &e : entries()) by_id_[static_cast<uint32_t>(e.id)] = &e;
    static_assert(GGML_OP_COUNT < max_ggml_ops && GGML_UNARY_OP_COUNT < max_ggml_ops &&
                  GGML_GLU_OP_COUNT < max_ggml_ops);
    for (int i = 0; i < GGML_OP_COUNT; ++i) ops_[i] = slot_for(ggml_op_name(static_cast<ggml_op>(i)), o);
    for (int i = 0; i < GGML_UNARY_OP_COUNT; ++i)
        unary_[i] = slot_for(ggml_unary_op_name(static_cast<ggml_unary_op>(i)), o);
    for (int i = 0; i < GGML_GLU_OP_COUNT; ++i) glu_[i] = slot_for(ggml_glu_op_name(static_cast<ggml_glu_op>(i)), o);
}

op_table::slot op_table::slot_for(const char *ggml_name, const options &o) const {
    slot s;
    for (const op_entry &e : entries()) {
        if (std::strcmp(e.name, ggml_name) == 0) s.entry = &e;
    }
    s.excluded = matches(o, ggml_name) || (o.mm_select == 0 && std::strncmp(ggml_name, "MUL_MAT", 7) == 0);
    return s;
}

const op_table::slot &op_table::slot_of(const ggml_tensor &t) const {
    static const slot nothing{};
    auto at = [](const slot(&table)[max_ggml_ops], uint32_t i) -> const slot & {
        return i < max_ggml_ops ? table[i] : nothing;
    };
    if (t.op == GGML_OP_UNARY) return at(unary_, static_cast<uint32_t>(t.op_params[0]));
    if (t.op == GGML_OP_GLU) return at(glu_, static_cast<uint32_t>(t.op_params[0]));
    return at(ops_, static_cast<uint32_t>(t.op));
}

const op_entry *op_table::find(const ggml_tensor &t) const { return slot_of(t).entry; }
bool op_table::excludes(const ggml_tensor &t) const { return slot_of(t).excluded; }

op_desc descriptor_of(const planned_op &op) {
    op_desc d{};
    d.op = op.op;
    d.vtcm_bytes = op.vtcm_bytes;
    std::memcpy(d.kernel_params, op.kernel_params, sizeof d.kernel_params);
    std::fill(std::begin(d.src), std::end(d.src), no_tensor);
    std::fill(std::begin(d.dst), std::end(d.dst), no_tensor);
    return d;
}

std::string describe_erased(const op_table &ops, const planned_op &op) {
    const op_entry *entry = ops.find(op.op);
    return entry ? entry->describe(op) : "unknown op";
}

}  // namespace hexane::host
