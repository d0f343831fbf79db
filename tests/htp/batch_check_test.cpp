// tests/htp/batch_check_test.cpp -- a good batch passes; every field that can lie is caught; noise never reads outside.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "abi/data_type.h"
#include "htp/batch_check.h"
#include "ops/binary/binary.h"
#include "ops/noop/noop.h"
#include "tests/harness/npu/low_memory.h"
#include "tests/harness/number.h"

namespace hexane::htp {
namespace {

using namespace hexane::testing;

constexpr uint32_t n_threads = 4;

constexpr hardware hw{arch::v75, n_threads, 0, min_vtcm_bytes, 0, 0};

const op_info *find(op_id id) {
    static constexpr op_info noop{"NOOP", 1}, add{"ADD", 2};
    return id == op::noop::id ? &noop : id == op::add::id ? &add : nullptr;
}

// Two buffers, three tensors, two ops; ends at a guard page.
struct sample {
    static constexpr uint32_t flags = batch_reports | batch_traces;
    static constexpr batch_layout at = batch_layout::of(flags, 2, 3, 2, 8 * n_threads);

    sample() : memory(at.bytes) {
        std::memset(memory.data(), 0, at.bytes);
        header() = {batch_magic, flags, 77, 2, 3, 2, 8, 0, 0};
        for (uint32_t i = 0; i < 2; ++i) buffer(i) = {1000, 10 + i, 0};
        for (uint32_t i = 0; i < 3; ++i) {
            tensor(i) = {100 * i,
                         80,
                         {5, 2, 2, 1},
                         {4, 20, 40, 80},
                         static_cast<uint32_t>(data_type::f32),
                         static_cast<uint16_t>(i % 2),
                         0};
        }
        for (uint32_t i = 0; i < 2; ++i) {
            op_desc &o = op(i);
            o.op = i ? hexane::op::add::id : hexane::op::noop::id;
            for (uint16_t &s : o.src) s = no_tensor;
            for (uint16_t &d : o.dst) d = no_tensor;
            o.src[0] = 0;
            if (i) o.src[1] = 1;
            o.vtcm_bytes = hw.vtcm_bytes;
            o.dst[0] = 2;
        }
        request = {batch_magic, 0, 77};
    }

    batch_header &header() { return *reinterpret_cast<batch_header *>(memory.data()); }
    buffer_desc &buffer(uint32_t i) { return reinterpret_cast<buffer_desc *>(memory.data() + at.buffers)[i]; }
    tensor_desc &tensor(uint32_t i) { return reinterpret_cast<tensor_desc *>(memory.data() + at.tensors)[i]; }
    op_desc &op(uint32_t i) { return reinterpret_cast<op_desc *>(memory.data() + at.ops)[i]; }
    status check(uint64_t bytes = at.bytes) { return check_batch(memory.data(), bytes, request, hw, find, &view); }

    guarded_memory memory;
    batch_request request{};
    batch_view view;
};

TEST(batch_check, passes_a_good_batch) {
    sample s;
    const status result = s.check();
    ASSERT_FALSE(result.failed()) << result.reason;
    EXPECT_EQ(s.view.buffers.size(), 2u);
    EXPECT_EQ(s.view.tensors.size(), 3u);
    EXPECT_EQ(s.view.ops.size(), 2u);
    EXPECT_EQ(s.view.reports.size(), 2u);
    EXPECT_EQ(s.view.traces.size(), 8u * n_threads);
    EXPECT_EQ(&s.view.ops[1], &s.op(1));
}

struct lie {
    const char *name;
    std::function<void(sample &)> tell;
    status_code code = status_code::bad_message;
};

const lie lies[] = {
    {"magic", [](sample &s) { s.header().magic = 1; }},
    {"request_magic", [](sample &s) { s.request.magic = 1; }},
    {"sequence", [](sample &s) { s.request.sequence = 78; }},
    {"many_buffers", [](sample &s) { s.header().n_buffers = max_batch_buffers + 1; }},
    {"huge_counts", [](sample &s) { s.header().n_tensors = s.header().n_ops = 0xffffffffu; }},
    {"one_more_op", [](sample &s) { s.header().n_ops = 3; }},
    {"one_more_trace", [](sample &s) { ++s.header().traces_per_thread; }},
    {"huge_traces", [](sample &s) { s.header().traces_per_thread = 0xffffffffu; }},
    {"buffer_index", [](sample &s) { s.tensor(1).buffer = 2; }},
    {"type", [](sample &s) { s.tensor(1).type = 3; }},
    {"empty", [](sample &s) { s.tensor(2).ne[3] = 0; }},
    {"offset", [](sample &s) { s.tensor(2).offset = 921; }},
    {"offset_wraps", [](sample &s) { s.tensor(2).offset = ~0ull - 40; }},
    {"bytes", [](sample &s) { s.tensor(0).bytes = 1001; }},
    {"bytes_wrap", [](sample &s) { s.tensor(0).bytes = ~0ull; }},
    {"extent", [](sample &s) { s.tensor(0).bytes = 79; }},
    {"stride", [](sample &s) { s.tensor(0).nb[1] = 21; }},
    {"huge_extent",
     [](sample &s) {
         s.tensor(0).ne[3] = 0xffffffffu;
         s.tensor(0).nb[3] = 0xffffffffu;
     }},
    {"extent_wraps",
     [](sample &s) {
         tensor_desc &t = s.tensor(0);  // 0xfffffffe * 0xffffffff + 6 * 2^31 is 2^64 + 2
         t.ne[2] = t.nb[2] = 0xffffffffu;
         t.ne[3] = 7;
         t.nb[3] = 0x80000000u;
     }},
    {"source_index", [](sample &s) { s.op(0).src[9] = 3; }},
    {"result_index", [](sample &s) { s.op(1).dst[3] = 3; }},
    {"no_source", [](sample &s) { s.op(0).src[0] = no_tensor; }},
    {"no_second_source", [](sample &s) { s.op(1).src[1] = no_tensor; }},
    {"vtcm", [](sample &s) { s.op(0).vtcm_bytes = hw.vtcm_bytes + 1; }},
    {"no_result", [](sample &s) { s.op(1).dst[0] = no_tensor; }},
    {"unknown_op", [](sample &s) { s.op(1).op = hexane::op::mul::id; }, status_code::unknown_op},
};

TEST(batch_check, catches_every_lie) {
    for (const lie &l : lies) {
        sample s;
        l.tell(s);
        const status result = s.check();
        EXPECT_TRUE(result.failed()) << l.name;
        EXPECT_EQ(result.code, l.code) << l.name << ": " << result.reason;
        EXPECT_NE(std::string(result.reason), "") << l.name;
    }
}

TEST(batch_check, catches_every_truncation) {
    for (uint64_t bytes = 0; bytes < sample::at.bytes; ++bytes) {
        sample s;
        ASSERT_TRUE(s.check(bytes).failed()) << bytes << " bytes of " << sample::at.bytes;
    }
}

// A packet's buffer may begin anywhere; the NPU faults on a word that does not lie on its own size.
TEST(batch_check, catches_every_misplacement) {
    for (uint64_t offset = 1; offset < batch_alignment; ++offset) {
        sample s;
        std::memmove(s.memory.data() + offset, s.memory.data(), sample::at.bytes - offset);
        const status result =
            check_batch(s.memory.data() + offset, sample::at.bytes - offset, s.request, hw, find, &s.view);
        EXPECT_EQ(result.code, status_code::bad_message) << offset;
        EXPECT_EQ(result.value, offset);
    }
}

// The guard page behind the batch catches a read outside.
TEST(batch_check, survives_noise) {
    sample s;
    generator g(11);
    const std::vector<uint8_t> good(s.memory.data(), s.memory.data() + s.memory.size());
    for (int round = 0; round < 100000; ++round) {
        std::memcpy(s.memory.data(), good.data(), good.size());
        for (uint32_t n = 1 + g.below(6); n > 0; --n) {
            const uint32_t limit =
                g.below(2) ? static_cast<uint32_t>(sizeof(batch_header)) : static_cast<uint32_t>(good.size());
            s.memory.data()[g.below(limit)] = g.below(3) ? static_cast<uint8_t>(g.next()) : 0xff;
        }
        if (!s.check().failed()) {
            for (const tensor_desc &t : s.view.tensors) ASSERT_LE(t.offset + t.bytes, s.view.buffers[t.buffer].bytes);
        }
    }
}

}  // namespace
}  // namespace hexane::htp
