// tests/virtual/launcher_test.cpp -- what stands before the session program: nothing, a launcher of the user's, a mode's emulator.
#include <gtest/gtest.h>

#include <stdlib.h>

#include <algorithm>
#include <chrono>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;

class launcher_test : public testing::Test {
  protected:
    void SetUp() override { describe_device("v79,threads=1"); }
    void TearDown() override {
        unsetenv("GGML_HEXAGON_VIRTUAL_LAUNCHER");
        if (!path_.empty()) setenv("PATH", path_.c_str(), 1);
    }
    static void launch_by(const char *words) { setenv("GGML_HEXAGON_VIRTUAL_LAUNCHER", words, 1); }
    void empty_path() {
        path_ = getenv("PATH");
        setenv("PATH", "/nowhere", 1);
    }

    // Opening fails soon, and the text on stderr is returned.
    static std::string failure_to_open() {
        testing::internal::CaptureStderr();
        const auto began = std::chrono::steady_clock::now();
        {
            open_session s;
            EXPECT_NE(s.error, 0);
        }
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
        EXPECT_TRUE(child_processes().empty());
        return testing::internal::GetCapturedStderr();
    }

    static size_t lines_with(const std::string &text, const std::string &word) {
        size_t n = 0;
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find('\n', at), text.size());
            n += text.substr(at, end - at).find(word) != std::string::npos;
            at = end + 1;
        }
        return n;
    }

  private:
    std::string path_;
};

TEST_F(launcher_test, words_stand_before_the_program) {
    launch_by("env  HEXANE_LAUNCHED=1 nice");
    open_session s;
    ASSERT_EQ(s.error, 0);
    uint32_t sum = 0;
    EXPECT_EQ(s.call(add, stand_in::pair{40, 2}, &sum), 0);
    EXPECT_EQ(sum, 42u);
    ASSERT_EQ(child_processes().size(), 1u);
    const std::string environment = "/proc/" + std::to_string(*child_processes().begin()) + "/environ";
    FILE *file = fopen(environment.c_str(), "re");
    ASSERT_NE(file, nullptr);
    std::string text(1u << 20, 0);
    text.resize(fread(text.data(), 1, text.size(), file));
    fclose(file);
    EXPECT_NE(text.find(std::string("\0HEXANE_LAUNCHED=1\0", 19)), std::string::npos);
}

TEST_F(launcher_test, a_missing_launcher_costs_one_line) {
    launch_by("/nowhere/launcher --option");
    const std::string text = failure_to_open();
    EXPECT_EQ(lines_with(text, "/nowhere/launcher"), 1u) << text;
    EXPECT_EQ(lines_with(text, "GGML_HEXAGON_VIRTUAL_LAUNCHER"), 1u) << text;
}

TEST_F(launcher_test, a_launcher_that_ends_is_noticed) {
    launch_by("false");
    const std::string text = failure_to_open();
    EXPECT_EQ(lines_with(text, "did not come up"), 1u) << text;
    EXPECT_EQ(lines_with(text, "exit code 1"), 1u) << text;
}

// Whichever is missing: the emulator, or, in a build without it, the program.
TEST_F(launcher_test, a_missing_emulator_costs_one_line) {
    describe_device("qemu");
    empty_path();
    const std::string text = failure_to_open();
    EXPECT_EQ(lines_with(text, "cannot run"), 1u) << text;
    EXPECT_EQ(lines_with(text, "mode=qemu"), 1u) << text;
}

}  // namespace
