// tests/host/plan_cache_test.cpp -- plan memo and graph cache.
#include <gtest/gtest.h>

#include <cstring>

#include "host/graph_cache.h"
#include "host/plan_memo.h"
#include "ops/binary/binary.h"

namespace hexane::host {
namespace {

node add_node(int64_t elements) {
    node n{};
    n.op = op::add::id;
    n.n_src = 2;
    for (tensor_shape &s : n.src) s = absent_shape;
    const auto bytes = static_cast<uint64_t>(elements) * 4;
    n.dst = n.src[0] = n.src[1] = {{elements, 1, 1, 1}, {4, bytes, bytes, bytes}, 0, 0};
    return n;
}

TEST(plan_memo, remembers_and_stays_bounded) {
    const op_table ops{options{}};
    plan_memo memo(ops, {arch::v79, 1, 0, min_vtcm_bytes, session_scratch_bytes, 1u << 30});
    const node n = add_node(100);
    const erased_plan first = memo.plan(key_of(n)), second = memo.plan(key_of(n));
    ASSERT_TRUE(first.accepted);
    EXPECT_EQ(memo.size(), 1u);
    EXPECT_EQ(0, std::memcmp(&first.op, &second.op, sizeof first.op));
    for (int64_t i = 1; i < static_cast<int64_t>(plan_memo::max_entries) + 50; ++i)
        (void)memo.plan(key_of(add_node(i)));
    EXPECT_LE(memo.size(), plan_memo::max_entries);
}

graph_plan plan_named(std::string key) {
    graph_plan p;
    p.key = std::move(key);
    p.steps.resize(1);
    return p;
}

TEST(graph_cache, keeps_many_graphs_and_compares_them_whole) {
    graph_cache cache;
    for (int i = 0; i < 200; ++i) cache.insert(plan_named(std::string(400, 'x') + std::to_string(i)));
    EXPECT_EQ(cache.size(), 200u);
    for (int i = 0; i < 200; ++i) {
        const std::string key = std::string(400, 'x') + std::to_string(i);
        ASSERT_NE(cache.find(key), nullptr);
        EXPECT_EQ(cache.find(key)->key, key);
    }
    EXPECT_EQ(cache.find(std::string(400, 'x')), nullptr);
    cache.insert(plan_named(std::string(400, 'x') + "7"));
    EXPECT_EQ(cache.size(), 200u);
}

TEST(graph_cache, forgets_the_least_recently_used) {
    graph_cache cache;
    const size_t each = graph_cache::max_key_bytes / 4;
    for (char c : {'a', 'b', 'c', 'd'}) cache.insert(plan_named(std::string(each, c)));
    ASSERT_NE(cache.find(std::string(each, 'a')), nullptr);  // now the most recent one
    cache.insert(plan_named(std::string(each, 'e')));
    EXPECT_NE(cache.find(std::string(each, 'a')), nullptr);
    EXPECT_EQ(cache.find(std::string(each, 'b')), nullptr);
    EXPECT_NE(cache.find(std::string(each, 'e')), nullptr);
}

}  // namespace
}  // namespace hexane::host
