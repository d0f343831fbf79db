// tests/replay/record_test.cpp -- what a recording run leaves behind, and that no file, however broken, does harm.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "include/ggml-hexagon.h"
#include "ops/all_ops.h"
#include "tests/harness/number.h"
#include "tests/replay/rebuilt_op.h"
#include "tests/replay/report.h"
#include "tests/replay/sample_graph.h"

namespace hexane::testing {
namespace {

namespace fs = std::filesystem;
using host::op_record;

fs::path folder;  // GGML_HEXAGON_RECORD of this process; GGML_HEXAGON_RECORD_MAX is 2

int warnings = 0;  // lines of the plug-in that name the variable

void count_warnings(ggml_log_level level, const char *line, void *) {
    if (level == GGML_LOG_LEVEL_WARN && std::strstr(line, "(GGML_HEXAGON_RECORD)")) ++warnings;
}

std::vector<fs::path> files() {
    std::vector<fs::path> list;
    for (const auto &entry : fs::directory_iterator(folder)) list.push_back(entry.path());
    std::sort(list.begin(), list.end());
    return list;
}

std::vector<uint8_t> contents(const fs::path &p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

op_record read(const fs::path &p) {
    std::string why;
    auto r = host::read_op_record(p, &why);
    EXPECT_TRUE(r.has_value()) << p << " " << why;
    return r ? *r : op_record{};
}

class recording : public ::testing::Test {
  protected:
    void SetUp() override {
        ggml_log_set(count_warnings, nullptr);
        for (const fs::path &p : files()) fs::remove(p);
        backend_ = ggml_backend_hexagon_init(0);
        ASSERT_NE(backend_, nullptr);
        graph_ = std::make_unique<sample_graph>(backend_);
    }
    void TearDown() override {
        graph_.reset();
        if (backend_) ggml_backend_free(backend_);
    }
    // The record of a node, from the newest file that has it.
    op_record record_of(const std::string &node) {
        op_record found;
        for (const fs::path &p : files()) {
            op_record r = read(p);
            if (r.node_name == node) found = std::move(r);
        }
        EXPECT_EQ(found.node_name, node) << "no record of it";
        return found;
    }
    report replay(const op_record &r) {
        keep_errors();
        std::string why;
        const auto op = rebuilt_op::create(r, &why);
        EXPECT_NE(op, nullptr) << why;
        return judge(r, *op, op->run(backend_), true);
    }

    ggml_backend_t backend_ = nullptr;
    std::unique_ptr<sample_graph> graph_;
};

// Copies of a kind are counted over the life of the process, so this test is the first and sees all that there are.
TEST_F(recording, a_run_leaves_a_file_of_each_op_and_later_ones_not_too_many) {
    ASSERT_EQ(graph_->run(), GGML_STATUS_SUCCESS);
    ASSERT_EQ(files().size(), graph_->nodes().size());
    const std::string first = files()[0].filename(), third = files()[2].filename();
    EXPECT_EQ(first, "000001-RMS_NORM-norm-0.hxr");
    EXPECT_EQ(third, "000003-MUL_MAT-blk.0.up.hxr");
    EXPECT_EQ(files()[1].filename(), "000002-MUL-norm_scaled.hxr");
    for (const fs::path &p : files()) {
        const report r = replay(read(p));
        EXPECT_TRUE(r.right) << p << ": " << r.verdict << "\n" << r.details;
    }
    ASSERT_EQ(graph_->run(), GGML_STATUS_SUCCESS);
    const size_t twice = files().size();
    EXPECT_GT(twice, graph_->nodes().size());
    ASSERT_EQ(graph_->run(), GGML_STATUS_SUCCESS);
    EXPECT_EQ(files().size(), twice) << "GGML_HEXAGON_RECORD_MAX=2";
}

// The rest works on records of a failing run, which are written always.
class failing : public recording {
  protected:
    void SetUp() override {
        recording::SetUp();
        ASSERT_EQ(graph_->run_with_bad_index(), GGML_STATUS_FAILED);
    }
};

TEST_F(failing, an_op_that_fails_is_recorded_with_the_reason) {
    const op_record r = record_of("cached-0");
    EXPECT_NE(r.failure.find("index"), std::string::npos) << r.failure;
    EXPECT_TRUE(r.result_bytes.empty());
    EXPECT_TRUE(r.has_bytes());
    const report again = replay(r);
    EXPECT_FALSE(again.right);
    EXPECT_NE(again.verdict.find("recorded as failed"), std::string::npos) << again.verdict;
    EXPECT_NE(again.verdict.find("index"), std::string::npos) << "and here as well: " << again.verdict;
}

TEST_F(failing, its_operands_are_those_before_it_ran) {
    const op_record r = record_of("cached-0");
    ASSERT_EQ(r.sources.size(), 3u);
    // The cache and the result are one region: the op works in place.
    EXPECT_EQ(r.sources[2].region, r.result.region);
    EXPECT_EQ(r.sources[2].name, "cache_k");
    const std::vector<uint8_t> &cache = r.regions[r.result.region].data;
    EXPECT_EQ(std::count(cache.begin(), cache.end(), 0), static_cast<ptrdiff_t>(cache.size()))
        << "rows that the kernel had stored before it came to the bad one";
    int64_t index[sample_graph::rows];
    std::memcpy(index, r.regions[r.sources[1].region].data.data() + r.sources[1].offset, sizeof index);
    EXPECT_EQ(index[0], sample_graph::cache_rows - 2);
}

std::vector<uint8_t> one_file() { return contents(files().back()); }

TEST_F(failing, a_file_reads_as_it_was_written) {
    const op_record r = record_of("cached-0");
    bool exists = true;
    const fs::path copy = folder / "copy.hxr";
    ASSERT_EQ(host::write_op_record(r, copy, &exists), "");
    EXPECT_FALSE(exists);
    EXPECT_EQ(contents(copy), one_file());
    EXPECT_NE(host::write_op_record(r, copy, &exists), "") << "a file that exists is not overwritten";
    EXPECT_TRUE(exists);
}

TEST_F(failing, a_file_cut_anywhere_is_refused) {
    const std::vector<uint8_t> whole = one_file();
    for (size_t size = 0; size < whole.size(); size += size < 2000 ? 1 : 97) {
        std::string why;
        const std::vector<uint8_t> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        ASSERT_FALSE(host::parse_op_record(part, &why).has_value()) << size << " of " << whole.size() << " bytes";
        ASSERT_FALSE(why.empty());
    }
    std::vector<uint8_t> longer = whole;
    longer.push_back(0);
    std::string why;
    EXPECT_FALSE(host::parse_op_record(longer, &why).has_value());
}

TEST_F(failing, another_version_is_named) {
    std::vector<uint8_t> file = one_file();
    file[8] = 7;
    std::string why;
    EXPECT_FALSE(host::parse_op_record(file, &why).has_value());
    EXPECT_EQ(why, "has version 7, this program reads version 1");
    file[0] = 'x';
    EXPECT_FALSE(host::parse_op_record(file, &why).has_value());
    EXPECT_EQ(why, "is not a record");
}

// Every word of the descriptor replaced by values that break careless readers: refused, or a record whose operands lie
// within its regions, and then running it ends with an answer.
TEST_F(failing, no_value_anywhere_does_harm) {
    const std::vector<uint8_t> whole = one_file();
    const op_record r = record_of("cached-0");
    size_t data = 0;
    for (const op_record::region &g : r.regions) data += g.data.size();
    const size_t descriptor = whole.size() - data - 8;
    const uint32_t bad[] = {0, 1, 2, 31, 127, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
    size_t accepted = 0;
    for (size_t at = 24; at + 4 <= descriptor; ++at) {
        for (const uint32_t value : bad) {
            std::vector<uint8_t> file = whole;
            std::memcpy(&file[at], &value, sizeof value);
            std::string why;
            const auto parsed = host::parse_op_record(file, &why);
            if (!parsed) continue;
            ++accepted;
            const auto op = rebuilt_op::create(*parsed, &why);
            if (op && parsed->has_bytes()) (void)judge(*parsed, *op, op->run(backend_), false);
        }
    }
    EXPECT_GT(accepted, 100u) << "the names and numbers that may have any value";
}

TEST(rules, every_op_has_one) {
    all_ops::for_each([]<class Op>() { EXPECT_NE(find_rule(Op::name), nullptr) << Op::name; });
}

// Last: nothing is recorded after it.
class recording_ends : public recording {};

TEST_F(recording_ends, a_folder_that_goes_away_costs_one_line_and_no_graph) {
    fs::remove_all(folder);
    std::ofstream(folder) << "a file in its place";
    warnings = 0;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(graph_->run_with_bad_index(), GGML_STATUS_FAILED);
        ASSERT_EQ(graph_->run(), GGML_STATUS_SUCCESS);
    }
    EXPECT_EQ(warnings, 1);
    fs::remove(folder);
    fs::create_directory(folder);
    ASSERT_EQ(graph_->run_with_bad_index(), GGML_STATUS_FAILED);
    EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace hexane::testing

int main(int argc, char **argv) {
    char name[] = "/tmp/hexane-record-XXXXXX";
    if (!mkdtemp(name)) return 1;
    hexane::testing::folder = std::filesystem::path(name) / "made" / "on demand";
    setenv("GGML_HEXAGON_RECORD", hexane::testing::folder.c_str(), 1);
    setenv("GGML_HEXAGON_RECORD_MAX", "2", 1);
    ::testing::InitGoogleTest(&argc, argv);
    (void)ggml_backend_hexagon_reg();
    const int code = RUN_ALL_TESTS();
    std::filesystem::remove_all(name);
    return code;
}
