// host/option_names.cpp
#include "host/option_names.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "host/options.h"

namespace hexane::host {

namespace {

constexpr std::string_view prefix = "GGML_HEXAGON_";

// What the plug-in and the virtual driver read.
std::vector<std::string> known_names() {
    std::vector<std::string> names{"GGML_HEXAGON_VIRTUAL", "GGML_HEXAGON_VIRTUAL_LAUNCHER"};
    for (const option_help &o : option_table()) names.emplace_back(o.name);
    return names;
}

// Levenshtein's distance: insertions, deletions and replacements from one to the other.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

std::vector<std::string> lines_about_names(const std::vector<std::string> &names) {
    const std::vector<std::string> known = known_names();
    std::vector<std::string> lines;
    for (const std::string &name : names) {
        if (!name.starts_with(prefix) || std::find(known.begin(), known.end(), name) != known.end()) continue;
        const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto &a, const auto &b) {
            return distance(name, a) < distance(name, b);
        });
        lines.push_back(name + " is not a variable that is read; the nearest is " + *nearest + " (docs/options.md)");
    }
    return lines;
}

std::vector<std::string> environment_names() {
    std::vector<std::string> names;
    for (char **entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
}

}  // namespace hexane::host
