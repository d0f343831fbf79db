// tests/host/device_spec_test.cpp
#include "host/device_spec.h"

#include <gtest/gtest.h>

namespace hexane::host {
namespace {

TEST(device_spec, a_number_is_that_many_sessions_of_core_0) {
    const device_list l = parse_device_list("3");
    ASSERT_EQ(l.problem, "");
    ASSERT_EQ(l.devices.size(), 3u);
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(l.devices[i].name, "HTP" + std::to_string(i));
        EXPECT_EQ(l.devices[i].core, 0u);
        EXPECT_EQ(l.devices[i].virtual_session, i);
    }
}

TEST(device_spec, lists_name_core_and_session) {
    const device_list l = parse_device_list(" HTP1 , HTP0:2,HTP0");
    ASSERT_EQ(l.problem, "");
    ASSERT_EQ(l.devices.size(), 3u);
    EXPECT_EQ(l.devices[0].core, 1u);
    EXPECT_EQ(l.devices[1].name, "HTP0:2");
    EXPECT_EQ(l.devices[1].core, 0u);
    EXPECT_EQ(l.devices[1].virtual_session, 2u);
}

TEST(device_spec, groups_are_understood) {
    const device_list l = parse_device_list("HTP0[0-2,5],NPU:1[1,0],x[3:2]");
    ASSERT_EQ(l.problem, "");
    ASSERT_EQ(l.devices.size(), 3u);
    EXPECT_EQ(l.devices[0].members, (std::vector<uint32_t>{0, 1, 2, 5}));
    EXPECT_EQ(l.devices[1].name, "NPU:1");
    EXPECT_EQ(l.devices[1].virtual_session, 1u);
    EXPECT_EQ(l.devices[1].core, 1u);
    EXPECT_EQ(l.devices[2].virtual_session, 2u);
}

TEST(device_spec, what_is_wrong_is_refused_as_a_whole) {
    for (const char *text :
         {"",
          " ",
          ",",
          "0",
          "16",  // llama.cpp aborts with more than 16 backends, the CPU included
          "17",
          "-1",
          "HTP",
          "HTPx",
          "HTP0x",
          "HTP0:",
          "HTP0:x",
          "HTP:1",
          "HTP16",
          "HTP0:16",
          "htp0",
          "HTP0,",
          "HTP0,,HTP1",
          "HTP0,HTP0",
          "HTP0,HTP0:0",
          "HTP0[",
          "HTP0[]",
          "HTP0[0-1",
          "HTP0]",
          "[0]",
          "G[x]",
          "G[3-1]",
          "G[0-999999999]",
          "G[0,0]",
          "G[0:x]",
          "G[0-16]",
          "G[0]x",
          "1,HTP0",
          "18446744073709551617",
          "HTP0,HTP1,HTP2,HTP3,HTP4,HTP5,HTP6,HTP7,HTP8,HTP9,HTP10,HTP11,HTP12,HTP13,HTP14,HTP15,HTP0:1"}) {
        EXPECT_NE(parse_device_list(text).problem, "") << "'" << text << "'";
    }
}

}  // namespace
}  // namespace hexane::host
