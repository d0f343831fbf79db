// tests/virtual/queue_end_test.cpp -- both ends of a queue in one process: contents, threads, a hostile peer.
#include "virtual/channel/queue_end.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace hexane::virt;

struct no_buffers : buffer_table {
    AEEResult check(dspqueue_buffer *) override { return AEE_SUCCESS; }
    void translate(dspqueue_buffer *) override {}
};

struct two_ends {
    explicit two_ends(uint32_t bytes)
        : space(queue_memory::bytes_for(bytes, bytes) / 128 + 2), memory(new (space.data()) queue_memory{}) {
        memory->request_bytes = memory->response_bytes = bytes;
        host = std::make_unique<queue_end>(memory, queue_side::host, table);
        npu = std::make_unique<queue_end>(memory, queue_side::npu, table);
    }
    struct alignas(128) line {
        uint8_t bytes[128];
    };
    std::vector<line> space;
    queue_memory *memory;
    no_buffers table;
    std::unique_ptr<queue_end> host, npu;
};

AEEResult put(queue_end &e, const std::string &m, patience p) {
    return e.write(0, 0, nullptr, static_cast<uint32_t>(m.size()), reinterpret_cast<const uint8_t *>(m.data()), p);
}

AEEResult get(queue_end &e, std::string *m, patience p) {
    uint8_t bytes[4096];
    uint32_t n_bytes = 0, n_buffers = 0, flags = 0;
    const AEEResult r = e.read({&flags, 0, &n_buffers, nullptr, sizeof bytes, &n_bytes, bytes}, p);
    if (r == AEE_SUCCESS) m->assign(bytes, bytes + n_bytes);
    return r;
}

TEST(queue_end_test, packets_arrive_in_order_through_a_small_ring) {
    two_ends q(256);
    constexpr int n = 20000;
    std::thread writer([&] {
        std::mt19937 random(1);
        for (int i = 0; i < n; ++i)
            ASSERT_EQ(put(*q.host, std::string(random() % 200, static_cast<char>(i)), patience::us(5'000'000)), 0);
    });
    std::mt19937 random(1);
    std::string m;
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(get(*q.npu, &m, patience::us(5'000'000)), 0);
        ASSERT_EQ(m, std::string(random() % 200, static_cast<char>(i)));
    }
    writer.join();
}

TEST(queue_end_test, many_threads_on_each_side) {
    two_ends q(1024);
    constexpr int per_thread = 2000, n_threads = 3;
    std::atomic<uint64_t> sum{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; ++t) {
        threads.emplace_back([&] {
            for (int i = 1; i <= per_thread; ++i)
                ASSERT_EQ(put(*q.host, std::to_string(i), patience::us(5'000'000)), 0);
        });
        threads.emplace_back([&] {
            std::string m;
            for (int i = 1; i <= per_thread; ++i) {
                ASSERT_EQ(get(*q.npu, &m, patience::us(5'000'000)), 0);
                sum += std::stoul(m);
            }
        });
    }
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(sum, uint64_t{n_threads} * per_thread * (per_thread + 1) / 2);
}

TEST(queue_end_test, a_blocked_reader_does_not_block_others) {
    two_ends q(1024);
    std::thread blocked([&] {
        std::string m;
        EXPECT_EQ(get(*q.npu, &m, patience::us(DSPQUEUE_TIMEOUT_NONE)), AEE_EINTERRUPTED);
    });
    std::string m;
    usleep(20'000);
    EXPECT_EQ(get(*q.npu, &m, patience::none()), AEE_EWOULDBLOCK);
    EXPECT_EQ(get(*q.npu, &m, patience::us(5000)), AEE_EEXPIRED);
    q.npu->fail(AEE_EINTERRUPTED);
    blocked.join();
}

TEST(queue_end_test, nonsense_in_the_shared_memory_is_a_lost_connection) {
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        two_ends q(512);
        ASSERT_EQ(put(*q.host, "hello", patience::none()), 0);
        auto *bytes = reinterpret_cast<uint8_t *>(q.memory + 1);
        bytes[random() % 8] = static_cast<uint8_t>(random());
        if (i % 3 == 0) q.memory->request.written = random();
        std::string m;
        const AEEResult r = get(*q.npu, &m, patience::none());
        EXPECT_TRUE(r == AEE_SUCCESS || r == AEE_EBADPARM || r == AEE_ECONNRESET || r == AEE_EWOULDBLOCK) << r;
    }
}

}  // namespace
