// tests/virtual/range_allocator_test.cpp
#include "virtual/session/range_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using hexane::virt::range_allocator;

TEST(range_allocator_test, random_traffic_never_overlaps_and_coalesces) {
    range_allocator a;
    a.add(0x10000, 1 << 20);
    a.add(0x900000, 1 << 18);
    const uint64_t all = a.free_bytes();
    std::map<uint64_t, uint64_t> held;
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        if (random() % 2 || held.empty()) {
            const uint64_t bytes = 16 * (1 + random() % 2000), alignment = 16u << random() % 8;
            const uint64_t at = a.take(bytes, alignment);
            if (!at) continue;
            EXPECT_EQ(at % alignment, 0u);
            const auto next = held.lower_bound(at);
            if (next != held.end()) {
                ASSERT_LE(at + bytes, next->first);
            }
            if (next != held.begin()) {
                ASSERT_LE(std::prev(next)->first + std::prev(next)->second, at);
            }
            held.emplace(at, bytes);
        } else {
            const auto which = std::next(held.begin(), static_cast<long>(random() % held.size()));
            a.give_back(which->first, which->second);
            held.erase(which);
        }
    }
    for (const auto &[at, bytes] : held) a.give_back(at, bytes);
    EXPECT_EQ(a.free_bytes(), all);
    EXPECT_EQ(a.largest(), 1u << 20);
}

}  // namespace
