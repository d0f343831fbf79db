// tests/virtual/dma_descriptor_test.cpp -- decoding against words that were written by hand from the documented bit fields.
#include <gtest/gtest.h>

#include <string.h>

#include <vector>

#include "virtual/session/dma_copy.h"
#include "virtual/session/dma_descriptor_decode.h"

namespace {

using namespace hexane;
using namespace hexane::virt;

constexpr arch all_archs[] = {arch::v73, arch::v75, arch::v79, arch::v81};

const char *decode(arch a, const std::vector<uint32_t> &w, dma_work *work, uint64_t address = 0x20000000) {
    return decode_descriptor(a, address, w.data(), work);
}

TEST(dma_descriptor_test, linear) {
    for (const arch a : all_archs) {
        dma_work w;
        ASSERT_EQ(decode(a, {0x30000040, 0x30012345, 0x11112222, 0x33334444}, &w), nullptr);
        EXPECT_EQ(w.next, 0x30000040u);
        EXPECT_EQ(w.row_bytes, 0x12345u);
        EXPECT_EQ(w.rows, 1u);
        EXPECT_EQ(w.src, 0x11112222u);
        EXPECT_EQ(w.dst, 0x33334444u);
        EXPECT_TRUE(w.is_contiguous());
    }
}

TEST(dma_descriptor_test, box_of_v73_has_16_bit_fields) {
    dma_work w;
    // row size 0x0102, rows 0x0304, source stride 0x1112, destination stride 0x1314
    ASSERT_EQ(decode(arch::v73, {0, 0x31000000, 0x1000, 0x2000, 0, 0x03040102, 0x13141112, 0}, &w), nullptr);
    EXPECT_EQ(w.row_bytes, 0x102u);
    EXPECT_EQ(w.rows, 0x304u);
    EXPECT_EQ(w.src_stride, 0x1112u);
    EXPECT_EQ(w.dst_stride, 0x1314u);
    EXPECT_EQ(w.src_extent(), 0x303u * 0x1112 + 0x102);
    EXPECT_EQ(w.dst_extent(), 0x303u * 0x1314 + 0x102);
}

TEST(dma_descriptor_test, box_of_v75_and_later_has_24_bit_fields) {
    for (const arch a : {arch::v75, arch::v79, arch::v81}) {
        dma_work w;
        // row size 0x010203, rows 0x0504, source stride 0x212223, destination stride 0x313233
        ASSERT_EQ(decode(a, {0, 0x31313233, 0x1000, 0x2000, 9, 0x04010203, 0x21222305, 0}, &w), nullptr);
        EXPECT_EQ(w.row_bytes, 0x010203u);
        EXPECT_EQ(w.rows, 0x0504u);
        EXPECT_EQ(w.src_stride, 0x212223u);
        EXPECT_EQ(w.dst_stride, 0x313233u);
    }
}

TEST(dma_descriptor_test, v81_has_40_bit_addresses) {
    dma_work w;
    const std::vector<uint32_t> words = {0, 0x31000100, 0x1000, 0x2000, 0x0003020a, 0x01000100, 0x00010000, 0};
    ASSERT_EQ(decode(arch::v81, words, &w), nullptr);
    EXPECT_EQ(w.src, 0x02'0000'1000u);
    EXPECT_EQ(w.dst, 0x03'0000'2000u);
    EXPECT_NE(decode(arch::v79, words, &w), nullptr);
}

TEST(dma_descriptor_test, broken_rules_are_found) {
    dma_work w;
    for (const arch a : all_archs) {
        EXPECT_NE(decode(a, {0, 0x30000000, 0, 0}, &w), nullptr) << "length 0";
        EXPECT_NE(decode(a, {1, 0x30000010, 0, 0}, &w), nullptr) << "state bits";
        EXPECT_NE(decode(a, {0, 0x34000010, 0, 0}, &w), nullptr) << "compression";
        EXPECT_NE(decode(a, {0, 0x10000010, 0, 0}, &w), nullptr) << "no bypass";
        EXPECT_NE(decode(a, {0, 0xb0000010, 0, 0}, &w), nullptr) << "done already";
        EXPECT_NE(decode(a, {0, 0x32000010, 0, 0, 0, 0, 0, 0}, &w), nullptr) << "kind 2";
        EXPECT_NE(decode(a, {0, 0x30000010, 0, 0}, &w, 0x20000008), nullptr) << "alignment of 16";
    }
    const std::vector<uint32_t> v73 = {0, 0x31000000, 0x1000, 0x2000, 0, 0x00020010, 0x00100010, 0};
    const std::vector<uint32_t> v75 = {0, 0x31000010, 0x1000, 0x2000, 9, 0x02000010, 0x00001000, 0};
    ASSERT_EQ(decode(arch::v73, v73, &w), nullptr);
    ASSERT_EQ(decode(arch::v75, v75, &w), nullptr);
    EXPECT_NE(decode(arch::v73, v73, &w, 0x20000010), nullptr) << "alignment of 32";
    EXPECT_NE(decode(arch::v75, v73, &w), nullptr) << "the dialect of v73";
    EXPECT_NE(decode(arch::v73, v75, &w), nullptr) << "the dialect of v75";
    for (const auto &[word, bits] : {std::pair{1, 1u}, {4, 9u}, {7, 1u}}) {
        auto broken = v73;
        broken[word] |= bits;
        EXPECT_NE(decode(arch::v73, broken, &w), nullptr) << "v73 word " << word;
    }
    for (const auto &[word, bits] : {std::pair{4, 0x100u}, {4, 2u}, {4, 0x01000000u}, {7, 1u}, {7, 0x80000000u}}) {
        auto broken = v75;
        broken[word] |= bits;
        for (const arch a : {arch::v75, arch::v79, arch::v81})
            EXPECT_NE(decode(a, broken, &w), nullptr) << "word " << word;
    }
    auto overlapping = v73;
    overlapping[6] = 0x00080010;
    EXPECT_NE(decode(arch::v73, overlapping, &w), nullptr) << "destination rows overlap";
    auto empty = v73;
    empty[5] = 0x00000010;
    EXPECT_NE(decode(arch::v73, empty, &w), nullptr) << "no rows";
}

TEST(dma_descriptor_test, copies_of_every_row_size) {
    for (const uint32_t row_bytes : {1, 2, 3, 4, 8, 16, 32, 64, 100, 128, 300}) {
        for (const auto &[src_gap, dst_gap] : {std::pair{0u, 0u}, {0u, 5u}, {12u, 0u}, {3u, 7u}}) {
            constexpr uint32_t rows = 13;
            const uint32_t src_stride = row_bytes + src_gap, dst_stride = row_bytes + dst_gap;
            std::vector<uint8_t> src(rows * src_stride), dst(rows * dst_stride, 0xee);
            for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<uint8_t>(i * 5 + 1);
            copy_rows({reinterpret_cast<uint64_t>(dst.data()), reinterpret_cast<uint64_t>(src.data()), row_bytes, rows,
                       dst_stride, src_stride, 0});
            for (uint32_t r = 0; r < rows; ++r) {
                ASSERT_EQ(memcmp(&dst[r * dst_stride], &src[r * src_stride], row_bytes), 0);
                for (uint32_t i = row_bytes; i < dst_stride; ++i) ASSERT_EQ(dst[r * dst_stride + i], 0xee);
            }
        }
    }
}

}  // namespace
