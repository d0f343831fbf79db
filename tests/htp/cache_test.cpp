// tests/htp/cache_test.cpp -- dirty ranges: whole lines, merged, written back exactly when somebody else looks.
#include <set>

#include <gtest/gtest.h>

#include "htp/cache.h"
#include "tests/harness/npu/engine.h"
#include "tests/harness/number.h"

namespace hexane::htp {
namespace {

using namespace hexane::testing;

class cache : public ::testing::Test {
  protected:
    void SetUp() override {
        tracker.init(&trace);
        (void)take_flushed_lines();
    }

    trace_log trace;
    cache_tracker tracker;
};

std::set<uint64_t> lines(uint64_t begin, uint64_t bytes) {
    std::set<uint64_t> s;
    for (uint64_t a = begin / 128 * 128; a < begin + bytes; a += 128) s.insert(a);
    return s;
}

std::set<uint64_t> flushed() {
    const std::vector<uint64_t> list = take_flushed_lines();
    return {list.begin(), list.end()};
}

TEST_F(cache, flushes_what_overlaps_and_nothing_else) {
    tracker.wrote(dma_addr_t(0x10010), 300);
    tracker.wrote(dma_addr_t(0x20000), 128);
    tracker.before_dma(dma_addr_t(0x30000), 1 << 16);
    EXPECT_TRUE(flushed().empty());
    tracker.before_dma(dma_addr_t(0x10100), 4);
    EXPECT_EQ(flushed(), lines(0x10010, 300));
    EXPECT_EQ(tracker.dirty_ranges(), 1u);
    tracker.before_dma(dma_addr_t(0x10100), 4);
    EXPECT_TRUE(flushed().empty());
    tracker.flush_all();
    EXPECT_EQ(flushed(), lines(0x20000, 128));
}

// A neighbour within the same line counts: the line is written back whole.
TEST_F(cache, sees_neighbours_in_a_shared_line) {
    tracker.wrote(dma_addr_t(0x10000), 4);
    tracker.before_dma(dma_addr_t(0x10040), 4);
    EXPECT_EQ(flushed(), lines(0x10000, 4));
}

TEST_F(cache, merges_ranges_that_touch) {
    for (uint64_t i = 0; i < 100; ++i) tracker.wrote(dma_addr_t(0x40000 + i * 128), 128);
    EXPECT_EQ(tracker.dirty_ranges(), 1u);
    tracker.wrote(dma_addr_t(0x90000), 128);
    tracker.wrote(dma_addr_t(0x40000 - 64), 0x60000);
    EXPECT_EQ(tracker.dirty_ranges(), 1u);
}

TEST_F(cache, drops_lines_before_a_cached_read) {
    tracker.before_cached_read(dma_addr_t(0x10070), 32);
    EXPECT_EQ(flushed(), lines(0x10070, 32));
}

// Model: the set of dirty lines. No line may be lost, however many ranges there are.
TEST_F(cache, never_loses_a_line) {
    generator g(5);
    std::set<uint64_t> dirty;
    for (int step = 0; step < 20000; ++step) {
        const uint64_t address = 0x100000 + g.below(1u << 17), bytes = 1 + g.below(g.below(4) ? 300 : 20000);
        if (g.below(3)) {
            tracker.wrote(dma_addr_t(address), bytes);
            for (uint64_t l : lines(address, bytes)) dirty.insert(l);
        } else {
            tracker.before_dma(dma_addr_t(address), bytes);
        }
        for (uint64_t l : flushed()) dirty.erase(l);
        if (step % 64 == 0) {
            tracker.before_dma(dma_addr_t(address), bytes);
            for (uint64_t l : flushed()) dirty.erase(l);
            for (uint64_t l : lines(address, bytes))
                ASSERT_EQ(dirty.count(l), 0u) << "line " << l << " stays dirty in step " << step;
        }
        ASSERT_LE(tracker.dirty_ranges(), cache_tracker::max_ranges);
    }
    tracker.flush_all();
    for (uint64_t l : flushed()) dirty.erase(l);
    EXPECT_TRUE(dirty.empty());
}

}  // namespace
}  // namespace hexane::htp
