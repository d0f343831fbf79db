// htp/batch_check.cpp -- validation of a batch.
#include "htp/batch_check.h"

#include "abi/data_type.h"
#include "base/align.h"

namespace hexane::htp {

namespace {

status malformed(const char *reason, uint64_t value) {
    return status::failure(status_code::bad_message, reason, value);
}

template <class T> base::span<T> array_at(uint8_t *data, uint64_t offset, uint64_t count) {
    return {reinterpret_cast<T *>(data + offset), static_cast<size_t>(count)};
}

// Bytes from the first element to the end of the last, in ggml's layout.
uint64_t extent_bytes(const tensor_desc &t) {
    const auto type = static_cast<data_type>(t.type);
    const uint64_t blocks = base::ceil_div<uint64_t>(t.ne[0], block_elements(type));
    uint64_t last = (blocks - 1) * t.nb[0] + block_bytes(type);
    for (int i = 1; i < 4; ++i) {
        if (__builtin_add_overflow(last, uint64_t{t.ne[i] - 1} * t.nb[i], &last)) return ~uint64_t{0};
    }
    return last;
}

status check_tensor(const tensor_desc &t, base::span<const buffer_desc> buffers, uint64_t index) {
    if (t.buffer >= buffers.size()) return malformed("tensor with an unknown buffer", index);
    if (block_bytes(static_cast<data_type>(t.type)) == 0) return malformed("tensor with an unknown type", index);
    for (uint32_t ne : t.ne) {
        if (ne == 0) return malformed("tensor with an empty dimension", index);
    }
    const uint64_t room = buffers[t.buffer].bytes;
    if (t.bytes > room || t.offset > room - t.bytes) return malformed("tensor beyond the end of its buffer", index);
    if (!(t.flags & tensor_tiled) && extent_bytes(t) > t.bytes) return malformed("tensor larger than it says", index);
    return status::ok();
}

status check_op(const op_desc &op, const op_info *info, uint64_t n_tensors, uint64_t vtcm_bytes, uint64_t index) {
    if (!info) return status::failure(status_code::unknown_op, "op that this library does not have", index);
    for (uint32_t i = 0; i < info->n_sources; ++i) {
        if (op.src[i] == no_tensor) return malformed("op without one of its sources", index);
    }
    for (uint16_t t : op.src) {
        if (t != no_tensor && t >= n_tensors) return malformed("op with an unknown source tensor", index);
    }
    for (uint16_t t : op.dst) {
        if (t != no_tensor && t >= n_tensors) return malformed("op with an unknown result tensor", index);
    }
    if (op.dst[0] == no_tensor) return malformed("op without a result", index);
    if (op.vtcm_bytes > vtcm_bytes) return malformed("op with more VTCM than there is", index);
    return status::ok();
}

status check_counts(const batch_header &h, const batch_request &request) {
    if (request.magic != batch_magic || h.magic != batch_magic) return malformed("wrong magic", h.magic);
    if (h.sequence != request.sequence)
        return malformed("header and request disagree about the sequence number", h.sequence);
    if (h.n_buffers > max_batch_buffers) return malformed("too many buffers", h.n_buffers);
    if (h.n_tensors > max_batch_tensors) return malformed("too many tensors", h.n_tensors);
    if (h.n_ops > max_batch_ops) return malformed("too many ops", h.n_ops);
    return status::ok();
}

}  // namespace

status check_batch(uint8_t *data, uint64_t bytes, const batch_request &request, const hardware &hw,
                   const op_info *(*find_op)(op_id), batch_view *out) {
    if (bytes < sizeof(batch_header)) return malformed("batch shorter than its header", bytes);
    const uint64_t misplaced = reinterpret_cast<uintptr_t>(data) % batch_alignment;
    if (misplaced != 0) return malformed("batch between multiples of 8 bytes", misplaced);
    auto *h = reinterpret_cast<batch_header *>(data);
    if (const status s = check_counts(*h, request); s.failed()) return s;
    const uint64_t n_traces = uint64_t{h->traces_per_thread} * hw.n_threads;
    const batch_layout at = batch_layout::of(h->flags, h->n_buffers, h->n_tensors, h->n_ops, n_traces);
    if (at.bytes > bytes) return malformed("batch longer than its buffer", at.bytes);

    out->header = h;
    out->buffers = array_at<const buffer_desc>(data, at.buffers, h->n_buffers);
    out->tensors = array_at<const tensor_desc>(data, at.tensors, h->n_tensors);
    out->ops = array_at<const op_desc>(data, at.ops, h->n_ops);
    if (h->flags & batch_reports) out->reports = array_at<op_report>(data, at.reports, h->n_ops);
    if (h->flags & batch_traces) out->traces = array_at<trace_record>(data, at.traces, n_traces);

    for (size_t i = 0; i < out->tensors.size(); ++i) {
        if (const status s = check_tensor(out->tensors[i], out->buffers, i); s.failed()) return s;
    }
    for (size_t i = 0; i < out->ops.size(); ++i) {
        const op_desc &op = out->ops[i];
        if (const status s = check_op(op, find_op(op.op), h->n_tensors, hw.vtcm_bytes, i); s.failed()) return s;
    }
    return status::ok();
}

}  // namespace hexane::htp
