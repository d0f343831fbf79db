// tests/htp/work_queue_test.cpp -- every worker runs once per job, failures come back, and jobs follow each other closely.
#include <atomic>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "htp/work_queue.h"
#include "tests/harness/npu/engine.h"

namespace hexane::htp {
namespace {

using namespace hexane::testing;

class work : public ::testing::TestWithParam<uint32_t> {
  protected:
    void SetUp() override {
        reset_engine(arch::v75, engine_mode::late, {});
        for (uint32_t i = 0; i < GetParam(); ++i) queues[i].init(arch::v75, rings.data() + i * ring_stride, &traces[i]);
        ASSERT_FALSE(queue.start(GetParam(), queues, traces, stacks.data()).failed());
    }
    void TearDown() override { queue.stop(); }

    static constexpr uint32_t ring_stride = base::align_up(dma_queue::ring_bytes(), line_bytes);
    guarded_memory rings{GetParam() * ring_stride};
    guarded_memory stacks{GetParam() * work_queue::stack_bytes};
    dma_queue queues[max_threads];
    trace_log traces[max_threads];
    work_queue queue;
};

TEST_P(work, runs_every_worker_once_with_its_own_queue) {
    for (uint32_t n = 1; n <= GetParam(); ++n) {
        std::vector<std::atomic<uint32_t>> ran(max_threads);
        std::atomic<bool> own_queue{true};
        ASSERT_FALSE(queue
                         .run(n,
                              [&](worker &w) {
                                  ++ran[w.index];
                                  if (w.count != n || &w.dma != &queues[w.index] || &w.trace != &traces[w.index])
                                      own_queue = false;
                                  return status::ok();
                              })
                         .failed());
        EXPECT_TRUE(own_queue);
        for (uint32_t i = 0; i < max_threads; ++i) EXPECT_EQ(ran[i], i < n ? 1u : 0u);
    }
}

TEST_P(work, returns_the_failure_of_the_lowest_worker) {
    for (uint32_t first = 0; first < GetParam(); ++first) {
        const status s = queue.run(GetParam(), [&](worker &w) {
            return w.index < first ? status::ok() : status::failure(status_code::bad_index, "made up", w.index);
        });
        ASSERT_TRUE(s.failed());
        EXPECT_EQ(s.value, first);
        EXPECT_EQ(queue.failed_worker(), first);
        EXPECT_FALSE(queue.run(GetParam(), [](worker &) { return status::ok(); }).failed());
    }
}

// What a worker of one job wrote, every worker of the next job sees; with sleeping and with spinning threads, and with changing counts.
TEST_P(work, orders_jobs) {
    std::vector<uint64_t> cells(max_threads * 16);
    uint64_t expected = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        if (round % 1000 == 0) round % 2000 ? queue.wake() : queue.sleep();
        const uint32_t n = 1 + round % GetParam();
        ASSERT_FALSE(queue
                         .run(n,
                              [&](worker &w) {
                                  cells[w.index * 16] += 1;
                                  return status::ok();
                              })
                         .failed());
        expected += n;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < max_threads; ++i) sum += cells[i * 16];
        ASSERT_EQ(sum, expected) << "after job " << round;
    }
    queue.sleep();
}

TEST_P(work, stops_and_starts_again) {
    for (int i = 0; i < 20; ++i) {
        queue.wake();
        queue.stop();
        ASSERT_FALSE(queue.start(GetParam(), queues, traces, stacks.data()).failed());
        ASSERT_FALSE(queue.run(GetParam(), [](worker &) { return status::ok(); }).failed());
    }
}

INSTANTIATE_TEST_SUITE_P(threads, work, ::testing::Values(1u, 2u, 6u, max_threads));

}  // namespace
}  // namespace hexane::htp
