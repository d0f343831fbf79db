// tests/host/tile_map_test.cpp -- which tensors are tiled, where views of them begin, and the way back to blocks.
#include "host/tile_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ggml.h"

namespace hexane::host {
namespace {

class tile_map_test : public testing::Test {
  protected:
    void SetUp() override { context_ = ggml_init({4u << 20, nullptr, true}); }
    void TearDown() override { ggml_free(context_); }
    ggml_tensor *q4(int64_t k, int64_t rows, int64_t slices = 1) {
        return ggml_new_tensor_3d(context_, GGML_TYPE_Q4_0, k, rows, slices);
    }
    ggml_context *context_ = nullptr;
};

TEST_F(tile_map_test, quantised_matrices_can_be_tiled) {
    EXPECT_TRUE(tileable(*q4(64, 2)));
    EXPECT_FALSE(tileable(*q4(64, 1)));
    EXPECT_FALSE(tileable(*ggml_new_tensor_2d(context_, GGML_TYPE_F16, 64, 64)));
    EXPECT_FALSE(tileable(*ggml_new_tensor_2d(context_, GGML_TYPE_Q5_0, 64, 64)));
    EXPECT_FALSE(tileable(*ggml_view_2d(context_, q4(64, 64), 64, 32, 36, 0)));
}

TEST_F(tile_map_test, finds_by_any_byte_and_forgets_what_is_overwritten) {
    tile_map m;
    const formats::tiled_shape shape = *tileable(*q4(64, 64));
    m.decide({4096, shape, true});
    EXPECT_TRUE(m.any_tiled());
    EXPECT_FALSE(m.find(4095));
    EXPECT_TRUE(m.find(4096));
    EXPECT_TRUE(m.find(4096 + shape.tiled_bytes() - 1));
    EXPECT_FALSE(m.find(4096 + shape.tiled_bytes()));
    m.place(4096, shape.tiled_bytes(), shape);
    EXPECT_TRUE(m.is_decided(4096)) << "the same tensor again";
    m.place(4096 + 128, 64, std::nullopt);
    EXPECT_FALSE(m.is_decided(4096)) << "another tensor lies there now";
    m.decide({0, shape, false});
    EXPECT_FALSE(m.any_tiled());
    EXPECT_TRUE(m.is_decided(0));
    EXPECT_FALSE(m.find(0));
}

TEST_F(tile_map_test, views_of_whole_bands_have_a_place) {
    ggml_tensor *t = q4(64, 96);
    const decided_region r{1024, *tileable(*t), true};
    const uint64_t row = 36;
    const auto at = [&](int64_t k, int64_t rows, uint64_t first_row) {
        return tiled_view_offset(r, *ggml_view_2d(context_, t, k, rows, row, first_row * row), 1024 + first_row * row);
    };
    EXPECT_EQ(at(64, 96, 0), 1024u);
    EXPECT_EQ(at(64, 32, 64), 1024 + 64 * row);
    EXPECT_EQ(at(64, 20, 32), 1024 + 32 * row) << "the last band of a view may be partial";
    EXPECT_FALSE(at(64, 32, 1));
    EXPECT_FALSE(at(32, 32, 0));
}

TEST_F(tile_map_test, views_of_padded_slices_have_a_place) {
    ggml_tensor *t = q4(64, 40, 3);
    const decided_region r{0, *tileable(*t), true};
    const uint64_t slice = 40 * 36;
    EXPECT_EQ(tiled_view_offset(r, *ggml_view_2d(context_, t, 64, 40, 36, slice), slice), 64u * 36);
    EXPECT_EQ(tiled_view_offset(r, *ggml_view_3d(context_, t, 64, 40, 2, 36, slice, slice), slice), 64u * 36);
    EXPECT_FALSE(tiled_view_offset(r, *ggml_reshape_2d(context_, t, 64, 120), 0)) << "rows across the padding";
    EXPECT_FALSE(tiled_view_offset(r, *ggml_view_2d(context_, t, 64, 40, 36, 32 * 36), 32 * 36));
}

TEST_F(tile_map_test, back_to_blocks_in_place) {
    for (const auto &[k, rows, slices] : {std::tuple{64, 64, 1}, {288, 33, 1}, {32, 2, 5}, {320, 70, 3}}) {
        const formats::tiled_shape shape = *tileable(*q4(k, rows, slices));
        std::mt19937 random(1);
        std::vector<uint8_t> blocks(shape.ggml_bytes()), memory(shape.tiled_bytes());
        for (uint8_t &b : blocks) b = static_cast<uint8_t>(random());
        formats::tiled_tensor tiles(shape, memory.data());
        tiles.clear_padding();
        tiles.set(blocks.data(), 0, blocks.size());
        untile(shape, memory.data());
        EXPECT_EQ(0, std::memcmp(memory.data(), blocks.data(), blocks.size())) << k << "x" << rows << "x" << slices;
    }
}

}  // namespace
}  // namespace hexane::host
