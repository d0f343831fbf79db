// tests/host/options_page_test.cpp -- docs/options.md has exactly the variables, ranges and defaults that host/options.cpp has.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "host/options.h"

namespace hexane::host {
namespace {

const std::filesystem::path page = std::filesystem::path(__FILE__).parent_path() / "../../docs/options.md";

// Rows of the page's table of the plug-in's variables: those of four columns that begin with one of them.
std::set<std::string> rows_of_page() {
    std::set<std::string> rows;
    std::ifstream in(page);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("| `GGML_HEXAGON_", 0) == 0) rows.insert(line);
    }
    return rows;
}

TEST(options_page, has_the_rows_of_the_table) {
    std::set<std::string> rows = rows_of_page();
    ASSERT_FALSE(rows.empty()) << page << " cannot be read";
    for (const option_help &o : option_table()) {
        const std::string row =
            "| `" + std::string(o.name) + "` | " + o.allowed + " | " + o.fallback + " | " + o.meaning + " |";
        EXPECT_EQ(rows.erase(row), 1u) << "docs/options.md lacks this row:\n" << row;
    }
    for (const std::string &row : rows) ADD_FAILURE() << "docs/options.md has a row that is not true:\n" << row;
}

}  // namespace
}  // namespace hexane::host
