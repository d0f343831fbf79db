// tests/harness/main.cpp -- one GoogleTest per case and question: plan.<folder>_<case>, kernel.<folder>_<case>, graph.<folder>_<case>.
//
// drawn.<folder> asks all of them of cases that are drawn at random, non_finite.<folder> the graph alone, of cases with NaN and infinities.
// HEXANE_TEST_SEED changes the data; the seed of a failed case is printed with it.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

// As many cases as HEXANE_TEST_DRAWS says, drawn from the seed, each asked all questions. Most must be taken by the planner.
class drawn_test : public ::testing::Test {
  public:
    // Every `non_finite_turn`-th case has NaN and infinities.
    drawn_test(const drawn_folder &f, std::vector<question> questions, uint32_t non_finite_turn)
        : folder_(f), questions_(std::move(questions)), turn_(non_finite_turn) {}

    void TestBody() override {
        const char *text = std::getenv("HEXANE_TEST_DRAWS");
        const uint32_t draws = text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 0)) : 40;
        uint32_t taken = 0;
        for (uint32_t i = 0; i < draws && !HasFailure(); ++i) {
            const op_case c = draw(i);
            problem p(c, seed_of(c.name.c_str()));
            note_running(c.name);
            for (const question ask : questions_) {
                const std::string wrong = ask(p);
                EXPECT_TRUE(wrong.empty())
                    << c.name << ", HEXANE_TEST_SEED=" << base_seed() << ", " << text_of(p.node()) << "\n  " << wrong;
            }
            taken += is_planned(p);
        }
        EXPECT_GE(taken * 2, draws) << "the planner refused most of what was drawn";
    }

  private:
    op_case draw(uint32_t i) const {
        const std::string name = std::string(folder_.name) + "_drawn_" + std::to_string(i);
        const uint64_t seed = base_seed() ^ seed_of(name.c_str());
        op_case c;
        c.name = name;
        c.build = [draw = folder_.draw, seed](workbench &b) {
            generator g(seed);
            return draw(b, g);
        };
        c.may_be_refused = true;
        c.non_finite = i % turn_ == turn_ - 1;
        return c;
    }

    drawn_folder folder_;
    std::vector<question> questions_;
    uint32_t turn_;
};

void register_drawn() {
    const std::vector<question> all{check_plans, check_kernel, check_graph}, graph{check_graph};
    for (const drawn_folder &f : drawn_folders()) {
        ::testing::RegisterTest("drawn", f.name, nullptr, nullptr, __FILE__, __LINE__,
                                [=]() -> ::testing::Test * { return new drawn_test(f, all, 4); });
        ::testing::RegisterTest("non_finite", f.name, nullptr, nullptr, __FILE__, __LINE__,
                                [=]() -> ::testing::Test * { return new drawn_test(f, graph, 1); });
    }
}

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

// Run by hand, the program takes the driver library of its own build: <build>/lib, beside <build>/tests/harness.
void take_own_driver() {
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    setenv("GGML_HEXAGON_DRIVER", (here / "../../lib/libcdsprpc-virtual.so").c_str(), 0);
}

}  // namespace
}  // namespace hexane::testing

int main(int argc, char **argv) {
    hexane::testing::take_own_driver();
    static std::vector<std::vector<hexane::testing::op_case>> cases;
    hexane::testing::register_all(cases);
    hexane::testing::register_drawn();
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, hexane::testing::tell_crash);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
