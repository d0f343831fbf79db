// tests/host/concurrency_test.cpp -- threads, backends and sessions side by side: each gets the bits that it gets alone, and what fails in one
// is nothing to the others. The environment of this test has GGML_HEXAGON_DEVICES=4.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/host/plugin_fixture.h"
#include "tests/replay/sample_graph.h"

namespace hexane::testing {
namespace {

using bytes = std::vector<uint8_t>;

struct free_backend {
    void operator()(ggml_backend_t b) const { ggml_backend_free(b); }
};
using backend_owner = std::unique_ptr<ggml_backend, free_backend>;

// A backend of its own with a model of its own, and the answers that it gives when nothing else runs.
class worker {
  public:
    static constexpr uint64_t questions = 4;

    worker(size_t device, uint64_t seed) : backend_(ggml_backend_hexagon_init(device)), graph_(backend_.get(), seed) {
        for (uint64_t q = 0; q < questions; ++q) {
            ready_ = ready_ && graph_.run(q) == GGML_STATUS_SUCCESS;
            answers_.push_back(graph_.result());
        }
    }

    // Computed, and no answer is another's.
    bool ready() const {
        for (uint64_t q = 1; q < questions; ++q) {
            if (answers_[q] == answers_[0]) return false;
        }
        return ready_;
    }
    bool differs_from(const worker &o) const { return answers_[0] != o.answers_[0]; }

    bool computes(uint64_t question) { return graph_.run(question % questions) == GGML_STATUS_SUCCESS; }
    bool is_right(uint64_t question) const { return graph_.result() == answers_[question % questions]; }
    bool fails_with_bad_index() { return graph_.run_with_bad_index() == GGML_STATUS_FAILED; }

    // Asks until `enough`; every answer must be the one that it gave alone.
    void ask(const std::atomic<bool> &enough, uint64_t least = 1) {
        for (uint64_t i = 0; i < least || !enough; ++i) {
            ASSERT_TRUE(computes(i)) << "graph " << i;
            ASSERT_TRUE(is_right(i)) << "graph " << i << " has another answer than alone";
            ++asked_;
        }
    }
    uint64_t asked() const { return asked_; }

  private:
    backend_owner backend_;
    sample_graph graph_;
    std::vector<bytes> answers_;
    bool ready_ = true;
    std::atomic<uint64_t> asked_{0};
};

class concurrency : public ::testing::Test {
  protected:
    static constexpr size_t devices = 4;

    void SetUp() override {
        // Failures are expected here; their lines are another test's business.
        ggml_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
        ASSERT_EQ(ggml_backend_reg_dev_count(ggml_backend_hexagon_reg()), devices);
    }

    static void for_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); }

    // Makes a worker; `session` becomes the process that it brought, if any.
    static std::unique_ptr<worker> make(size_t device, uint64_t seed, pid_t *session = nullptr) {
        const std::vector<pid_t> before = session_processes();
        auto w = std::make_unique<worker>(device, seed);
        EXPECT_TRUE(w->ready());
        for (const pid_t p : session_processes()) {
            if (session && std::find(before.begin(), before.end(), p) == before.end()) *session = p;
        }
        return w;
    }

    std::atomic<bool> enough_{false};
};

TEST_F(concurrency, two_backends_on_one_device) {
    const auto a = make(0, 1), b = make(0, 2);
    ASSERT_TRUE(a->differs_from(*b));
    ASSERT_EQ(session_processes().size(), 1u);
    std::thread first([&] { a->ask(enough_, 300); }), second([&] { b->ask(enough_, 300); });
    for_a_while();
    enough_ = true;
    first.join();
    second.join();
    EXPECT_EQ(session_processes().size(), 1u);
}

TEST_F(concurrency, four_sessions_at_once) {
    std::vector<std::unique_ptr<worker>> all;
    for (size_t i = 0; i < devices; ++i) all.push_back(make(i, i + 1));
    ASSERT_EQ(session_processes().size(), devices);
    std::vector<std::thread> threads;
    for (const auto &w : all) threads.emplace_back([&] { w->ask(enough_, 200); });
    for_a_while();
    enough_ = true;
    for (std::thread &t : threads) t.join();
}

// Sessions are opened by four threads at the same moment, and closed likewise.
TEST_F(concurrency, sessions_come_and_go_beside_each_other) {
    const auto stays = make(0, 1);
    std::thread busy([&] { stays->ask(enough_); });
    std::vector<std::thread> threads;
    for (size_t i = 1; i < devices; ++i) {
        threads.emplace_back([i] {
            for (int turn = 0; turn < 5; ++turn) {
                worker w(i, i + 1);
                ASSERT_TRUE(w.ready());
            }
        });
    }
    // And backends of the device that is busy.
    for (int turn = 0; turn < 10; ++turn) {
        worker w(0, 7);
        EXPECT_TRUE(w.ready());
    }
    for (std::thread &t : threads) t.join();
    enough_ = true;
    busy.join();
    EXPECT_EQ(session_processes().size(), 1u);
    EXPECT_GT(stays->asked(), 10u);
}

// A graph of one backend fails again and again; another backend of the same session never notices.
TEST_F(concurrency, a_failing_graph_does_not_poison_its_neighbour) {
    const auto good = make(0, 1), bad = make(0, 2);
    const std::vector<pid_t> session = session_processes();
    std::thread neighbour([&] { good->ask(enough_, 200); });
    for (uint64_t i = 0; i < 200; ++i) {
        ASSERT_TRUE(bad->fails_with_bad_index());
        ASSERT_TRUE(bad->computes(i));
        ASSERT_TRUE(bad->is_right(i)) << "after a failure";
    }
    enough_ = true;
    neighbour.join();
    EXPECT_EQ(session_processes(), session) << "a bad index is no reason to end a session";
}

// One of three sessions is killed, several times: the others go on, and the victim's backend works again.
TEST_F(concurrency, a_killed_session_does_not_disturb_the_others) {
    pid_t victim = 0;
    const auto a = make(0, 1), c = make(2, 3);
    const auto b = make(1, 2, &victim);
    ASSERT_NE(victim, 0);
    std::thread first([&] { a->ask(enough_); }), third([&] { c->ask(enough_); });
    uint64_t failures = 0;
    std::thread second([&] {
        for (uint64_t i = 0; !enough_; ++i) {
            if (b->computes(i))
                ASSERT_TRUE(b->is_right(i)) << "after " << failures << " failures";
            else
                ++failures;
        }
    });
    const std::vector<pid_t> others = session_processes();
    uint64_t kills = 0;  // a slow machine may show one that is dying beside the one that takes its place
    for (int turn = 0; turn < 4; ++turn) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        for (const pid_t p : session_processes()) {
            const bool other = p != victim && std::find(others.begin(), others.end(), p) != others.end();
            if (!other && kill(p, SIGKILL) == 0) ++kills;
        }
        victim = 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    enough_ = true;
    first.join();
    second.join();
    third.join();
    EXPECT_GE(kills, 1u);
    EXPECT_LE(failures, kills)
        << "one graph for each process that was killed, at most; between two graphs a death costs none";
    EXPECT_TRUE(b->computes(1) && b->is_right(1));
    EXPECT_GT(a->asked(), 10u);
    EXPECT_GT(c->asked(), 10u);
}

// Asks whether ops can be planned, and doubles tensors in buffers that live for one graph, of many shapes.
void ask_and_double(int shift) {
    const backend_owner backend(ggml_backend_hexagon_init(0));
    for (int turn = 0; turn < 100; ++turn) {
        ggml_context *context = ggml_init({1u << 16, nullptr, true});
        ggml_tensor *t = ggml_new_tensor_2d(context, GGML_TYPE_F32, 100 + turn, 7 + shift);
        for (int i = 0; i < 8; ++i) {
            ggml_tensor *narrow = ggml_view_2d(context, t, 10 + turn, 1 + i % 7, t->nb[1], 0);
            EXPECT_TRUE(ggml_backend_supports_op(backend.get(), ggml_scale(context, narrow, 2)));
        }
        ggml_tensor *twice = ggml_scale(context, t, 2);
        ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(context, backend.get());
        const std::vector<float> in(static_cast<size_t>(ggml_nelements(t)), static_cast<float>(turn));
        ggml_backend_tensor_set(t, in.data(), 0, ggml_nbytes(t));
        ggml_cgraph *graph = ggml_new_graph_custom(context, 4, false);
        ggml_build_forward_expand(graph, twice);
        ASSERT_EQ(ggml_backend_graph_compute(backend.get(), graph), GGML_STATUS_SUCCESS);
        std::vector<float> out(in.size());
        ggml_backend_tensor_get(twice, out.data(), 0, ggml_nbytes(twice));
        ASSERT_EQ(out, std::vector<float>(in.size(), 2.0f * static_cast<float>(turn)));
        ggml_backend_buffer_free(buffer);
        ggml_free(context);
    }
}

TEST_F(concurrency, buffers_and_questions_beside_a_computation) {
    const auto w = make(0, 1);
    std::thread busy([&] { w->ask(enough_, 100); });
    std::thread first(ask_and_double, 0), second(ask_and_double, 100);
    first.join();
    second.join();
    enough_ = true;
    busy.join();
}

}  // namespace
}  // namespace hexane::testing
