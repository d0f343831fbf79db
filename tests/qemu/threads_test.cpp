// tests/qemu/threads_test.cpp -- threads, locks, deadlines and the parts of the C++ library that are not in its headers.
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/qemu/expect.h"

namespace hexane::qemu_test {

namespace {

using namespace std::chrono_literals;

thread_local int own = 7;

void test_lock_and_thread_locals() {
    std::mutex lock;
    uint64_t sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            EXPECT(own == 7);
            own = t;
            for (int i = 0; i < 500; ++i) {
                const std::lock_guard guard(lock);
                const uint64_t seen = sum;
                sched_yield();  // where the others would come in between
                sum = seen + 1;
            }
            EXPECT(own == t);
        });
    }
    for (std::thread &t : threads) t.join();
    EXPECT(sum == 2000);
    EXPECT(own == 7);
}

// Two threads hand a turn back and forth.
void test_condition() {
    std::mutex lock;
    std::condition_variable changed;
    int turn = 0;
    const auto play = [&](int me) {
        for (int i = 0; i < 500; ++i) {
            std::unique_lock held(lock);
            changed.wait(held, [&] { return turn % 2 == me; });
            ++turn;
            changed.notify_all();
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    EXPECT(turn == 1000);
}

void test_deadlines() {
    std::mutex lock;
    std::condition_variable never;
    std::unique_lock held(lock);
    const auto began = std::chrono::steady_clock::now();
    EXPECT(!never.wait_until(held, began + 30ms, [] { return false; }));
    EXPECT(std::chrono::steady_clock::now() - began >= 30ms);

    std::timed_mutex timed;
    timed.lock();
    std::thread waiting([&] {
        EXPECT(!timed.try_lock());
        const auto start = std::chrono::steady_clock::now();
        EXPECT(!timed.try_lock_for(20ms));
        EXPECT(std::chrono::steady_clock::now() - start >= 20ms);
        EXPECT(timed.try_lock_for(60s));  // the other lets go
        timed.unlock();
    });
    usleep(100000);
    timed.unlock();
    waiting.join();
}

// The construction of a function-local static happens once, and every thread waits for it.
void test_static_construction() {
    static int constructed = 0;
    struct slow {
        int value;
        slow() : value(42) {
            usleep(20000);
            ++constructed;
        }
    };
    const auto get = []() -> slow & {
        static slow s;
        return s;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { EXPECT(get().value == 42); });
    for (std::thread &t : threads) t.join();
    EXPECT(constructed == 1);
}

struct counted {
    explicit counted(int *count) : count_(count) { ++*count_; }
    ~counted() { --*count_; }
    int *count_;
};

void test_shared_ownership() {
    int alive = 0;
    std::weak_ptr<counted> watcher;
    {
        auto first = std::make_shared<counted>(&alive);
        std::map<int, std::shared_ptr<counted>> owners;
        for (int i = 0; i < 10; ++i) owners[i] = first;
        std::shared_ptr<counted> separate(new counted(&alive));
        watcher = first;
        EXPECT(alive == 2 && first.use_count() == 11 && !watcher.expired());
    }
    EXPECT(alive == 0 && watcher.expired());
}

}  // namespace

void test_threads() {
    test_lock_and_thread_locals();
    test_condition();
    test_deadlines();
    test_static_construction();
    test_shared_ownership();
}

}  // namespace hexane::qemu_test
