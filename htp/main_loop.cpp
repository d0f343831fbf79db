// htp/main_loop.cpp -- the session's main thread: read a batch, run its ops, answer.
#include "base/align.h"
#include "htp/clock.h"
#include "htp/dispatch.h"
#include "htp/session.h"
#include "platform/HAP_farf.h"
#include "platform/observe.h"

namespace hexane::htp {

namespace {

// How long a read waits before the thread looks at stopping_ again.
constexpr uint32_t idle_read_us = 50'000;
// How long VTCM and threads stay ready for the next batch of a burst.
constexpr uint32_t linger_read_us = 2'000;

void copy_reason(char *to, const char *from) {
    uint32_t i = 0;
    for (; from[i] && i + 1 < reason_bytes; ++i) to[i] = from[i];
    to[i] = 0;
}

}  // namespace

void session::main_entry(void *self) { static_cast<session *>(self)->serve_queue(); }

void session::serve_queue() {
    status s = work_.start(hw_.n_threads, queues_, traces_, worker_stacks_);
    if (!s.failed()) {
        s = pulse_.start(pulse_stack_);
        if (s.failed()) work_.stop();
    }
    if (s.failed()) {
        FARF(ERROR, "session %u: %s (%llu)", session_id_, s.reason, static_cast<unsigned long long>(s.value));
        return;
    }
    while (!__atomic_load_n(&stopping_, __ATOMIC_ACQUIRE)) {
        batch_request request{};
        dspqueue_buffer slot{};
        const int error = read_request(&request, &slot, idle_read_us);
        if (error == AEE_EEXPIRED) continue;
        if (error != AEE_SUCCESS) break;  // the queue is gone, and with it whom to answer
        serve_burst(request, slot);
    }
    pulse_.stop();
    work_.stop();
}

int session::read_request(batch_request *request, dspqueue_buffer *slot, uint32_t timeout_us) {
    uint32_t flags = 0, n_buffers = 0, bytes = 0;
    *request = {};
    *slot = {};
    const int error = dspqueue_read(queue_, &flags, 1, &n_buffers, slot, sizeof *request, &bytes,
                                    reinterpret_cast<uint8_t *>(request), timeout_us);
    // A packet of the wrong shape is still answered: check_batch() finds the missing magic or the missing bytes.
    if (error == AEE_SUCCESS && (n_buffers != 1 || bytes != sizeof *request)) *slot = {};
    return error;
}

void session::serve_burst(const batch_request &first, const dspqueue_buffer &first_slot) {
    batch_request request = first;
    dspqueue_buffer slot = first_slot;
    work_.wake();
    do {
        answer(request, slot);
    } while (!vtcm_.wanted_by_others() && !__atomic_load_n(&stopping_, __ATOMIC_ACQUIRE) &&
             read_request(&request, &slot, linger_read_us) == AEE_SUCCESS);
    work_.sleep();
    vtcm_.give_back();
}

void session::answer(const batch_request &request, const dspqueue_buffer &slot) {
    batch_response response{};
    response.magic = batch_magic;
    response.sequence = request.sequence;
    const uint64_t began_us = microseconds(), began_cycles = cycles();
    const status s = run_batch(request, slot, &response);
    response.code = s.code;
    response.value = s.value;
    copy_reason(response.reason, s.reason);
    response.usecs = microseconds() - began_us;
    response.cycles = cycles() - began_cycles;

    dspqueue_buffer back = slot;
    back.flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER | DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT;
    const int error = dspqueue_write(queue_, 0, slot.size ? 1 : 0, &back, sizeof response,
                                     reinterpret_cast<const uint8_t *>(&response), 1'000'000);
    if (error) FARF(ERROR, "session %u: no room for a response: 0x%08x", session_id_, static_cast<unsigned>(error));
}

status session::run_batch(const batch_request &request, const dspqueue_buffer &slot, batch_response *response) {
    batch_view batch;
    auto *data = static_cast<uint8_t *>(slot.ptr);
    if (const status s = check_batch(data, slot.size, request, hw_, find_op, &batch); s.failed()) return s;
    pulse_.begin(&batch.header->heartbeat);
    status s = vtcm_.take();
    if (!s.failed()) s = run_checked(batch, response);
    pulse_.end();
    return s;
}

status session::run_checked(const batch_view &batch, batch_response *response) {
    begin_traces(batch);
    status s = window_.prepare(batch.buffers, buffer_addresses_);
    if (!s.failed()) s = run_ops(batch, response);
    cache_.flush_all();
    end_traces(response);
    return s;
}

status session::run_ops(const batch_view &batch, batch_response *response) {
    for (uint32_t i = 0; i < batch.ops.size(); ++i) {
        const uint64_t began_us = microseconds(), began_cycles = cycles();
        const status s = run_one(batch, i);
        if (s.failed()) {
            response->op_index = i;
            response->thread = work_.failed_worker();
            return s;
        }
        report(batch, i, began_us, began_cycles);
        __atomic_store_n(&batch.header->progress, i + 1, __ATOMIC_RELEASE);
        cache_.publish(&batch.header->progress, sizeof batch.header->progress);
    }
    return status::ok();
}

status session::run_one(const batch_view &batch, uint32_t index) {
    const op_desc &op = batch.ops[index];
    operand storage[max_op_sources + max_op_results];
    operands io{};
    resolve(batch, op, &io, storage);
    for (uint32_t t = 0; t < hw_.n_threads; ++t) traces_[t].set_op(static_cast<uint16_t>(index));
    if (cache_.dirty_ranges()) {
        for (const operand *o : io.src)
            if (o) cache_.before_dma(o->base, o->bytes);
        for (const operand *o : io.dst)
            if (o) cache_.before_dma(o->base, o->bytes);
    }
    void *vtcm = platform::op_begins(find_op(op.op)->name, index, vtcm_.bytes().data(), op.vtcm_bytes);
    context ctx{hw_, {static_cast<vtcm_byte *>(vtcm), op.vtcm_bytes}, {scratch_, hw_.scratch_bytes}, work_, cache_};
    status s = run_op(op.op, ctx, op.kernel_params, io);
    for (uint32_t t = 0; t < hw_.n_threads; ++t) {
        if (!s.failed() && queues_[t].in_flight())
            s = status::failure(status_code::internal, "a kernel left transfers in flight", t);
        if (s.failed()) queues_[t].flush();
    }
    platform::op_ends();
    return s;
}

void session::resolve(const batch_view &batch, const op_desc &op, operands *io, operand *storage) const {
    auto place = [&](uint16_t index) -> const operand * {
        if (index == no_tensor) return nullptr;
        const tensor_desc &t = batch.tensors[index];
        operand &o = *storage++;
        o.base = dma_addr_t(buffer_addresses_[t.buffer] + t.offset);
        o.bytes = t.bytes;
        __builtin_memcpy(o.ne, t.ne, sizeof o.ne);
        __builtin_memcpy(o.nb, t.nb, sizeof o.nb);
        o.type = static_cast<data_type>(t.type);
        o.tiled = t.flags & tensor_tiled;
        return &o;
    };
    for (uint32_t i = 0; i < max_op_sources; ++i) io->src[i] = place(op.src[i]);
    for (uint32_t i = 0; i < max_op_results; ++i) io->dst[i] = place(op.dst[i]);
}

void session::begin_traces(const batch_view &batch) {
    if (batch.traces.empty()) return;
    const uint32_t each = batch.header->traces_per_thread;
    for (uint32_t t = 0; t < hw_.n_threads; ++t) traces_[t].begin_batch(&batch.traces[uint64_t{t} * each], each);
}

void session::end_traces(batch_response *response) {
    for (uint32_t t = 0; t < hw_.n_threads; ++t) {
        response->trace_counts[t] = traces_[t].count();
        response->trace_overflow += traces_[t].overflow();
        traces_[t].end_batch();
    }
}

void session::report(const batch_view &batch, uint32_t index, uint64_t began_us, uint64_t began_cycles) {
    op_report r{};
    for (uint32_t t = 0; t < hw_.n_threads; ++t) {
        const dma_bytes moved = queues_[t].take_bytes();
        r.dma_read_bytes += moved.read + moved.weights;
        r.dma_weight_bytes += moved.weights;
        r.dma_write_bytes += moved.write;
    }
    if (batch.reports.empty()) return;
    r.usecs = static_cast<uint32_t>(microseconds() - began_us);
    r.cycles = static_cast<uint32_t>(cycles() - began_cycles);
    batch.reports[index] = r;
}

}  // namespace hexane::htp
