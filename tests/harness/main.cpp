// tests/harness/main.cpp -- one GoogleTest per case and question: plan.<folder>_<case>, kernel.<folder>_<case>, graph.<folder>_<case>.
//
// HEXANE_TEST_SEED changes the data; the seed of a failed case is printed with it.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/harness/sweep.h"

namespace hexane::testing {
namespace {

using question = std::string (*)(problem &);

// A kernel that runs into a guard page ends the program: then this tells in which case, and on which hardware.
void tell_crash(int signal) {
    const char *parts[] = {"\n", strsignal(signal), " in ", now_running(), "\n"};
    for (const char *part : parts) (void)!write(STDERR_FILENO, part, std::strlen(part));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

uint64_t base_seed() {
    const char *text = std::getenv("HEXANE_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 1;
}

class case_test : public ::testing::Test {
  public:
    case_test(const op_case *c, std::string full_name, question ask)
        : case_(c), name_(std::move(full_name)), ask_(ask) {}

    void TestBody() override {
        const uint64_t seed = base_seed() ^ seed_of(name_.c_str());
        problem p(*case_, seed);
        note_running(name_);
        const std::string wrong = ask_(p);
        EXPECT_TRUE(wrong.empty()) << name_ << ", HEXANE_TEST_SEED=" << base_seed() << "\n  " << wrong;
    }

  private:
    const op_case *case_;
    std::string name_;
    question ask_;
};

void register_test(const char *suite, const std::string &name, const op_case *c, question ask) {
    ::testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [=]() -> ::testing::Test * { return new case_test(c, name, ask); });
}

void register_all(std::vector<std::vector<op_case>> &storage) {
    for (const case_folder &f : case_folders()) {
        storage.emplace_back();
        case_sink sink(storage.back());
        f.list(sink);
    }
    for (size_t i = 0; i < storage.size(); ++i) {
        for (const op_case &c : storage[i]) {
            const std::string name = std::string(case_folders()[i].name) + "_" + c.name;
            register_test("plan", name, &c, check_plans);
            if (!c.plan_only) register_test("kernel", name, &c, check_kernel);
            if (c.in_graph && !c.plan_only) register_test("graph", name, &c, check_graph);
        }
    }
}

}  // namespace
}  // namespace hexane::testing

int main(int argc, char **argv) {
    static std::vector<std::vector<hexane::testing::op_case>> cases;
    hexane::testing::register_all(cases);
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, hexane::testing::tell_crash);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
