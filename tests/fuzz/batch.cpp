// tests/fuzz/batch.cpp -- any bytes as a request and a slot of shared memory: the check reads nothing outside of them, and what it
// accepts can be walked and written as the session does.
//
// Input: a control byte (bits 0..3 threads less one, 4 put magic and sequence number right, 5..7 offset of the slot within
// its line), a batch_request, the slot.
#include <sanitizer/asan_interface.h>

#include <cstddef>
#include <cstring>

#include "abi/data_type.h"
#include "base/align.h"
#include "htp/batch_check.h"
#include "htp/operand.h"
#include "ops/all_ops.h"
#include "tests/fuzz/expect.h"

namespace hexane::fuzz {
namespace {

using wide = unsigned __int128;

constexpr uint32_t vtcm_bytes = min_vtcm_bytes;

const htp::op_info *find_op(op_id op) {
    const htp::op_info *found = nullptr;
    all_ops::for_each([&]<class Op>() {
        static constexpr htp::op_info info{Op::name, Op::n_sources};
        if (Op::id == op) found = &info;
    });
    return found;
}

// A copy of the slot that begins `offset` bytes behind a line and behind whose last byte nothing may be touched.
class slot_memory {
  public:
    slot_memory(const uint8_t *bytes, size_t n, size_t offset)
        : room_(base::align_up<size_t>(offset + n + 1, line_bytes)),
          memory_(static_cast<uint8_t *>(std::aligned_alloc(line_bytes, room_))),
          data_(memory_ + offset) {
        if (n) std::memcpy(data_, bytes, n);
        ASAN_POISON_MEMORY_REGION(data_ + n, room_ - offset - n);
    }
    ~slot_memory() {
        ASAN_UNPOISON_MEMORY_REGION(memory_, room_);
        std::free(memory_);
    }
    uint8_t *data() const { return data_; }

  private:
    size_t room_;
    uint8_t *memory_, *data_;
};

// Every element lies within the tensor's bytes, and these within the buffer.
void walk_tensor(const tensor_desc &t, const htp::batch_view &batch) {
    const auto type = static_cast<data_type>(t.type);
    expect(t.buffer < batch.buffers.size(), "a tensor in a buffer that is not there");
    const uint64_t room = batch.buffers[t.buffer].bytes;
    expect(wide{t.offset} + t.bytes <= room, "a tensor leaves its buffer");
    if (t.flags & tensor_tiled) return;
    wide last =
        wide{(t.ne[0] + uint64_t{block_elements(type)} - 1) / block_elements(type) - 1} * t.nb[0] + block_bytes(type);
    for (int i = 1; i < 4; ++i) last += wide{t.ne[i] - 1u} * t.nb[i];
    expect(last <= t.bytes, "an element leaves its tensor");
}

// As the session resolves an op's operands.
uint64_t walk_op(const op_desc &op, const htp::batch_view &batch) {
    uint64_t sum = 0;
    const auto place = [&](uint16_t index) {
        if (index == no_tensor) return;
        expect(index < batch.tensors.size(), "an op with a tensor that is not there");
        const tensor_desc &t = batch.tensors[index];
        htp::operand o{htp::dma_addr_t(t.offset),    t.bytes, {}, {}, static_cast<data_type>(t.type),
                       (t.flags & tensor_tiled) != 0};
        std::memcpy(o.ne, t.ne, sizeof o.ne);
        std::memcpy(o.nb, t.nb, sizeof o.nb);
        sum += o.base.value() + o.bytes + o.ne[0] + o.nb[3];
    };
    for (const uint16_t t : op.src) place(t);
    for (const uint16_t t : op.dst) place(t);
    for (const uint8_t b : op.kernel_params) sum += b;
    return sum;
}

void walk(const htp::batch_view &batch, uint32_t n_threads) {
    uint64_t sum = 0;
    for (const buffer_desc &b : batch.buffers) sum += b.bytes + b.fd;
    for (const tensor_desc &t : batch.tensors) walk_tensor(t, batch);
    for (const op_desc &op : batch.ops) {
        const htp::op_info *info = find_op(op.op);
        expect(info, "an unknown op passed");
        for (uint32_t i = 0; i < info->n_sources; ++i) expect(op.src[i] != no_tensor, "an op without a source passed");
        expect(op.vtcm_bytes <= vtcm_bytes, "an op with too much VTCM passed");
        sum += walk_op(op, batch);
    }
    for (op_report &r : batch.reports) r = {1, 2, sum, 4, 5};
    if (!batch.traces.empty()) {
        const uint32_t each = batch.header->traces_per_thread;
        for (uint64_t t = 0; t < n_threads; ++t)
            for (uint64_t i = 0; i < each; ++i) batch.traces[t * each + i] = {};
    }
    __atomic_store_n(&batch.header->progress, static_cast<uint32_t>(batch.ops.size()), __ATOMIC_RELEASE);
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    batch_request request{};
    constexpr size_t before_slot = 1 + sizeof request;
    if (n < before_slot) return 0;
    const uint8_t control = bytes[0];
    const uint32_t n_threads = (control & 15u) + 1;
    std::memcpy(&request, bytes + 1, sizeof request);
    const size_t slot_bytes = n - before_slot;
    const fuzz::slot_memory slot(bytes + before_slot, slot_bytes, control >> 5);
    if ((control & 16) && slot_bytes >= sizeof(batch_header)) {
        request.magic = batch_magic;
        std::memcpy(slot.data(), &batch_magic, sizeof batch_magic);
        std::memcpy(slot.data() + offsetof(batch_header, sequence), &request.sequence, sizeof request.sequence);
    }
    const hardware hw{arch::v75, n_threads, 0, fuzz::vtcm_bytes, 0, 0};
    htp::batch_view batch;
    const htp::status s = htp::check_batch(slot.data(), slot_bytes, request, hw, fuzz::find_op, &batch);
    if (!s.failed()) fuzz::walk(batch, n_threads);
    return 0;
}
