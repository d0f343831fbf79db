// host/graph_run.cpp -- batches out, responses in, and what happens when something goes wrong.
#include "host/graph_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "ggml.h"
#include "host/aee_text.h"
#include "host/buffer.h"
#include "host/device.h"
#include "host/log.h"
#include "host/node.h"
#include "host/node_text.h"
#include "host/profile.h"
#include "host/recorder.h"
#include "host/tensor_place.h"

namespace hexane::host {

namespace {

// The NPU starts on the first ops while the host still plans the rest; then each batch costs a round of messages, so
// they grow.
constexpr size_t first_batch_ops = 16;
constexpr size_t batch_growth = 4;

// How many sessions of a graph may die before they begin anything, until it is no accident.
constexpr uint32_t most_resumptions = 3;

bool is_death(int code) { return code == AEE_ECONNRESET || code == AEE_ENOSUCH; }

// A NaN of each float type, as every element of a result that was not computed.
void fill_nan(uint8_t *data, uint64_t bytes, ggml_type type) {
    if (type == GGML_TYPE_F32) {
        std::fill_n(reinterpret_cast<float *>(data), bytes / 4, std::nanf(""));
    } else {
        std::fill_n(reinterpret_cast<uint16_t *>(data), bytes / 2,
                    static_cast<uint16_t>(type == GGML_TYPE_F16 ? 0x7e00 : 0x7fc0));
    }
}

}  // namespace

// What is recorded is not fused: a record is a node of ggml, which any ggml can run again.
graph_run::graph_run(device &d)
    : device_(d), scan_(d, d.recording() ? fusion::rule_mask{0} : d.opts().fusions), builder_(d.limits()) {}

bool graph_run::compute(ggml_cgraph *graph) noexcept {
    const std::lock_guard lock(device_.mutex());
    bool fine = false;
    try {
        fine = run(graph);
    } catch (const std::exception &e) {
        log_line(log_level::error, "%s graph failed: %s", device_.name().c_str(), e.what());
    } catch (...) {
        log_line(log_level::error, "%s graph failed", device_.name().c_str());
    }
    if (fine) return true;
    try {
        abandon(graph);
    } catch (...) {
        device_.drop_session();
    }
    return false;
}

// What is still in flight must not write into the poisoned results. How it ends does not matter any more: the first
// failure is the one to report.
void graph_run::abandon(ggml_cgraph *graph) {
    while (session_ && !session_->queue().idle()) {
        const wait_result r = session_->wait();
        if (r.end == wait_end::answered) continue;
        session_ = nullptr;
        device_.drop_session();
    }
    session_ = nullptr;
    builder_.clear();
    poison_results(graph);
}

bool graph_run::run(ggml_cgraph *graph) {
    session_ = device_.ensure_session();
    if (!session_) return false;
    if (const std::string problem = scan_.run(graph); !problem.empty()) return fail(problem);
    if (scan_.size() == 0) return true;
    known_ = device_.graphs().find(scan_.key());
    if (!known_) fresh_ = {};
    planned_for_ = session_->hw();
    resumed_ = 0;
    recorder *to = device_.recording();
    for (size_t from = 0; !(to ? send_recorded(*to, from) : send_all(from));) {
        if (!resume_from_ || !resume()) return false;
        from = *std::exchange(resume_from_, std::nullopt);
    }
    if (!known_) {
        fresh_.key = scan_.key();
        device_.graphs().insert(std::move(fresh_));
    }
    device_.sums().add_graph();
    session_ = nullptr;
    return true;
}

bool graph_run::send_all(size_t from) {
    size_t limit = first_batch_ops;
    builder_.clear();
    first_in_batch_ = from;
    for (size_t i = from; i < scan_.size(); ++i) {
        if (!add(i)) return false;
        // A remainder that is not worth a batch of its own stays in this one.
        const size_t left = scan_.size() - i - 1;
        if (builder_.n_ops() < limit || left < limit / 2) continue;
        if (!flush()) return false;
        limit *= batch_growth;
    }
    return flush() && drain();
}

// One op at a time, so that its operands are what it reads and its result is what it alone wrote.
bool graph_run::send_recorded(recorder &to, size_t from) {
    builder_.clear();
    for (size_t i = from; i < scan_.size(); ++i) {
        if (!add(i)) return false;
        const planned_step &plan = (known_ ? *known_ : fresh_).steps[i];
        const step s = scan_.step(i);
        recorder::pending op = to.before({device_, session_->hw(), s, scan_.step_key(i), plan});
        const bool fine = flush() && drain();
        if (resume_from_) return false;  // the op is still to come
        to.after(op, s.result(), fine ? std::string() : problem_);
        if (!fine) return false;
    }
    return true;
}

bool graph_run::add(size_t i) {
    const planned_step *p = planned(i);
    if (!p) return false;
    const auto put = [&] { return builder_.add(p->desc, operands_of(*p), scan_.places(i), p->n_operands); };
    batch_builder::fit fit = put();
    if (fit == batch_builder::fit::full) {
        if (!flush()) return false;
        fit = put();
    }
    if (fit == batch_builder::fit::added) {
        if (builder_.n_ops() == 1) first_in_batch_ = i;
        return true;
    }
    std::string sizes;
    for (uint32_t k = 0; k < scan_.n_places(i); ++k) {
        const mappable *m = scan_.places(i)[k].where;
        const auto seen = [&](const operand_place &o) { return o.where == m; };
        if (std::any_of(scan_.places(i), scan_.places(i) + k, seen)) continue;
        sizes += (sizes.empty() ? "" : " + ") + std::to_string(m->bytes >> 20);
    }
    return fail("the buffers of one op (" + sizes + " MiB) exceed the address window of " +
                std::to_string(device_.window_bytes() >> 20) + " MiB (GGML_HEXAGON_VMEM): " + step_text(scan_.step(i)));
}

bool graph_run::flush() {
    if (builder_.empty()) return true;
    batch_queue &q = session_->queue();
    while (q.full()) {
        if (!receive()) return false;
    }
    for (mappable *m : builder_.buffers()) {
        if (const int error = session_->map(*m)) {
            if (is_death(error)) return lose_session(error, first_in_batch_);
            const std::string size = std::to_string(m->bytes >> 20);
            return fail_session("could not map a buffer of " + size + " MiB: " + aee_text(error), first_in_batch_);
        }
    }
    const uint32_t n_ops = builder_.n_ops();
    const uint64_t bytes = builder_.write(q.next_slot(), q.next_sequence(), session_->hw().n_threads);
    if (verbose(2)) {
        log_line(log_level::debug, "%s batch #%llu: %zu buffers of %llu MiB, %u ops, %llu bytes",
                 device_.name().c_str(), static_cast<unsigned long long>(q.next_sequence()), builder_.buffers().size(),
                 static_cast<unsigned long long>(builder_.buffer_bytes() >> 20), n_ops,
                 static_cast<unsigned long long>(bytes));
    }
    if (const int error = q.send(bytes, static_cast<uint32_t>(first_in_batch_), n_ops)) {
        if (is_death(error)) return lose_session(error, first_in_batch_);
        return fail_session("does not take a batch: " + aee_text(error), first_in_batch_);
    }
    builder_.clear();
    return true;
}

// One response. A batch that failed is the end of the graph, but those behind it are still to be received.
bool graph_run::receive() {
    const wait_result r = session_->wait();
    switch (r.end) {
        case wait_end::answered: break;
        case wait_end::died: return lose_session(r.code, step_at(r));
        case wait_end::unheard: return fail_session("cannot be heard: " + aee_text(r.code), step_at(r));
        case wait_end::stuck:
            return fail_session(
                "made no progress for " + std::to_string(session_->deadline().count()) + " s (GGML_HEXAGON_DEADLINE)",
                step_at(r));
        case wait_end::silent:
            return fail_session("made no progress for " + std::to_string(session_->deadline().count()) +
                                    " s (GGML_HEXAGON_DEADLINE), and has shown no sign of life for longer",
                                step_at(r));
        case wait_end::garbled: return fail_session("sent an answer that fits no batch", step_at(r));
    }
    if (r.response.code != status_code::ok) return fail_op(r);
    account(r);
    return true;
}

bool graph_run::drain() {
    while (!session_->queue().idle()) {
        if (!receive()) return false;
    }
    return true;
}

void graph_run::account(const wait_result &r) {
    device_.sums().add_batch(r.response.usecs);
    if (device_.limits().flags == 0) return;
    const uint8_t *slot = session_->queue().slot(r.batch);
    batch_header h;
    std::memcpy(&h, slot, sizeof h);
    const batch_layout at = batch_layout::of(h.flags, h.n_buffers, h.n_tensors, h.n_ops, 0);
    const auto *reports = reinterpret_cast<const op_report *>(slot + at.reports);
    const bool lines = device_.opts().profile != profile_mode::off;
    if (lines) profile_batch(device_.name(), r);
    for (uint32_t i = 0; i < r.batch.n_ops; ++i) {
        const size_t n = r.batch.first + i;
        const planned_step &p = (known_ ? *known_ : fresh_).steps[n];
        device_.sums().add_op(p.desc.op, reports[i], p.weight_bytes);
        if (lines) profile_op(device_.name(), scan_.step(n), device_.ops(), p.desc, reports[i]);
    }
}

bool graph_run::fail(const std::string &problem) {
    problem_ = problem;
    log_line(log_level::error, "%s graph failed: %s", device_.name().c_str(), problem.c_str());
    return false;
}

bool graph_run::fail_session(const std::string &problem, size_t at) {
    const std::string where = at < scan_.size() ? "; it was at " + short_step_text(scan_.step(at)) : std::string();
    problem_ = "the session " + problem;
    log_line(log_level::error, "%s session %s; the next graph opens a new one%s", device_.name().c_str(),
             problem.c_str(), where.c_str());
    session_ = nullptr;
    device_.drop_session();
    return false;
}

bool graph_run::lose_session(int code, size_t at) {
    batch_queue &q = session_->queue();
    if (resumed_ == most_resumptions || q.begun()) return fail_session("died: " + aee_text(code), at);
    resume_from_ = q.idle() ? first_in_batch_ : q.oldest().first;
    log_line(log_level::warn, "%s session died before it began %s; a new one is opened for it", device_.name().c_str(),
             short_step_text(scan_.step(*resume_from_)).c_str());
    session_ = nullptr;
    device_.drop_session();
    return false;
}

// Plans are good for the hardware that they were made for.
bool graph_run::resume() {
    ++resumed_;
    session_ = device_.ensure_session();
    if (!session_) return false;
    return session_->hw() == planned_for_ || fail("the new session has other hardware than the one that died");
}

size_t graph_run::step_at(const wait_result &r) const {
    const size_t done = std::min(session_->queue().signs_of(r.batch).progress, r.batch.n_ops - 1);
    return r.batch.first + done;
}

bool graph_run::fail_op(const wait_result &r) {
    // The index is the session's word: one that is none stands for the whole batch.
    const bool known = r.response.op_index < r.batch.n_ops;
    const step s = scan_.step(r.batch.first + (known ? r.response.op_index : 0));
    const std::string what = (known ? "" : "batch from ") + step_text(s);
    problem_ =
        std::string(text(r.response.code)) + ", " + r.response.reason + " (" + std::to_string(r.response.value) + ")";
    log_line(log_level::error, "%s thread %u: %s, %s (%llu): %s", device_.name().c_str(), r.response.thread,
             text(r.response.code), r.response.reason, static_cast<unsigned long long>(r.response.value), what.c_str());
    return false;
}

void graph_run::poison_results(ggml_cgraph *graph) {
    const int n = ggml_graph_n_nodes(graph);
    for (int i = 0; i < n; ++i) {
        const ggml_tensor &t = *ggml_graph_node(graph, i);
        const bool is_float = t.type == GGML_TYPE_F32 || t.type == GGML_TYPE_F16 || t.type == GGML_TYPE_BF16;
        if (is_skipped(t) || t.view_src || !is_float) continue;
        buffer *b = buffer_of(t);
        if (!b || &b->owner() != &device_) continue;
        const uint64_t offset = b->offset_of(t), bytes = ggml_nbytes(&t);
        if (bytes <= b->bytes && offset <= b->bytes - bytes) fill_nan(b->base + offset, bytes, t.type);
    }
}

}  // namespace hexane::host
