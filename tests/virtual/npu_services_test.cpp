// tests/virtual/npu_services_test.cpp -- QuRT, HAP and the DMA engine, tried from inside a session by the stand-in library.
#include <gtest/gtest.h>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;

// Line of stand_in.cpp at which the check failed, 0 when it passed.
check_result run(const char *device, check which) {
    describe_device(device);
    open_session s;
    check_result r{1, 0};
    if (s.error == 0) (void)s.call(run_check, static_cast<uint32_t>(which), &r);
    return r;
}

TEST(npu_services_test, vtcm) {
    const check_result r = run("v79,vtcm=1M", check_vtcm);
    EXPECT_EQ(r.failed_line, 0u);
    EXPECT_EQ(r.value, 1u << 20);
}

TEST(npu_services_test, power_votes) { EXPECT_EQ(run("v79", check_power).failed_line, 0u); }

TEST(npu_services_test, threads) {
    const check_result r = run("v79,threads=6", check_threads);
    EXPECT_EQ(r.failed_line, 0u);
    EXPECT_EQ(r.value, 6u);
}

TEST(npu_services_test, heap) { EXPECT_EQ(run("v79", check_heap).failed_line, 0u); }
TEST(npu_services_test, counters) { EXPECT_EQ(run("v79", check_counters).failed_line, 0u); }

TEST(npu_services_test, dma) {
    for (const char *arch : {"v73", "v75", "v79", "v81"}) {
        const check_result r = run(arch, check_dma);
        EXPECT_EQ(r.failed_line, 0u) << arch;
        EXPECT_EQ(r.value, 1u) << "a read-only transfer is served in place";
    }
    const check_result copied = run("v79,inplace=0", check_dma);
    EXPECT_EQ(copied.failed_line, 0u);
    EXPECT_EQ(copied.value, 0u);
}

}  // namespace
