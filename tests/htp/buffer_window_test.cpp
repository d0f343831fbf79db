// tests/htp/buffer_window_test.cpp -- mapping on demand, eviction, refusals; over a platform that counts.
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "htp/buffer_window.h"
#include "platform/HAP_mem.h"

namespace {

// The platform: where each descriptor is mapped. `fragmented`: sizes above this are refused.
struct {
    std::map<uint64_t, uint64_t> mapped;  // address -> bytes
    uint64_t next = 0x1000000;
    uint64_t fragmented = ~0ull;
    uint64_t calls_with_int = 0;
    bool lied = false;  // unmapped something that was not there
} fake;

void *map(uint64_t bytes) {
    if (bytes > fake.fragmented) return HAP_MAP_FAILED;
    const uint64_t address = fake.next;
    fake.next += 0x10000000;
    fake.mapped[address] = bytes;
    return reinterpret_cast<void *>(address);
}

int unmap(void *address, uint64_t bytes) {
    const auto found = fake.mapped.find(reinterpret_cast<uint64_t>(address));
    if (found == fake.mapped.end() || found->second != bytes)
        fake.lied = true;
    else
        fake.mapped.erase(found);
    return 0;
}

}  // namespace

extern "C" {
void *HAP_mmap(void *, int bytes, int, int, int, long) {
    ++fake.calls_with_int;
    return bytes > 0 ? map(static_cast<uint64_t>(bytes)) : HAP_MAP_FAILED;
}
int HAP_munmap(void *address, int bytes) { return unmap(address, static_cast<uint64_t>(bytes)); }
void *HAP_mmap2(void *, size_t bytes, int, int, int, long) { return map(bytes); }
int HAP_munmap2(void *address, size_t bytes) { return unmap(address, bytes); }
}

namespace hexane::htp {
namespace {

class window : public ::testing::Test {
  protected:
    void SetUp() override {
        fake = {};
        w.init(1000, 75);
    }
    void TearDown() override {
        w.forget_all();
        EXPECT_TRUE(fake.mapped.empty());
        EXPECT_FALSE(fake.lied);
        EXPECT_EQ(w.mapped_bytes(), 0u);
    }

    status prepare(std::vector<buffer_desc> list) { return w.prepare({list.data(), list.size()}, addresses); }

    buffer_window w;
    uint64_t addresses[max_batch_buffers]{};
};

TEST_F(window, maps_once_and_keeps) {
    ASSERT_FALSE(prepare({{100, 1, 0}, {200, 2, 0}}).failed());
    const uint64_t first = addresses[0];
    EXPECT_EQ(fake.mapped.at(first), 100u);
    ASSERT_FALSE(prepare({{200, 2, 0}, {100, 1, 0}}).failed());
    EXPECT_EQ(addresses[1], first);
    EXPECT_EQ(fake.mapped.size(), 2u);
    EXPECT_EQ(w.mapped_bytes(), 300u);
}

TEST_F(window, evicts_the_least_recently_used) {
    ASSERT_FALSE(prepare({{400, 1, 0}}).failed());
    ASSERT_FALSE(prepare({{400, 2, 0}}).failed());
    ASSERT_FALSE(prepare({{400, 1, 0}}).failed());
    const uint64_t one = addresses[0];
    ASSERT_FALSE(prepare({{400, 3, 0}}).failed());
    EXPECT_TRUE(fake.mapped.count(one));
    EXPECT_EQ(w.mapped_bytes(), 800u);
}

TEST_F(window, never_evicts_what_the_batch_uses) {
    ASSERT_FALSE(prepare({{500, 1, 0}, {400, 2, 0}}).failed());
    const status s = prepare({{500, 1, 0}, {600, 3, 0}});
    EXPECT_EQ(s.code, status_code::window_exceeded);
    EXPECT_EQ(s.value, 600u);
    ASSERT_FALSE(prepare({{500, 1, 0}, {500, 3, 0}}).failed());
}

TEST_F(window, refuses_a_buffer_larger_than_itself) {
    const status s = prepare({{1001, 1, 0}});
    EXPECT_EQ(s.code, status_code::window_exceeded);
    EXPECT_EQ(s.value, 1001u);
    EXPECT_TRUE(fake.mapped.empty());
}

TEST_F(window, maps_again_when_a_number_is_reused) {
    ASSERT_FALSE(prepare({{100, 1, 0}}).failed());
    ASSERT_FALSE(prepare({{300, 1, 0}}).failed());
    EXPECT_EQ(w.mapped_bytes(), 300u);
    EXPECT_EQ(fake.mapped.size(), 1u);
}

TEST_F(window, forgets) {
    ASSERT_FALSE(prepare({{100, 1, 0}, {100, 2, 0}}).failed());
    w.forget(1);
    w.forget(99);
    EXPECT_EQ(w.mapped_bytes(), 100u);
}

TEST_F(window, gives_up_old_mappings_when_the_platform_refuses) {
    ASSERT_FALSE(prepare({{100, 1, 0}, {100, 2, 0}}).failed());
    fake.fragmented = 250;
    EXPECT_EQ(prepare({{300, 3, 0}}).code, status_code::map_failed);
    EXPECT_TRUE(fake.mapped.empty());
    ASSERT_FALSE(prepare({{200, 3, 0}}).failed());
}

TEST_F(window, has_room_for_many_buffers_over_time) {
    for (uint32_t fd = 0; fd < 3 * buffer_window::max_mappings; ++fd) ASSERT_FALSE(prepare({{1, fd, 0}}).failed());
    EXPECT_LE(fake.mapped.size(), buffer_window::max_mappings);
}

TEST_F(window, uses_the_narrow_call_on_v73) {
    w.init(0xe0000000u, 73);
    ASSERT_FALSE(prepare({{0x7fffffff, 1, 0}}).failed());
    EXPECT_EQ(fake.calls_with_int, 1u);
    EXPECT_EQ(prepare({{0x80000000u, 2, 0}}).code, status_code::window_exceeded);
}

}  // namespace
}  // namespace hexane::htp
