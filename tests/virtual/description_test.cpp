// tests/virtual/description_test.cpp -- the grammar of GGML_HEXAGON_VIRTUAL.
#include <gtest/gtest.h>

#include "virtual/description/device_description.h"

namespace {

using namespace hexane;
using namespace hexane::virt;

TEST(description_test, defaults) {
    const auto [d, complaints] = parse_description("");
    EXPECT_TRUE(complaints.empty());
    EXPECT_EQ(d.arch, arch::v79);
    EXPECT_GE(d.n_threads, 1u);
    EXPECT_LE(d.n_threads, 16u);
    EXPECT_EQ(d.n_cores, 1u);
    EXPECT_EQ(d.n_hmx, 0u);
    EXPECT_EQ(d.vtcm_bytes, 8u << 20);
    EXPECT_EQ(d.window_bytes, 3200ull << 20);
    EXPECT_EQ(parse_description("v73").device.window_bytes, 3000ull << 20);
}

TEST(description_test, everything) {
    const auto [d, complaints] = parse_description(
        "v73,threads=6,vtcm=1M,cores=2,hmx=1,window=2G,mode=fast,level=v3,inplace=0,discovery=0,log=error,op_ms=7,wait_for_debugger");
    EXPECT_TRUE(complaints.empty()) << complaints[0];
    EXPECT_EQ(d.arch, arch::v73);
    EXPECT_EQ(d.n_threads, 6u);
    EXPECT_EQ(d.vtcm_bytes, 1u << 20);
    EXPECT_EQ(d.n_cores, 2u);
    EXPECT_EQ(d.n_hmx, 1u);
    EXPECT_EQ(d.window_bytes, 2ull << 30);
    EXPECT_EQ(d.level, library_level::v3);
    EXPECT_EQ(d.in_place | d.discovery, 0u);
    EXPECT_EQ(d.log_level, 3u);
    EXPECT_EQ(d.wait_for_debugger, 1u);
    EXPECT_EQ(d.op_ms, 7u);
    EXPECT_EQ(parse_description("arch=v81,vtcm=524288").device.vtcm_bytes, 512u << 10);
}

TEST(description_test, qemu_is_v73) {
    for (const char *text : {"qemu", "mode=qemu", "threads=2,qemu", "v73,qemu"}) {
        const auto [d, complaints] = parse_description(text);
        EXPECT_TRUE(complaints.empty()) << complaints[0];
        EXPECT_EQ(d.mode, session_mode::qemu) << text;
        EXPECT_EQ(d.arch, arch::v73) << text;
        EXPECT_EQ(d.window_bytes, 3000ull << 20) << text;
    }
    EXPECT_EQ(parse_description("mode=fast").device.mode, session_mode::fast);
    EXPECT_EQ(parse_description("qemu,threads=3").device.n_threads, 3u);
    const auto [d, complaints] = parse_description("v79,qemu");
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_NE(complaints[0].find("v79"), std::string::npos);
    EXPECT_EQ(d.arch, arch::v73);
}

TEST(description_test, strict_mode_and_its_seed) {
    for (const char *text : {"strict", "mode=strict", "v73,strict,threads=2"})
        EXPECT_EQ(parse_description(text).device.mode, session_mode::strict) << text;
    EXPECT_EQ(parse_description("strict").device.seed, 1u);
    EXPECT_EQ(parse_description("seed=4294967295,strict").device.seed, UINT32_MAX);
}

TEST(description_test, faults_are_named_and_go_with_any_mode) {
    EXPECT_EQ(parse_description("").device.faulty, 0u);
    EXPECT_EQ(parse_description("faulty").device.faulty, all_faults);
    EXPECT_EQ(parse_description("mode=faulty").device.faulty, all_faults);
    EXPECT_EQ(parse_description("mode=faulty").device.mode, session_mode::fast);
    const auto strict = parse_description("strict,faulty=drop+kill,fault_rate=30,fault_calls=7,seed=2").device;
    EXPECT_EQ(strict.mode, session_mode::strict);
    EXPECT_EQ(strict.faulty, uint32_t{fault_drop | fault_kill});
    EXPECT_EQ(strict.fault_rate, 30u);
    EXPECT_EQ(strict.fault_calls, 7u);
    EXPECT_EQ(parse_description("faulty=open+map+alloc+delay+drop+code+kill+corrupt").device.faulty, all_faults);
    for (const char *text : {"faulty=drop,mode=faulty", "mode=faulty,faulty=drop"})
        EXPECT_EQ(parse_description(text).device.faulty, uint32_t{fault_drop}) << text;
    EXPECT_TRUE(parse_description("qemu,faulty").complaints.empty());
    EXPECT_STREQ(to_string(fault_corrupt), "corrupt");
}

TEST(description_test, bad_items_are_named_and_ignored) {
    for (const char *text : {"v80",
                             "v",
                             "threads=0",
                             "threads=17",
                             "threads=",
                             "threads",
                             "threads=2x",
                             "vtcm=1T",
                             "vtcm=1",
                             "cores=9",
                             "hmx=-1",
                             "window=4G",
                             "seed=-1",
                             "op_ms=60001",
                             "seed=4294967296",
                             "mode=broken",
                             "faulty=",
                             "faulty=drop+",
                             "faulty=drop+lie",
                             "faulty=drop|kill",
                             "fault_rate=0",
                             "fault_rate=101",
                             "fault_calls=-1",
                             "mode=",
                             "level=v5",
                             "log=loud",
                             "inplace=2",
                             "colour=red",
                             "=",
                             "threads=99999999999999999999",
                             "wait_for_debugger=maybe"}) {
        const auto [d, complaints] = parse_description(text);
        ASSERT_EQ(complaints.size(), 1u) << text;
        EXPECT_NE(complaints[0].find("GGML_HEXAGON_VIRTUAL"), std::string::npos);
        EXPECT_NE(complaints[0].find(text), std::string::npos);
        EXPECT_EQ(d.arch, arch::v79);
        EXPECT_EQ(d.vtcm_bytes, 8u << 20);
        EXPECT_EQ(d.faulty, 0u);
        EXPECT_EQ(d.fault_rate, 5u);
    }
    const auto [d, complaints] = parse_description("v75,threads=99,vtcm=2M");
    EXPECT_EQ(complaints.size(), 1u);
    EXPECT_EQ(d.arch, arch::v75);
    EXPECT_EQ(d.vtcm_bytes, 2u << 20);
    EXPECT_TRUE(parse_description(",,v75,").complaints.empty());
}

}  // namespace
