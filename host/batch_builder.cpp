// host/batch_builder.cpp
#include "host/batch_builder.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "abi/arch.h"
#include "base/align.h"

namespace hexane::host {

namespace {

// Pinned memory for slots: enough for dozens of full batches, a small part of the window.
constexpr uint64_t max_slot_memory = 64ull << 20;
constexpr uint64_t max_traced_slot_memory = 256ull << 20;
constexpr uint32_t default_trace_records = 8192;

// Most ops have two sources and a destination; batches of wider ones end a little earlier.
uint32_t tensors_for(uint32_t ops) { return std::min(max_batch_tensors, 3 * ops + max_op_sources + max_op_results); }

std::atomic<uint64_t> next_stamp{1};

template <class T> void copy_array(uint8_t *to, const std::vector<T> &from) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}

}  // namespace

batch_limits batch_limits::of(const options &o, uint64_t vmem_bytes) {
    batch_limits l{};
    l.ops = o.ops_per_batch;
    l.buffers = max_batch_buffers;
    l.tensors = tensors_for(o.ops_per_batch);
    l.depth = o.queue_depth;
    const bool traced = o.profile == profile_mode::trace;
    if (o.wants_reports()) l.flags |= batch_reports;
    if (traced) {
        l.flags |= batch_traces;
        l.traces_per_thread = o.trace_records ? o.trace_records : default_trace_records;
    }
    const uint64_t traces = uint64_t{l.traces_per_thread} * max_threads;
    l.slot_bytes = base::align_up<uint64_t>(batch_layout::of(l.flags, l.buffers, l.tensors, l.ops, traces).bytes, 4096);
    const uint64_t most = std::min(traced ? max_traced_slot_memory : max_slot_memory, vmem_bytes / 4);
    l.depth = static_cast<uint32_t>(std::clamp<uint64_t>(most / l.slot_bytes, 1, l.depth));
    const uint64_t slots = l.depth * l.slot_bytes;
    l.window_bytes = vmem_bytes > slots ? vmem_bytes - slots : 0;
    return l;
}

void batch_builder::clear() {
    stamp_ = next_stamp.fetch_add(1, std::memory_order_relaxed);
    buffer_bytes_ = 0;
    buffers_.clear();
    tensors_.clear();
    ops_.clear();
}

uint64_t batch_builder::bytes_of_new(const operand_place *places, uint32_t count, uint32_t *n_new) const {
    uint64_t bytes = 0;
    *n_new = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const mappable *m = places[i].where;
        const bool known =
            m->batch_stamp == stamp_ || std::any_of(places, places + i, [&](const auto &p) { return p.where == m; });
        if (known) continue;
        bytes += m->bytes;
        ++*n_new;
    }
    return bytes;
}

uint16_t batch_builder::index_of(mappable *buffer) {
    if (buffer->batch_stamp != stamp_) {
        buffer->batch_stamp = stamp_;
        buffer->batch_index = static_cast<uint16_t>(buffers_.size());
        buffers_.push_back(buffer);
        buffer_bytes_ += buffer->bytes;
    }
    return buffer->batch_index;
}

batch_builder::fit batch_builder::add(const op_desc &op, const tensor_desc *operands, const operand_place *places,
                                      uint32_t count) {
    uint32_t n_new = 0;
    const uint64_t more = bytes_of_new(places, count, &n_new);
    const bool fits = ops_.size() < limits_.ops && tensors_.size() + count <= limits_.tensors &&
                      buffers_.size() + n_new <= limits_.buffers && buffer_bytes_ + more <= limits_.window_bytes;
    if (!fits) return empty() ? fit::too_large : fit::full;

    const auto first = static_cast<uint16_t>(tensors_.size());
    for (uint32_t i = 0; i < count; ++i) {
        tensor_desc &t = tensors_.emplace_back(operands[i]);
        t.offset = places[i].offset;
        t.buffer = index_of(places[i].where);
        if (places[i].weight) t.flags |= tensor_weight;
    }
    op_desc &o = ops_.emplace_back(op);
    for (uint16_t &s : o.src) s = s == no_tensor ? no_tensor : static_cast<uint16_t>(s + first);
    for (uint16_t &d : o.dst) d = d == no_tensor ? no_tensor : static_cast<uint16_t>(d + first);
    return fit::added;
}

uint64_t batch_builder::write(uint8_t *slot, uint64_t sequence, uint32_t n_threads) const {
    const uint64_t traces = uint64_t{limits_.traces_per_thread} * n_threads;
    const batch_layout at = batch_layout::of(limits_.flags, buffers_.size(), tensors_.size(), ops_.size(), traces);
    batch_header h{};
    h.magic = batch_magic;
    h.flags = limits_.flags;
    h.sequence = sequence;
    h.n_buffers = static_cast<uint32_t>(buffers_.size());
    h.n_tensors = static_cast<uint32_t>(tensors_.size());
    h.n_ops = n_ops();
    h.traces_per_thread = limits_.traces_per_thread;
    std::memcpy(slot, &h, sizeof h);
    for (size_t i = 0; i < buffers_.size(); ++i) {
        const buffer_desc b{buffers_[i]->bytes, static_cast<uint32_t>(buffers_[i]->fd), 0};
        std::memcpy(slot + at.buffers + i * sizeof b, &b, sizeof b);
    }
    copy_array(slot + at.tensors, tensors_);
    copy_array(slot + at.ops, ops_);
    return at.bytes;
}

}  // namespace hexane::host
