// tests/host/options_test.cpp -- every variable: bad values get one line and the default, good ones arrive.
#include "host/options.h"

#include <gtest/gtest.h>

#include <map>

#include "host/option_names.h"

namespace hexane::host {
namespace {

using values = std::map<std::string, std::string>;

struct reading {
    options o;
    std::vector<std::string> warnings, infos;
};

reading read(const values &env) {
    reading r;
    r.o = read_options(
        [&](const char *name) {
            const auto found = env.find(name);
            return found == env.end() ? nullptr : found->second.c_str();
        },
        [&](log_level level, const std::string &line) {
            (level == log_level::warn ? r.warnings : r.infos).push_back(line);
        });
    return r;
}

std::string name(const std::string &suffix) { return "GGML_HEXAGON_" + suffix; }

struct bad_value {
    const char *variable, *value;
};

class bad_values : public testing::TestWithParam<bad_value> {};

TEST_P(bad_values, give_one_line_and_the_default) {
    const auto [variable, value] = GetParam();
    const reading r = read({{name(variable), value}});
    ASSERT_EQ(r.warnings.size(), 1u) << variable << "='" << value << "'";
    EXPECT_NE(r.warnings[0].find(name(variable) + "='" + value + "'"), std::string::npos) << r.warnings[0];
    EXPECT_NE(r.warnings[0].find("allowed:"), std::string::npos);
    EXPECT_EQ(r.warnings[0].find('\n'), std::string::npos);
    const options d;
    EXPECT_EQ(r.o.devices.size(), 1u);
    EXPECT_EQ(r.o.devices[0].name, "HTP0");
    EXPECT_EQ(r.o.ops_per_batch, d.ops_per_batch);
    EXPECT_EQ(r.o.queue_depth, d.queue_depth);
    EXPECT_EQ(r.o.window_bytes, d.window_bytes);
    EXPECT_EQ(r.o.max_buffer_bytes, d.max_buffer_bytes);
    EXPECT_EQ(r.o.arch, d.arch);
    EXPECT_EQ(r.o.profile, d.profile);
    EXPECT_EQ(r.o.tiles, d.tiles);
    EXPECT_EQ(r.o.deadline_seconds, d.deadline_seconds);
    EXPECT_EQ(r.o.record_folder, d.record_folder);
    EXPECT_EQ(r.o.record_copies, d.record_copies);
    EXPECT_EQ(r.o.record_bytes, d.record_bytes);
    EXPECT_FALSE(r.o.filter.has_value());
}

const bad_value bad[] = {
    {"DEVICES", ""},
    {"DEVICES", "HTPx,HTP0:"},
    {"DEVICES", "0"},
    {"DEVICES", "17"},
    {"DEVICES", "HTP0[0-1]"},
    {"DEVICES", "HTP[0,1]"},
    {"DEVICES", "HTP0[0-"},
    {"DEVICES", "G[0-99999999]"},
    {"DEVICES", "HTP0,HTP0"},
    {"DEVICES", "-1"},
    {"DEVICES", "99999999999999999999"},
    {"NDEV", ""},
    {"NDEV", "many"},
    {"ARCH", "v72"},
    {"ARCH", "vv79"},
    {"ARCH", ""},
    {"VMEM", "-1"},
    {"VMEM", "4GB"},
    {"VMEM", "999999999"},
    {"VMEM", ""},
    {"MBUF", "0"},
    {"MBUF", "x"},
    {"OPBATCH", "0"},
    {"OPBATCH", "4097"},
    {"OPBATCH", "1e3"},
    {"OPQUEUE", "0"},
    {"OPQUEUE", "257"},
    {"OPPOLL", "2"},
    {"OPFUSION", "all"},
    {"OPFUSION", "128"},
    {"OPFUSION", "-2"},
    {"OPFUSION", ""},
    {"OPFUSION", "RMS_NORM+MUL,"},
    {"OPFUSION", "RMS_NORM+MUL 1"},
    {"OPFILTER", "["},
    {"OPFILTER", "("},
    {"OPFILTER", "*"},
    {"OPFILTER", ""},
    {"OPFILTER", "(a?){30000}"},
    {"OPFILTER", "(a)\\1"},
    {"VERBOSE", "10"},
    {"VERBOSE", "yes"},
    {"PROFILE", "abc"},
    {"PROFILE", "4"},
    {"PROFILE", "1,2"},
    {"PROFILE", ""},
    {"PROFILE", "1,2,3,4,5,6,7,8,9"},
    {"PROFILE", "1,2,3,4,5,6,7,"},
    {"OPTRACE", "0"},
    {"OPTRACE", "1048577"},
    {"ETM", "2"},
    {"NHVX", "17"},
    {"NHVX", "all"},
    {"NHMX", "2"},
    {"MM_SELECT", "3"},
    {"FA_SELECT", "-1"},
    {"GDN_SELECT", "x"},
    {"AR_SELECT", "3"},
    {"HOSTBUF", "yes"},
    {"DMA64", "2"},
    {"DRIVER", ""},
    {"TILES", "some"},
    {"TILES", ""},
    {"DEADLINE", "0"},
    {"DEADLINE", "86401"},
    {"STATS", ""},
    {"RECORD", ""},
    {"RECORD_MAX", "-1"},
    {"RECORD_MAX", "1000001"},
    {"RECORD_MIB", "0"},
    {"RECORD_MIB", "257"},
};
INSTANTIATE_TEST_SUITE_P(options, bad_values, testing::ValuesIn(bad));

TEST(options, a_group_is_refused_in_one_sentence) {
    const reading r = read({{name("DEVICES"), "HTP[0,1]"}});
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_NE(r.warnings[0].find("(groups of cores, in brackets, are not available yet);"), std::string::npos)
        << r.warnings[0];
}

// Every variable of the table appears above.
TEST(options, every_variable_has_a_bad_value_or_takes_any_text) {
    EXPECT_EQ(option_table().size(), 29u);
    for (const option_help &h : option_table()) {
        const bool tried =
            std::any_of(std::begin(bad), std::end(bad), [&](const bad_value &b) { return name(b.variable) == h.name; });
        EXPECT_TRUE(tried) << h.name;
    }
}

TEST(options, nothing_set_says_nothing) {
    const reading r = read({});
    EXPECT_TRUE(r.warnings.empty() && r.infos.empty());
    EXPECT_EQ(r.o.devices.size(), 1u);
}

TEST(options, good_values_arrive) {
    const reading r = read({{name("DEVICES"), "HTP0, HTP0:1"},
                            {name("ARCH"), "V81"},
                            {name("VMEM"), "0x400"},
                            {name("MBUF"), "512"},
                            {name("OPBATCH"), "7"},
                            {name("OPQUEUE"), "2"},
                            {name("OPPOLL"), "1"},
                            {name("OPFILTER"), "mul_.*"},
                            {name("PROFILE"), "0x3,0x111,0x100,0x105,0x240,0x256,0x7D,0x8C"},
                            {name("NHVX"), "3"},
                            {name("NHMX"), "0"},
                            {name("TILES"), "all"},
                            {name("DEADLINE"), "5"},
                            {name("STATS"), "/tmp/x.json"},
                            {name("DRIVER"), "/x.so"}});
    EXPECT_TRUE(r.warnings.empty());
    EXPECT_EQ(r.o.devices.size(), 2u);
    EXPECT_EQ(r.o.arch, 81u);
    EXPECT_EQ(r.o.window_bytes, 1024ull << 20);
    EXPECT_EQ(r.o.max_buffer_bytes, 512ull << 20);
    EXPECT_EQ(r.o.ops_per_batch, 7u);
    EXPECT_TRUE(r.o.poll);
    EXPECT_TRUE(std::regex_match("MUL_MAT", *r.o.filter));
    EXPECT_EQ(r.o.profile, profile_mode::counters);
    EXPECT_EQ(r.o.counter_events.size(), 8u);
    EXPECT_EQ(r.o.n_hvx, 3u);
    EXPECT_EQ(r.o.n_hmx, 0u);
    EXPECT_EQ(r.o.tiles, tile_policy::all);
    EXPECT_EQ(r.o.driver, "/x.so");
}

// A matcher that tries one way after the other would not come back.
TEST(options, no_filter_takes_for_ever) {
    const reading r = read({{name("OPFILTER"), "((((((.*)*)*)*)*)*)X|(MUL){1,16}"}});
    ASSERT_TRUE(r.warnings.empty());
    EXPECT_FALSE(std::regex_match("GATED_LINEAR_ATTENTION", *r.o.filter));
    EXPECT_TRUE(std::regex_match("MULMUL", *r.o.filter));
}

TEST(options, without_a_use_they_are_accepted_with_one_line) {
    for (const char *suffix : {"ETM", "HOSTBUF", "DMA64", "FA_SELECT", "GDN_SELECT", "AR_SELECT"}) {
        const reading r = read({{name(suffix), "1"}});
        EXPECT_TRUE(r.warnings.empty());
        ASSERT_EQ(r.infos.size(), 1u) << suffix;
        EXPECT_NE(r.infos[0].find(name(suffix)), std::string::npos);
    }
}

TEST(options, fusions_by_number_and_by_name) {
    const auto mask = [](const char *value) {
        const reading r = read({{name("OPFUSION"), value}});
        EXPECT_TRUE(r.warnings.empty() && r.infos.empty()) << value;
        return r.o.fusions;
    };
    EXPECT_EQ(read({}).o.fusions, fusion::every_rule);
    EXPECT_EQ(mask("1"), fusion::every_rule);
    EXPECT_EQ(mask("0"), 0u);
    EXPECT_EQ(mask("-1"), 0u);
    EXPECT_EQ(mask("RMS_NORM+MUL"), 1u);
    EXPECT_EQ(mask("4"), 1u) << "the bit that Hexagon users know";
    EXPECT_EQ(mask("127"), 1u);
    EXPECT_EQ(mask("2"), 0u) << "the bit of another fusion";
    EXPECT_EQ(mask("123"), 0u) << "all bits but that one";
}

TEST(options, an_unknown_fusion_is_named) {
    const reading r = read({{name("OPFUSION"), "RMS_NORM+MUL,SOFT+WARE"}});
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_EQ(r.warnings[0],
              "GGML_HEXAGON_OPFUSION='RMS_NORM+MUL,SOFT+WARE' is not usable (there is no fusion "
              "'SOFT+WARE'); allowed: -1 .. 127, or names separated by commas: RMS_NORM+MUL; using the "
              "default: 1");
    EXPECT_EQ(r.o.fusions, fusion::every_rule);
}

TEST(options, the_old_name_of_devices_gives_way) {
    EXPECT_EQ(read({{name("NDEV"), "3"}}).o.devices.size(), 3u);
    EXPECT_EQ(read({{name("NDEV"), "3"}, {name("DEVICES"), "2"}}).o.devices.size(), 2u);
}

TEST(option_names, a_misspelt_one_gets_a_line_with_the_nearest) {
    const std::vector<std::string> lines =
        lines_about_names({"PATH", "GGML_HEXAGON_DEVICE", "GGML_HEXAGON_VIRTUAL", "GGML_HEXAGON_STATS",
                           "GGML_HEXAGON_OPBACH", "GGML_HEXAGON_"});
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_NE(lines[0].find("GGML_HEXAGON_DEVICE is not"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("the nearest is GGML_HEXAGON_DEVICES "), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("the nearest is GGML_HEXAGON_OPBATCH "), std::string::npos) << lines[1];
    for (const option_help &o : option_table()) EXPECT_TRUE(lines_about_names({o.name}).empty()) << o.name;
}

}  // namespace
}  // namespace hexane::host
