// tests/host/patience_test.cpp -- waits that do not count the time in which a side was stopped.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/batch_patience.h"
#include "host/watchdog.h"

namespace hexane::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Looks at a batch every 100 ms on a clock of its own.
class looks {
  public:
    // For `time`, or until patience ends. What passed.
    milliseconds go_on(milliseconds time, bool heart_beats, bool progresses = false) {
        milliseconds passed{0};
        while (passed < time) {
            passed += batch_patience::interval;
            now_ += batch_patience::interval;
            signs_.heartbeat += heart_beats;
            signs_.progress += progresses;
            if (!patience_.look(now_, signs_)) return passed;
        }
        return passed;
    }
    // Nothing is looked at meanwhile.
    bool sleep(milliseconds time) {
        now_ += time;
        return patience_.look(now_, signs_);
    }
    const batch_patience &patience() const { return patience_; }

  private:
    batch_patience::clock::time_point now_{seconds(1000)};
    batch_signs signs_{0, 0};
    batch_patience patience_{seconds(2), now_, signs_};
};

TEST(patience, ends_a_little_after_the_deadline_while_the_session_runs) {
    looks l;
    EXPECT_EQ(l.go_on(seconds(60), true), milliseconds(2100));
    EXPECT_FALSE(l.patience().was_silent());
}

TEST(patience, begins_anew_with_each_op) {
    looks l;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(l.go_on(milliseconds(1900), true), milliseconds(1900));
        l.go_on(milliseconds(100), true, true);
    }
}

TEST(patience, lasts_three_times_as_long_without_a_heartbeat) {
    looks l;
    EXPECT_EQ(l.go_on(seconds(60), false), milliseconds(6100));
    EXPECT_TRUE(l.patience().was_silent());
}

TEST(patience, time_without_a_heartbeat_does_not_count_for_the_deadline) {
    looks l;
    EXPECT_EQ(l.go_on(milliseconds(1500), true), milliseconds(1500));
    EXPECT_EQ(l.go_on(milliseconds(3500), false), milliseconds(3500));
    EXPECT_EQ(l.go_on(milliseconds(400), true), milliseconds(400));
}

TEST(patience, a_stop_of_the_host_counts_as_a_moment) {
    looks l;
    EXPECT_EQ(l.go_on(milliseconds(1000), true), milliseconds(1000));
    EXPECT_TRUE(l.sleep(seconds(3600)));
    EXPECT_EQ(l.go_on(milliseconds(900), true), milliseconds(900));
    EXPECT_LT(l.go_on(seconds(60), true), seconds(2));
}

// A copy of this process waits for 1 s and is stopped for 2 s meanwhile. True if its watchdog did not expire.
bool waits_through_a_stop() {
    const pid_t copy = fork();
    if (copy == 0) {
        bool expired = false;
        {
            const watchdog guard(milliseconds(1500), [&expired] { expired = true; });
            for (int slices = 0; slices < 10; ++slices) usleep(100'000);
        }
        _exit(expired);
    }
    usleep(300'000);
    kill(copy, SIGSTOP);
    usleep(2'000'000);
    kill(copy, SIGCONT);
    int status = 0;
    waitpid(copy, &status, 0);
    return status == 0;
}

TEST(watchdog, does_not_count_a_stop) { EXPECT_TRUE(waits_through_a_stop()); }

TEST(watchdog, expires_once) {
    int expired = 0;
    {
        const watchdog guard(milliseconds(150), [&expired] { ++expired; });
        usleep(600'000);
    }
    EXPECT_EQ(expired, 1);
}

}  // namespace
}  // namespace hexane::host
