// tests/host/batch_builder_test.cpp -- every limit of a batch, and what is written.
#include "host/batch_builder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "abi/arch.h"
#include "ops/noop/noop.h"

namespace hexane::host {
namespace {

using fit = batch_builder::fit;

batch_limits wide_limits() {
    options o;
    return batch_limits::of(o, 3200ull << 20);
}

mappable memory(int fd, uint64_t bytes) {
    mappable m;
    m.fd = fd;
    m.bytes = bytes;
    return m;
}

// An op with one source and a destination.
struct small_op {
    op_desc op{};
    tensor_desc operands[2]{};
    operand_place places[2];
    small_op(mappable &a, mappable &b) : places{{&a, 128, true}, {&b, 256, false}} {
        std::fill(std::begin(op.src), std::end(op.src), no_tensor);
        std::fill(std::begin(op.dst), std::end(op.dst), no_tensor);
        op.op = op::noop::id;
        op.src[0] = 0;
        op.dst[0] = 1;
    }
    fit add_to(batch_builder &b) { return b.add(op, operands, places, 2); }
};

TEST(batch_builder, ends_at_the_most_ops) {
    batch_limits l = wide_limits();
    l.ops = 3;
    batch_builder b(l);
    mappable m = memory(3, 4096);
    small_op op(m, m);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(op.add_to(b), fit::added);
    EXPECT_EQ(op.add_to(b), fit::full);
    b.clear();
    EXPECT_EQ(op.add_to(b), fit::added);
    EXPECT_EQ(b.buffers().size(), 1u);
}

TEST(batch_builder, ends_at_the_most_buffers) {
    batch_limits l = wide_limits();
    l.buffers = 3;
    batch_builder b(l);
    mappable m[4] = {memory(1, 4096), memory(2, 4096), memory(3, 4096), memory(4, 4096)};
    EXPECT_EQ(small_op(m[0], m[1]).add_to(b), fit::added);
    EXPECT_EQ(small_op(m[1], m[2]).add_to(b), fit::added);
    EXPECT_EQ(small_op(m[2], m[3]).add_to(b), fit::full);
    EXPECT_EQ(small_op(m[2], m[0]).add_to(b), fit::added);
}

TEST(batch_builder, ends_at_the_most_tensors) {
    batch_limits l = wide_limits();
    l.tensors = 3;
    batch_builder b(l);
    mappable m = memory(1, 4096);
    EXPECT_EQ(small_op(m, m).add_to(b), fit::added);
    EXPECT_EQ(small_op(m, m).add_to(b), fit::full);
    l.tensors = 1;
    batch_builder tiny(l);
    EXPECT_EQ(small_op(m, m).add_to(tiny), fit::too_large);
}

TEST(batch_builder, ends_at_the_window_and_refuses_an_op_beyond_it) {
    batch_limits l = wide_limits();
    l.window_bytes = 10 << 20;
    batch_builder b(l);
    mappable m[3] = {memory(1, 4 << 20), memory(2, 4 << 20), memory(3, 8 << 20)};
    EXPECT_EQ(small_op(m[0], m[1]).add_to(b), fit::added);
    EXPECT_EQ(b.buffer_bytes(), 8u << 20);
    EXPECT_EQ(small_op(m[0], m[2]).add_to(b), fit::full);
    b.clear();
    EXPECT_EQ(small_op(m[0], m[2]).add_to(b), fit::too_large);
    EXPECT_TRUE(b.empty());
    EXPECT_EQ(small_op(m[2], m[2]).add_to(b), fit::added) << "one buffer twice counts once";
}

TEST(batch_builder, writes_what_the_session_reads) {
    batch_limits l = wide_limits();
    l.flags = batch_reports;
    batch_builder b(l);
    mappable m[2] = {memory(7, 4096), memory(9, 8192)};
    ASSERT_EQ(small_op(m[0], m[1]).add_to(b), fit::added);
    ASSERT_EQ(small_op(m[1], m[0]).add_to(b), fit::added);
    std::vector<uint8_t> slot(l.slot_bytes);
    const uint64_t bytes = b.write(slot.data(), 42, 2);
    const auto at = batch_layout::of(batch_reports, 2, 4, 2, 0);
    EXPECT_EQ(bytes, at.bytes);
    batch_header h;
    std::memcpy(&h, slot.data(), sizeof h);
    EXPECT_EQ(h.magic, batch_magic);
    EXPECT_EQ(h.sequence, 42u);
    EXPECT_EQ(h.n_ops, 2u);
    EXPECT_EQ(h.progress, 0u);
    buffer_desc buffers[2];
    std::memcpy(buffers, slot.data() + at.buffers, sizeof buffers);
    EXPECT_EQ(buffers[0].fd, 7u);
    EXPECT_EQ(buffers[1].bytes, 8192u);
    tensor_desc tensors[4];
    std::memcpy(tensors, slot.data() + at.tensors, sizeof tensors);
    EXPECT_EQ(tensors[0].flags, tensor_weight);
    EXPECT_EQ(tensors[1].flags, 0);
    EXPECT_EQ(tensors[2].buffer, 1);
    EXPECT_EQ(tensors[2].offset, 128u);
    op_desc ops[2];
    std::memcpy(ops, slot.data() + at.ops, sizeof ops);
    EXPECT_EQ(ops[1].src[0], 2);
    EXPECT_EQ(ops[1].dst[0], 3);
    EXPECT_EQ(ops[1].src[1], no_tensor);
}

TEST(batch_limits, slots_take_a_small_part_of_the_window_and_hold_a_full_batch) {
    for (uint32_t ops : {1u, 2u, 1280u, 4096u}) {
        for (uint32_t depth : {1u, 32u, 256u}) {
            for (profile_mode mode : {profile_mode::off, profile_mode::times, profile_mode::trace}) {
                options o;
                o.ops_per_batch = ops;
                o.queue_depth = depth;
                o.profile = mode;
                const uint64_t vmem = 3000ull << 20;
                const batch_limits l = batch_limits::of(o, vmem);
                EXPECT_GE(l.depth, 1u);
                EXPECT_LE(l.depth, depth);
                EXPECT_GE(l.tensors, max_op_sources + max_op_results);
                EXPECT_LT(l.depth * l.slot_bytes, 1ull << 32) << "offsets of slots are 32 bits";
                EXPECT_GE(l.window_bytes, vmem * 3 / 4);
                EXPECT_GE(l.slot_bytes, batch_layout::of(l.flags, l.buffers, l.tensors, l.ops,
                                                         uint64_t{l.traces_per_thread} * max_threads)
                                            .bytes);
            }
        }
    }
}

}  // namespace
}  // namespace hexane::host
