// tests/host/aee_text_test.cpp
#include "host/aee_text.h"

#include <gtest/gtest.h>

namespace hexane::host {
namespace {

TEST(aee_text, says_which_side_and_what) {
    EXPECT_EQ(aee_text(static_cast<int>(0x80000406)).find("0x80000406: NPU: could not load the library"), 0u);
    EXPECT_NE(aee_text(0x72).find("connection refused"), std::string::npos);
    EXPECT_NE(aee_text(0x14).find("unsupported request"), std::string::npos);
    EXPECT_NE(aee_text(104).find("died"), std::string::npos);
    EXPECT_NE(aee_text(0x7777).find("not known"), std::string::npos);
}

}  // namespace
}  // namespace hexane::host
