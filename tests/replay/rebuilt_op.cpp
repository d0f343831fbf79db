// tests/replay/rebuilt_op.cpp
#include "tests/replay/rebuilt_op.h"

#include <cstdio>
#include <cstring>
#include <mutex>

#include "host/buffer.h"
#include "host/registry.h"
#include "host/tensor_place.h"
#include "tests/harness/verdict.h"

namespace hexane::testing {

namespace {

constexpr size_t alignment = 128;

std::mutex error_lock;
std::string last_error;

void on_line(ggml_log_level level, const char *text, void *) {
    if (level == GGML_LOG_LEVEL_WARN) std::fputs(text, stderr);
    if (level != GGML_LOG_LEVEL_ERROR) return;
    const std::lock_guard lock(error_lock);
    last_error = text;
    while (!last_error.empty() && last_error.back() == '\n') last_error.pop_back();
}

// Sets the op by the name that ggml_op_desc() gives it. Numbers may differ between versions of ggml, names do not.
bool set_op(ggml_tensor *t, const std::string &name) {
    for (int i = 0; i < GGML_OP_COUNT; ++i) {
        if (name != ggml_op_name(static_cast<ggml_op>(i))) continue;
        t->op = static_cast<ggml_op>(i);
        return true;
    }
    for (int i = 0; i < GGML_GLU_OP_COUNT; ++i) {
        if (name != ggml_glu_op_name(static_cast<ggml_glu_op>(i))) continue;
        t->op = GGML_OP_GLU;
        t->op_params[0] = i;
        return true;
    }
    for (int i = 0; i < GGML_UNARY_OP_COUNT; ++i) {
        if (name != ggml_unary_op_name(static_cast<ggml_unary_op>(i))) continue;
        t->op = GGML_OP_UNARY;
        t->op_params[0] = i;
        return true;
    }
    return false;
}

bool is_tiled(const ggml_tensor &t) {
    const host::buffer *b = host::buffer_of(t);
    return b && b->region_at(b->offset_of(t));
}

}  // namespace

void keep_errors() { ggml_log_set(on_line, nullptr); }

std::string take_last_error() {
    const std::lock_guard lock(error_lock);
    return std::exchange(last_error, {});
}

std::unique_ptr<rebuilt_op> rebuilt_op::create(const host::op_record &r, std::string *why) {
    std::unique_ptr<rebuilt_op> op(new rebuilt_op(r));
    if (!set_op(op->node_, r.op)) {
        *why = "has the op '" + r.op + "', which this ggml (" + ggml_version() + ") does not have";
        return nullptr;
    }
    return op;
}

rebuilt_op::rebuilt_op(const host::op_record &r)
    : record_(r), context_(ggml_init({1u << 20, nullptr, true})), storage_(r.regions.size()) {
    std::vector<ggml_tensor *> sources;
    for (const host::op_record::operand &o : r.sources) sources.push_back(o.present ? tensor_of(o) : nullptr);
    node_ = tensor_of(r.result);
    ggml_set_name(node_, r.node_name.c_str());
    node_->src[0] = nullptr;  // of the view
    for (size_t i = 0; i < sources.size(); ++i) node_->src[i] = sources[i];
    static_assert(sizeof node_->op_params == sizeof r.params);
    std::memcpy(node_->op_params, r.params, sizeof r.params);
    node_->flags |= GGML_TENSOR_FLAG_COMPUTE;
}

// A tiled tensor is one of its own. Any other is a view of its region's bytes, so that operands overlap as they did, and
// so that it never becomes tiled.
ggml_tensor *rebuilt_op::tensor_of(const host::op_record::operand &o) {
    ggml_tensor *&storage = storage_[o.region];
    ggml_tensor *t;
    if (o.shape.tiled) {
        t = ggml_new_tensor(context_.get(), static_cast<ggml_type>(o.shape.type), 4, o.shape.ne);
        storage = t;
    } else {
        if (!storage)
            storage =
                ggml_new_tensor_1d(context_.get(), GGML_TYPE_I8, static_cast<int64_t>(record_.regions[o.region].bytes));
        t = ggml_view_1d(context_.get(), storage, 1, o.offset);
        t->type = static_cast<ggml_type>(o.shape.type);
        for (int i = 0; i < 4; ++i) {
            t->ne[i] = o.shape.ne[i];
            t->nb[i] = o.shape.nb[i];
        }
    }
    ggml_set_name(t, o.name.c_str());
    return t;
}

std::vector<values> rebuilt_op::sources() const {
    std::vector<values> out;
    for (size_t i = 0; i < record_.sources.size() && node_->src[i]; ++i) {
        const host::op_record::operand &o = record_.sources[i];
        out.push_back(decoded(node_->src[i], &record_.regions[o.region].data[o.offset]));
    }
    return out;
}

// One that the op writes into is none, wherever it lay.
bool rebuilt_op::is_weight(uint32_t region) const {
    if (record_.result.region == region) return false;
    for (const host::op_record::operand &o : record_.sources) {
        if (o.present && o.region == region && (o.weight || o.shape.tiled)) return true;
    }
    return false;
}

bool rebuilt_op::place_region(ggml_backend_buffer_type_t type, uint32_t region) {
    ggml_tensor *t = storage_[region];
    const host::op_record::region &from = record_.regions[region];
    if (!t) return true;  // nothing lies in it
    buffers_.emplace_back(
        ggml_backend_buft_alloc_buffer(type, ggml_backend_buft_get_alloc_size(type, t) + from.phase + alignment));
    ggml_backend_buffer_t b = buffers_.back().get();
    if (!b) return false;
    if (is_weight(region)) ggml_backend_buffer_set_usage(b, GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    auto *first = static_cast<uint8_t *>(ggml_backend_buffer_get_base(b)) + from.phase;
    if (ggml_backend_tensor_alloc(b, t, first) != GGML_STATUS_SUCCESS) return false;
    ggml_backend_tensor_set(t, from.data.data(), 0, from.data.size());
    return true;
}

bool rebuilt_op::place(ggml_backend_t backend) {
    ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(backend);
    for (uint32_t i = 0; i < storage_.size(); ++i) {
        if (!place_region(type, i)) return false;
    }
    for (ggml_tensor *t = ggml_get_first_tensor(context_.get()); t; t = ggml_get_next_tensor(context_.get(), t)) {
        if (t->view_src && !t->buffer) ggml_backend_view_init(t);
    }
    return true;
}

// The plan that the plug-in makes of it now; the refusal's reason if it makes none.
void rebuilt_op::plan(replayed *out) const {
    host::device &d = host::registry::get().at(0);
    const std::lock_guard lock(d.mutex());
    if (!d.ensure_session()) return;
    out->hw = d.session_plans().hw();
    const host::op_entry *entry = d.ops().find(*node_);
    if (!entry) {
        out->reason = "the NPU library has no such op";
        return;
    }
    plan::node n = host::make_node(*node_, entry->id);
    for (uint32_t i = 0; i < n.n_src; ++i) {
        if (node_->src[i]) n.src[i].tiled = is_tiled(*node_->src[i]);
    }
    const host::erased_plan p = d.session_plans().plan(host::key_of(n));
    out->reason = p.accepted ? "GGML_HEXAGON_OPFILTER or another option keeps it off the NPU" : p.reason;
    if (!p.accepted) return;
    out->plan = host::describe_erased(d.ops(), p.op);
    out->same_plan = p.op.op == record_.planned.op &&
                     std::memcmp(p.op.kernel_params, record_.planned.kernel_params, sizeof p.op.kernel_params) == 0;
}

replayed rebuilt_op::run(ggml_backend_t backend) {
    replayed out;
    take_last_error();
    if (!place(backend)) {
        out.reason = "no memory for its operands: " + take_last_error();
        return out;
    }
    plan(&out);
    if (out.hw.vtcm_bytes == 0) {
        out.reason = take_last_error();
        return out;
    }
    if (!ggml_backend_supports_op(backend, node_)) {
        out.how = replayed::end::refused;
        return out;
    }
    ggml_cgraph *graph = ggml_new_graph_custom(context_.get(), 1, false);
    ggml_graph_add_node(graph, node_);
    if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) {
        out.reason = take_last_error();
        return out;
    }
    out.how = replayed::end::ran;
    const ggml_tensor *storage = storage_[record_.result.region];
    std::vector<uint8_t> bytes(ggml_nbytes(storage));
    ggml_backend_tensor_get(storage, bytes.data(), 0, bytes.size());
    out.result = host::gather(record_.result.shape, &bytes[record_.result.offset]);
    return out;
}

}  // namespace hexane::testing
