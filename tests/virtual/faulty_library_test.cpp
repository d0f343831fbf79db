// tests/virtual/faulty_library_test.cpp -- the schedule of faults, and each fault on a library that remembers what reached it.
#include <gtest/gtest.h>

#include <string.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "abi/batch.h"
#include "virtual/faulty/corruption.h"
#include "virtual/faulty/faulty_library.h"

namespace {

using namespace hexane;
using namespace hexane::virt;
using std::chrono::steady_clock;

constexpr faulty_call call_number(uint32_t i) { return static_cast<faulty_call>(i); }

// -- schedule

std::string first_faults(const fault_schedule &s, uint32_t n) {
    std::string all;
    for (uint32_t c = 0; c < n_faulty_calls; ++c) {
        for (uint32_t i = 1; i <= n; ++i) {
            const auto f = s.at(call_number(c), i);
            all += f ? std::string(to_string(f->kind)) + std::to_string(f->dice) : ".";
        }
    }
    return all;
}

TEST(fault_schedule_test, depends_on_seed_and_number_alone) {
    const auto of = [](const char *text) { return fault_schedule(parse_description(text).device); };
    EXPECT_EQ(first_faults(of("faulty,seed=3"), 100), first_faults(of("v73,seed=3,faulty"), 100));
    EXPECT_NE(first_faults(of("faulty,seed=3"), 100), first_faults(of("faulty,seed=4"), 100));
    const fault_schedule s = of("faulty,seed=3,fault_rate=50");
    const auto once = s.at(faulty_call::write, 17), again = s.at(faulty_call::write, 17);
    ASSERT_EQ(once.has_value(), again.has_value());
    EXPECT_TRUE(!once || once->dice == again->dice);
}

TEST(fault_schedule_test, keeps_to_kinds_rate_and_end) {
    for (uint32_t c = 0; c < n_faulty_calls; ++c) {
        std::set<fault_kind> kinds;
        uint32_t faults = 0;
        const fault_schedule s(parse_description("faulty,fault_rate=20,fault_calls=2000").device);
        for (uint32_t i = 1; i <= 4000; ++i) {
            const auto f = s.at(call_number(c), i);
            if (!f) continue;
            ++faults;
            kinds.insert(f->kind);
            EXPECT_LE(i, 2000u);
            EXPECT_TRUE(f->kind & fault_schedule::kinds_of(call_number(c)));
        }
        EXPECT_NEAR(faults, 400, 80) << to_string(call_number(c));
        EXPECT_EQ(kinds.size(), static_cast<size_t>(__builtin_popcount(fault_schedule::kinds_of(call_number(c)))));
    }
    const fault_schedule drops(parse_description("faulty=drop,fault_rate=100").device);
    EXPECT_EQ(drops.at(faulty_call::write, 1)->kind, fault_drop);
    EXPECT_FALSE(drops.at(faulty_call::open, 1));
}

TEST(fault_schedule_test, every_kind_happens_to_some_call) {
    uint32_t kinds = 0;
    for (uint32_t c = 0; c < n_faulty_calls; ++c) kinds |= fault_schedule::kinds_of(call_number(c));
    EXPECT_EQ(kinds, all_faults);
}

// -- library

// Succeeds at everything; its queue has the messages that a test puts there.
class willing_library final : public fastrpc_library {
  public:
    void *allocate(size_t) override { return note("allocate"), this; }
    void release(void *) override { note("release"); }
    int descriptor(void *) override { return note("descriptor"), 7; }
    AEEResult open(const char *, remote_handle64 *) override { return note("open"); }
    AEEResult close(remote_handle64) override { return note("close"); }
    AEEResult invoke(remote_handle64, uint32_t, remote_arg *) override { return note("invoke"); }
    AEEResult control(uint32_t, void *, uint32_t) override { return note("control"); }
    AEEResult handle_control(remote_handle64, uint32_t, void *, uint32_t) override { return note("handle_control"); }
    AEEResult session_control(uint32_t request, void *, uint32_t) override {
        dead = dead || request == FASTRPC_REMOTE_PROCESS_KILL;
        return note(request == FASTRPC_REMOTE_PROCESS_KILL ? "kill" : "session_control");
    }
    AEEResult system_request(system_req_payload *) override { return note("system_request"); }
    AEEResult map(int, int, void *, int, size_t, fastrpc_map_flags) override {
        note("map");
        return dead ? AEE_ECONNRESET : AEE_SUCCESS;
    }
    AEEResult unmap(int, int) override { return note("unmap"); }
    AEEResult create_queue(int, const queue_request &, dspqueue_t *queue) override {
        *queue = reinterpret_cast<dspqueue_t>(this);
        return note("create_queue");
    }
    AEEResult export_queue(dspqueue_t, uint64_t *) override { return note("export_queue"); }
    AEEResult close_queue(dspqueue_t) override { return note("close_queue"); }
    AEEResult write(dspqueue_t, const packet &, patience) override { return note("write"); }
    AEEResult read(dspqueue_t, const packet_sink &sink, patience limit) override {
        if (dead) return AEE_ECONNRESET;
        if (messages.empty()) return limit.when_over;
        *sink.message_length = static_cast<uint32_t>(messages[0].size());
        memcpy(sink.message, messages[0].data(), messages[0].size());
        messages.erase(messages.begin());
        return note("read");
    }
    AEEResult peek(dspqueue_t, uint32_t *, uint32_t *, uint32_t *, patience limit) override {
        if (dead) return AEE_ECONNRESET;
        if (!messages.empty()) return AEE_SUCCESS;
        while (!limit.limit.passed()) usleep(1000);
        return limit.when_over;
    }

    AEEResult note(const std::string &what) { return calls.push_back(what), AEE_SUCCESS; }
    bool reached(const std::string &what) const { return std::find(calls.begin(), calls.end(), what) != calls.end(); }
    std::vector<std::string> calls;
    std::vector<std::string> messages;
    bool dead = false;
};

struct faulty_library_test : testing::Test {
    // Only this kind, at every call.
    void suffer(const std::string &kind, uint32_t seed = 1) {
        inner = std::make_shared<willing_library>();
        description = parse_description("fault_rate=100,faulty=" + kind + ",seed=" + std::to_string(seed)).device;
        library = std::make_unique<faulty_library>(inner, description);
        dspqueue_t q = nullptr;
        if (library->create_queue(1, {}, &q) == AEE_SUCCESS) queue = q;
    }
    AEEResult write() { return library->write(queue, {}, patience::us(1000)); }
    AEEResult read(std::string *message, uint32_t timeout_us = 20'000) {
        uint32_t flags, n_buffers, bytes = 0;
        dspqueue_buffer buffer;
        message->assign(1000, 0);
        const packet_sink sink{
            &flags, 1, &n_buffers, &buffer, 1000, &bytes, reinterpret_cast<uint8_t *>(message->data())};
        const AEEResult e = library->read(queue, sink, patience::us(timeout_us));
        message->resize(bytes);
        return e;
    }

    std::shared_ptr<willing_library> inner;
    device_description description;
    std::unique_ptr<faulty_library> library;
    dspqueue_t queue = nullptr;
    std::string message;
};

TEST_F(faulty_library_test, alloc_gives_no_memory_and_no_descriptor) {
    suffer("alloc");
    EXPECT_EQ(library->allocate(4096), nullptr);
    EXPECT_FALSE(inner->reached("allocate"));
    EXPECT_EQ(library->descriptor(inner.get()), -1);
    library->release(inner.get());
    EXPECT_TRUE(inner->reached("release"));
}

TEST_F(faulty_library_test, open_and_map_are_refused_with_codes_of_the_driver) {
    suffer("open+map");
    std::set<AEEResult> open_codes, map_codes;
    remote_handle64 handle;
    for (int i = 0; i < 100; ++i) {
        open_codes.insert(library->open("", &handle));
        map_codes.insert(library->map(1, 3, nullptr, 0, 4096, FASTRPC_MAP_FD));
    }
    EXPECT_FALSE(inner->reached("open") || inner->reached("map"));
    EXPECT_EQ(open_codes.size(), 5u);
    EXPECT_TRUE(open_codes.count(platform::npu_aee(0x06)));
    EXPECT_EQ(map_codes.size(), 3u);
    EXPECT_FALSE(open_codes.count(AEE_SUCCESS) || map_codes.count(AEE_SUCCESS));
}

TEST_F(faulty_library_test, code_comes_before_or_after_the_call) {
    suffer("code");
    const int n = 60;
    for (int i = 0; i < n; ++i) {
        EXPECT_NE(library->invoke(1, 0, nullptr), AEE_SUCCESS);
        EXPECT_NE(library->unmap(1, 3), AEE_SUCCESS);
        EXPECT_NE(library->close(1), AEE_SUCCESS);
        EXPECT_NE(library->session_control(FASTRPC_GET_URI, nullptr, 0), AEE_SUCCESS);
    }
    const auto count = [&](const char *what) { return std::count(inner->calls.begin(), inner->calls.end(), what); };
    EXPECT_GT(count("invoke"), 0);
    EXPECT_LT(count("invoke"), n);
    EXPECT_GT(count("unmap"), 0);
    EXPECT_LT(count("unmap"), n);
    EXPECT_EQ(count("close"), n) << "a handle is closed whatever the answer";
    EXPECT_EQ(count("session_control"), 0);
    EXPECT_EQ(library->close_queue(queue), AEE_EBADPARM);
    EXPECT_EQ(write(), AEE_EBADPARM);
    EXPECT_EQ(library->session_control(FASTRPC_REMOTE_PROCESS_KILL, nullptr, 0), AEE_SUCCESS);
}

TEST_F(faulty_library_test, drop_loses_messages_of_both_directions) {
    suffer("drop");
    EXPECT_EQ(write(), AEE_SUCCESS);
    EXPECT_FALSE(inner->reached("write"));
    inner->messages = {"one", "two"};
    EXPECT_EQ(read(&message), AEE_EEXPIRED);
    EXPECT_TRUE(inner->messages.empty());
}

TEST_F(faulty_library_test, delay_holds_a_message_back_and_delivers_it) {
    bool late = false, in_time = false;
    for (uint32_t seed = 40; seed < 400 && !(late && in_time); ++seed) {
        suffer("delay", seed);
        inner->messages = {"one"};
        const auto began = steady_clock::now();
        AEEResult e;
        while ((e = read(&message, 1000)) == AEE_EEXPIRED) {}
        const auto took = steady_clock::now() - began;
        EXPECT_EQ(e, AEE_SUCCESS);
        EXPECT_EQ(message, "one");
        EXPECT_GE(took, std::chrono::milliseconds(1));
        EXPECT_LT(took, std::chrono::seconds(4));
        (took > std::chrono::seconds(1) ? late : in_time) = true;
    }
    EXPECT_TRUE(late && in_time);
    EXPECT_EQ(write(), AEE_SUCCESS);
    EXPECT_TRUE(inner->reached("write"));
}

TEST_F(faulty_library_test, kill_ends_the_process_behind_a_batch_or_a_mapping) {
    suffer("kill");
    EXPECT_EQ(write(), AEE_SUCCESS);
    const std::vector<std::string> batch = {"create_queue", "write", "kill"};
    EXPECT_EQ(inner->calls, batch);
    EXPECT_EQ(read(&message), AEE_ECONNRESET);
    suffer("kill");
    EXPECT_EQ(library->map(1, 3, nullptr, 0, 4096, FASTRPC_MAP_FD), AEE_ECONNRESET);
}

// What the host would see of a response in which all is well.
TEST_F(faulty_library_test, corrupt_spoils_every_part_that_a_host_can_check) {
    uint32_t magic = 0, sequence = 0, code = 0, truncated = 0;
    for (uint64_t dice = 0; dice < 256; ++dice) {
        batch_response good{}, r{};
        good.magic = batch_magic;
        good.sequence = 5;
        uint32_t bytes = sizeof r;
        memcpy(&r, &good, sizeof r);
        corrupt_response(reinterpret_cast<uint8_t *>(&r), &bytes, dice * 0x0101'0101'0101'0101);
        truncated += bytes != sizeof r;
        magic += bytes == sizeof r && r.magic != batch_magic;
        sequence += bytes == sizeof r && r.sequence != 5;
        code += bytes == sizeof r && r.code != status_code::ok;
    }
    EXPECT_EQ(magic + sequence + code + truncated, 256u) << "one of them each time";
    for (const uint32_t n : {magic, sequence, code, truncated}) EXPECT_EQ(n, 64u);
    for (uint64_t dice = 0; dice < 64; ++dice) {
        batch_response r{};
        r.magic = batch_magic;
        r.code = status_code::bad_index;
        uint32_t bytes = sizeof r;
        corrupt_response(reinterpret_cast<uint8_t *>(&r), &bytes, dice);
        EXPECT_TRUE(bytes != sizeof r || r.code != status_code::ok) << "a failure stays one";
    }
    suffer("corrupt");
    inner->messages = {"twelve bytes"};
    EXPECT_EQ(read(&message), AEE_SUCCESS);
    EXPECT_EQ(message, "twelve");
}

}  // namespace
