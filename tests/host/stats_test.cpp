// tests/host/stats_test.cpp
#include "host/stats.h"

#include <gtest/gtest.h>

#include "host/op_table.h"
#include "ops/mul_mat/mul_mat.h"

namespace hexane::host {
namespace {

TEST(stats, sums_by_op_and_writes_json) {
    const op_table ops{options{}};
    stats s;
    s.add_session();
    s.add_graph();
    s.add_batch(30);
    s.add_op(op::mul_mat::id, {10, 0, 100, 60, 5}, 59);
    s.add_op(op::mul_mat::id, {20, 0, 100, 60, 5}, 59);
    stats::totals t = s.read();
    t.add(s.read());
    const std::string json = to_json(t, "HTP0 \"x\"", ops);
    EXPECT_EQ(
        json,
        "{\"device\": \"HTP0 \\\"x\\\"\", \"sessions\": 2, \"graphs\": 2, \"batches\": 2, \"batch_usecs\": 60, \"ops\": [\n"
        "  {\"name\": \"MUL_MAT\", \"count\": 4, \"usecs\": 60, \"dma_read_bytes\": 400, \"dma_weight_bytes\": 240, "
        "\"dma_write_bytes\": 20, \"src0_bytes\": 236}\n]}\n");
    EXPECT_FALSE(write_stats("/nowhere/at/all.json", json));
}

}  // namespace
}  // namespace hexane::host
