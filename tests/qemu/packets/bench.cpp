// tests/qemu/packets/bench.cpp -- memory, queue and context for one op.
#include "tests/qemu/packets/bench.h"

#include "base/align.h"
#include "htp/context.h"
#include "kernels/kernel.h"
#include "ops/all_ops.h"
#include "virtual/session/log.h"

namespace hexane::packets {

namespace {

constexpr uint32_t ring_bytes = base::align_up(htp::dma_queue::ring_bytes(), line_bytes);

// Operands lie behind each other; all contents are zeros, or what an op before left.
alignas(line_bytes) uint8_t vtcm[v73.vtcm_bytes], scratch[v73.scratch_bytes], ring[ring_bytes];
alignas(line_bytes) uint8_t memory[64u << 20];

class operand_memory {
  public:
    htp::operand place(const plan::tensor_shape &t) {
        htp::operand o{};
        o.base = htp::dma_addr_t::of(memory + used_);
        o.bytes = t.extent_bytes();
        for (uint32_t i = 0; i < 4; ++i) {
            o.ne[i] = static_cast<uint32_t>(t.ne[i]);
            o.nb[i] = static_cast<uint32_t>(t.nb[i]);
        }
        o.type = t.dtype();
        o.tiled = t.tiled;
        used_ += base::align_up(static_cast<uint32_t>(o.bytes), line_bytes);
        if (used_ > sizeof memory) virt::die("operands of %zu bytes", used_);
        return o;
    }

  private:
    size_t used_ = 0;
};

}  // namespace

plan::tensor_shape matrix(data_type type, int64_t ne0, int64_t ne1) {
    plan::tensor_shape t{{ne0, ne1, 1, 1}, {}, static_cast<uint32_t>(type), block_elements(type) > 1};
    t.nb[0] = block_bytes(type);
    t.nb[1] = t.row_bytes();
    t.nb[2] = t.nb[3] = t.nb[1] * static_cast<uint64_t>(ne1);
    return t;
}

template <class Op> virt::executed run_op(plan::node n) {
    n.op = Op::id;
    const auto planned = plan::plan<owner_of<Op>>(n, v73);
    if (!planned.accepted()) virt::die("%s: %s", Op::name, planned.reason().c_str());

    operand_memory placed;
    htp::operand storage[max_op_sources + 1];
    htp::operands io{};
    for (uint32_t i = 0; i < n.n_src; ++i) {
        storage[i] = placed.place(n.src[i]);
        io.src[i] = &storage[i];
    }
    storage[n.n_src] = placed.place(n.dst);
    io.dst[0] = &storage[n.n_src];

    htp::trace_log trace;
    htp::dma_queue queue;
    queue.init(v73.arch, ring, &trace);
    htp::cache_tracker cache;
    cache.init(&trace);
    htp::work_queue work;
    if (work.start(1, &queue, &trace, nullptr).failed()) virt::die("no work queue");
    auto *vtcm_bytes = reinterpret_cast<htp::vtcm_byte *>(vtcm);
    htp::context context{v73, {vtcm_bytes, sizeof vtcm}, {scratch, sizeof scratch}, work, cache};

    const virt::executed before = virt::executed_so_far(), dma_before = executed_by_dma();
    const htp::status s = kernels::run_owned<owner_of<Op>>(Op::id, context, planned.params(), io);
    const virt::executed all = virt::executed_so_far() - before;
    if (s.failed() || queue.in_flight()) virt::die("%s failed: %s", Op::name, s.reason ? s.reason : "transfers left");
    return all - (executed_by_dma() - dma_before);
}

template virt::executed run_op<op::mul_mat>(plan::node);
template virt::executed run_op<op::rms_norm>(plan::node);
template virt::executed run_op<op::swiglu>(plan::node);
template virt::executed run_op<op::add>(plan::node);
template virt::executed run_op<op::cpy>(plan::node);

}  // namespace hexane::packets
