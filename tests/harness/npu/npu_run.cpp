// tests/harness/npu/npu_run.cpp -- a session's innards without a session.
#include "tests/harness/npu/npu_run.h"

#include <cstring>
#include <map>
#include <memory>

#include "htp/context.h"
#include "htp/dispatch.h"
#include "tests/harness/npu/engine.h"
#include "virtual/strict/poison.h"

namespace hexane::testing {

namespace {

// Threads with their queues, kept from run to run.
class team {
  public:
    explicit team(uint32_t n_threads)
        : rings_(n_threads * ring_stride()), stacks_(n_threads * htp::work_queue::stack_bytes) {
        prepare(arch::v75, n_threads);
        (void)work.start(n_threads, queues, traces_, stacks_.data());
    }
    ~team() { work.stop(); }

    void prepare(arch a, uint32_t n_threads) {
        for (uint32_t i = 0; i < n_threads; ++i) queues[i] = {};
        for (uint32_t i = 0; i < n_threads; ++i) queues[i].init(a, rings_.data() + i * ring_stride(), &traces_[i]);
        cache.init(&traces_[0]);
    }

    htp::dma_queue queues[max_threads];
    htp::work_queue work;
    htp::cache_tracker cache;

  private:
    static uint32_t ring_stride() { return base::align_up(htp::dma_queue::ring_bytes(), line_bytes); }

    guarded_memory rings_;
    guarded_memory stacks_;
    htp::trace_log traces_[max_threads];
};

team &team_of(uint32_t n_threads) {
    static std::map<uint32_t, std::unique_ptr<team>> teams;
    std::unique_ptr<team> &t = teams[n_threads];
    if (!t) t = std::make_unique<team>(n_threads);
    return *t;
}

// Between guard pages; the latest few sizes are kept, because sweeps come back to them.
guarded_memory &memory_of(std::map<uint32_t, guarded_memory> &pool, uint32_t bytes) {
    return pool.try_emplace(bytes, bytes).first->second;
}

htp::operand operand_of(const npu_tensor &t) {
    htp::operand o{};
    o.base = htp::dma_addr_t(t.address);
    o.bytes = t.bytes;
    std::memcpy(o.ne, t.ne, sizeof o.ne);
    std::memcpy(o.nb, t.nb, sizeof o.nb);
    o.type = t.type;
    o.tiled = t.tiled;
    return o;
}

}  // namespace

npu_outcome run_on_npu(const npu_job &job) {
    static std::map<uint32_t, guarded_memory> vtcms, scratches;
    guarded_memory &vtcm = memory_of(vtcms, job.hw.vtcm_bytes), &scratch = memory_of(scratches, job.hw.scratch_bytes);
    if (job.vtcm_bytes > vtcm.size()) return {status_code::internal, "the plan uses more VTCM than there is", 0, {}, 0};
    uint8_t *vtcm_of_plan = vtcm.data() + vtcm.size() - base::align_up<uint64_t>(job.vtcm_bytes, line_bytes);
    virt::strict::poison(vtcm.data(), vtcm.size());
    virt::strict::poison(scratch.data(), scratch.size());

    team &t = team_of(job.hw.n_threads);
    std::vector<memory_range> memory = job.memory;
    memory.push_back({reinterpret_cast<uint64_t>(vtcm_of_plan), vtcm.range().end});
    reset_engine(job.hw.arch, job.engine, std::move(memory));
    t.prepare(job.hw.arch, job.hw.n_threads);

    htp::operand storage[max_op_sources + 1];
    htp::operands io{};
    for (uint32_t i = 0; i < max_op_sources; ++i) {
        if (!job.src[i].address) continue;
        storage[i] = operand_of(job.src[i]);
        io.src[i] = &storage[i];
    }
    storage[max_op_sources] = operand_of(job.dst);
    io.dst[0] = &storage[max_op_sources];

    auto *vtcm_of_op = reinterpret_cast<htp::vtcm_byte *>(vtcm_of_plan);
    htp::context ctx{job.hw, {vtcm_of_op, job.vtcm_bytes}, {scratch.data(), scratch.size()}, t.work, t.cache};
    t.work.wake();
    const htp::status s = htp::run_op(job.op, ctx, job.params, io);
    t.work.sleep();

    npu_outcome out{s.code, s.reason, s.value, {}, 0};
    for (uint32_t i = 0; i < job.hw.n_threads; ++i) {
        if (!s.failed() && t.queues[i].in_flight())
            note_breach("thread " + std::to_string(i) + " left transfers in flight");
        out.weight_bytes += t.queues[i].take_bytes().weights;
    }
    const auto before = static_cast<uint64_t>(vtcm_of_plan - vtcm.data());
    if (virt::strict::first_unpoisoned(vtcm.data(), before) != before)
        note_breach("VTCM before that of the plan was written");
    out.discipline = first_breach();
    return out;
}

}  // namespace hexane::testing
