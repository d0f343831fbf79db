// host/graph_plan.cpp -- the planning half of graph_run: one step into an op that a batch can take.
#include "abi/data_type.h"
#include "ggml.h"
#include "host/device.h"
#include "host/graph_run.h"
#include "host/log.h"
#include "host/node.h"
#include "host/node_text.h"
#include "host/tile_map.h"
#include "ops/mul_mat/mul_mat.h"

namespace hexane::host {

namespace {

tensor_desc describe(const tensor_shape &s, const ggml_tensor &t) {
    tensor_desc d{};
    d.bytes = s.tiled ? tiled_extent_bytes(t) : s.extent_bytes();
    for (int i = 0; i < 4; ++i) {
        d.ne[i] = static_cast<uint32_t>(s.ne[i]);
        d.nb[i] = static_cast<uint32_t>(s.nb[i]);
    }
    d.type = s.type;
    d.flags = s.tiled ? tensor_tiled : 0;
    return d;
}

}  // namespace

const planned_step *graph_run::planned(size_t i) {
    if (known_) return &known_->steps[i];
    if (i < fresh_.steps.size()) return &fresh_.steps[i];  // of a session that died before it did anything
    return make_plan(i) ? &fresh_.steps.back() : nullptr;
}

const tensor_desc *graph_run::operands_of(const planned_step &p) const {
    return (known_ ? *known_ : fresh_).operands.data() + p.first_operand;
}

bool graph_run::make_plan(size_t i) {
    const std::string_view key = scan_.step_key(i);
    const step s = scan_.step(i);
    erased_plan p = device_.session_plans().plan(key);
    // Planners are monotone, so what supports_op accepted is accepted here; if one is not, the least hardware's plan is
    // still right.
    if (!p.accepted) p = device_.support_plans().plan(key);
    if (!p.accepted) return fail(p.reason + ": " + step_text(s));
    if (verbose(2))
        log_line(log_level::debug, "%s plan %s|%s", device_.name().c_str(), step_text(s).c_str(),
                 describe_erased(device_.ops(), p.op).c_str());

    const struct node n = node_from_key(key);
    planned_step out{};
    out.desc = descriptor_of(p.op);
    out.first_operand = static_cast<uint32_t>(fresh_.operands.size());
    for (uint32_t k = 0; k < n.n_src; ++k) {
        if (!n.has_src(k)) continue;
        out.desc.src[k] = static_cast<uint16_t>(out.n_operands++);
        fresh_.operands.push_back(describe(n.src[k], *s.sources[k]));
    }
    out.desc.dst[0] = static_cast<uint16_t>(out.n_operands++);
    fresh_.operands.push_back(describe(n.dst, s.result()));
    if (n.op == op::mul_mat::id) out.weight_bytes = n.src[0].row_bytes() * static_cast<uint64_t>(n.src[0].rows());
    fresh_.steps.push_back(out);
    return true;
}

}  // namespace hexane::host
