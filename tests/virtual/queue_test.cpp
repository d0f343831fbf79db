// tests/virtual/queue_test.cpp -- packets between host and session, and the codes of a device.
#include <gtest/gtest.h>

#include <string.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;
using clock = std::chrono::steady_clock;

class queue_test : public testing::Test {
  protected:
    void SetUp() override { describe_device("v79,threads=1"); }
};

TEST_F(queue_test, messages_come_back) {
    open_session s;
    open_queue q(s);
    ASSERT_EQ(q.error, 0);
    std::string answer;
    for (const size_t bytes : {1, 7, 8, 100, 8191, 16360}) {  // the response queue has 16384
        const std::string message(bytes, static_cast<char>(echo));
        ASSERT_EQ(q.send(message), 0) << bytes;
        ASSERT_EQ(q.receive(&answer, 1'000'000), 0) << bytes;
        EXPECT_EQ(answer, message);
    }
}

TEST_F(queue_test, the_largest_message_fits_a_large_queue) {
    open_session s;
    open_queue q(s, 1 << 20, 1 << 20);
    ASSERT_EQ(q.error, 0);
    std::string message(DSPQUEUE_MAX_MESSAGE_SIZE, static_cast<char>(echo)), answer;
    for (size_t i = 1; i < message.size(); ++i) message[i] = static_cast<char>(i * 31);
    for (int i = 0; i < 40; ++i) {  // over the end of the ring
        ASSERT_EQ(q.send(message), 0);
        ASSERT_EQ(q.receive(&answer, 1'000'000), 0);
        ASSERT_EQ(answer, message);
    }
    EXPECT_EQ(q.send(message + "x"), AEE_EBADPARM);
}

TEST_F(queue_test, empty_and_full) {
    open_session s;
    open_queue q(s, 4096, 4096);
    ASSERT_EQ(q.error, 0);
    uint32_t flags, n_buffers, n_bytes;
    uint8_t message[1024] = {swallow};
    EXPECT_EQ(dspqueue_read_noblock(q.queue, &flags, 0, &n_buffers, nullptr, sizeof message, &n_bytes, message),
              AEE_EWOULDBLOCK);
    EXPECT_EQ(dspqueue_peek_noblock(q.queue, &flags, &n_buffers, &n_bytes), AEE_EWOULDBLOCK);
    const auto began = clock::now();
    EXPECT_EQ(dspqueue_read(q.queue, &flags, 0, &n_buffers, nullptr, sizeof message, &n_bytes, message, 30'000),
              AEE_EEXPIRED);
    EXPECT_GE(clock::now() - began, std::chrono::milliseconds(29));
    EXPECT_LT(clock::now() - began, std::chrono::seconds(2));
    EXPECT_EQ(dspqueue_write_noblock(q.queue, 0, 0, nullptr, 4096 - 8, message),
              AEE_EBADPARM);  // with its header larger than the queue

    message[0] = compute;  // the session reads no more
    ASSERT_EQ(dspqueue_write_noblock(q.queue, 0, 0, nullptr, 1, message), 0);
    int e = 0, written = 0;
    while ((e = dspqueue_write_noblock(q.queue, 0, 0, nullptr, sizeof message, message)) == 0) ASSERT_LT(++written, 10);
    EXPECT_EQ(e, AEE_EWOULDBLOCK);
    EXPECT_EQ(dspqueue_write(q.queue, 0, 0, nullptr, sizeof message, message, 10'000), AEE_EEXPIRED);
    for (const int child : child_processes()) kill(child, SIGKILL);
}

TEST_F(queue_test, a_packet_that_does_not_fit_the_reader_stays) {
    open_session s;
    open_queue q(s);
    ASSERT_EQ(q.error, 0);
    ASSERT_EQ(q.send("e234567"), 0);
    uint32_t flags = 0, n_buffers = 9, n_bytes = 0;
    uint8_t small[4];
    ASSERT_EQ(dspqueue_peek(q.queue, &flags, &n_buffers, &n_bytes, 1'000'000), 0);
    EXPECT_EQ(n_bytes, 7u);
    EXPECT_EQ(n_buffers, 0u);
    EXPECT_EQ(flags, DSPQUEUE_PACKET_FLAG_MESSAGE);
    EXPECT_EQ(dspqueue_read_noblock(q.queue, &flags, 0, &n_buffers, nullptr, sizeof small, &n_bytes, small),
              AEE_EBADPARM);
    std::string answer;
    EXPECT_EQ(q.receive(&answer, 0), 0);
    EXPECT_EQ(answer, "e234567");
}

TEST_F(queue_test, buffers_are_shared_not_copied) {
    open_session s;
    open_queue q(s);
    ASSERT_EQ(q.error, 0);
    auto *memory = static_cast<uint8_t *>(rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, 8192));
    const int fd = rpcmem_to_fd(memory);
    memset(memory, 10, 8192);
    dspqueue_buffer b{};
    b.fd = static_cast<uint32_t>(fd);
    b.offset = 4096;
    b.size = 100;
    const std::string ask(1, static_cast<char>(add_one));
    EXPECT_EQ(q.send(ask, 1, &b), AEE_ENOSUCHMAP);
    ASSERT_EQ(fastrpc_mmap(s.domain, fd, memory, 0, 8192, FASTRPC_MAP_FD_DELAYED), 0);
    ASSERT_EQ(q.send(ask, 1, &b), 0);
    dspqueue_buffer back{};
    uint32_t flags, n_buffers, n_bytes;
    uint8_t message[8];
    ASSERT_EQ(dspqueue_read(q.queue, &flags, 1, &n_buffers, &back, sizeof message, &n_bytes, message, 1'000'000), 0);
    EXPECT_EQ(n_buffers, 1u);
    EXPECT_EQ(back.ptr, memory + 4096);
    EXPECT_EQ(back.fd, b.fd);
    EXPECT_EQ(memory[4095], 10);
    EXPECT_EQ(memory[4096], 11);
    EXPECT_EQ(memory[4195], 11);
    EXPECT_EQ(memory[4196], 10);

    b.size = 8192;
    EXPECT_EQ(q.send(ask, 1, &b), AEE_EBADPARM);  // past the end
    b.size = 0;
    EXPECT_EQ(q.send(ask, 1, &b), AEE_EBADPARM);  // the whole mapping, but with an offset
    b = {static_cast<uint32_t>(fd), 100, 0, DSPQUEUE_BUFFER_FLAG_REF | DSPQUEUE_BUFFER_FLAG_DEREF, {}};
    EXPECT_EQ(q.send(ask, 1, &b), AEE_EBADPARM);
    b.flags = DSPQUEUE_BUFFER_FLAG_REF;
    EXPECT_EQ(q.send(std::string(1, static_cast<char>(swallow)), 1, &b), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, fd, memory, 8192), AEE_EBADPARM);  // still referenced
    b.flags = DSPQUEUE_BUFFER_FLAG_DEREF;
    EXPECT_EQ(q.send(std::string(1, static_cast<char>(swallow)), 1, &b), 0);
    std::vector<dspqueue_buffer> many(65, b);
    EXPECT_EQ(q.send(ask, 65, many.data()), AEE_EBADPARM);
    EXPECT_EQ(s.call(stop), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, fd, memory, 8192), 0);
    rpcmem_free(memory);
}

TEST_F(queue_test, steps_in_the_wrong_order) {
    dspqueue_t queue = nullptr;
    EXPECT_EQ(dspqueue_create(100000, 0, 0, 0, nullptr, nullptr, nullptr, &queue), AEE_EBADSTATE);  // no session
    open_session s;
    ASSERT_EQ(s.error, 0);
    EXPECT_EQ(dspqueue_create(s.domain, 1, 0, 0, nullptr, nullptr, nullptr, &queue), AEE_EBADPARM);
    EXPECT_EQ(dspqueue_create(s.domain, 0, 17u << 20, 0, nullptr, nullptr, nullptr, &queue), AEE_EBADPARM);
    EXPECT_NE(s.call(start, uint64_t{12345}), 0);  // nobody exported that
    ASSERT_EQ(dspqueue_create(s.domain, 0, 0, 0, nullptr, nullptr, nullptr, &queue), 0);
    uint64_t id = 0;
    ASSERT_EQ(dspqueue_export(queue, &id), 0);
    ASSERT_EQ(s.call(start, id), 0);
    EXPECT_EQ(dspqueue_close(queue), AEE_EBADPARM);  // the session has it imported
    ASSERT_EQ(s.call(stop), 0);
    EXPECT_EQ(s.call(start, id), 0);  // and can import it again
    EXPECT_EQ(s.call(stop), 0);
    EXPECT_EQ(dspqueue_close(queue), 0);
    EXPECT_EQ(dspqueue_close(queue), AEE_EBADPARM);
    EXPECT_NE(s.call(start, id), 0);
}

TEST_F(queue_test, import_needs_a_power_vote) {
    open_session s(0, voteless_entry);
    ASSERT_EQ(s.error, 0);
    open_queue q(s);
    EXPECT_EQ(q.error, static_cast<int>(0x8000040d));
}

TEST_F(queue_test, closing_wakes_a_waiting_reader) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    dspqueue_t queue = nullptr;
    ASSERT_EQ(dspqueue_create(s.domain, 0, 0, 0, nullptr, nullptr, nullptr, &queue), 0);
    std::atomic<int> result{0};
    std::atomic<bool> entered{false};
    std::thread reader([&] {
        uint32_t n;
        entered = true;
        result = dspqueue_peek(queue, &n, &n, &n, DSPQUEUE_TIMEOUT_NONE);
    });
    EXPECT_TRUE(eventually(5000, [&] { return entered.load(); }));
    sleep_ms(100);
    EXPECT_EQ(dspqueue_close(queue), 0);
    reader.join();
    EXPECT_EQ(result, AEE_EINTERRUPTED);
}

TEST_F(queue_test, packet_callback_runs) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    static std::atomic<int> packets;
    packets = 0;
    dspqueue_t queue = nullptr;
    const auto on_packet = [](dspqueue_t q, AEEResult, void *) {
        uint32_t n;
        uint8_t m[16];
        while (dspqueue_read_noblock(q, &n, 0, &n, nullptr, sizeof m, &n, m) == 0) ++packets;
    };
    ASSERT_EQ(dspqueue_create(s.domain, 0, 0, 0, on_packet, nullptr, nullptr, &queue), 0);
    uint64_t id = 0;
    ASSERT_EQ(dspqueue_export(queue, &id), 0);
    ASSERT_EQ(s.call(start, id), 0);
    const uint8_t message[] = {echo};
    for (int i = 0; i < 10; ++i) ASSERT_EQ(dspqueue_write(queue, 0, 0, nullptr, 1, message, 1'000'000), 0);
    EXPECT_TRUE(eventually(2000, [] { return packets == 10; }));
    EXPECT_EQ(s.call(stop), 0);
    EXPECT_EQ(dspqueue_close(queue), 0);
}

TEST_F(queue_test, many_round_trips_are_quick) {
    open_session s;
    open_queue q(s);
    ASSERT_EQ(q.error, 0);
    constexpr int n = 5000;
    std::string answer;
    const std::string message(16, static_cast<char>(echo));
    const auto began = clock::now();
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(q.send(message), 0);
        ASSERT_EQ(q.receive(&answer, 1'000'000), 0);
    }
    const double us = std::chrono::duration<double, std::micro>(clock::now() - began).count() / n;
    printf("queue round trip: %.1f us\n", us);
    EXPECT_LT(us, 2000);
}

}  // namespace
