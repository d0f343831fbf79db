// tests/formats/tiled_tensor_test.cpp -- tiles against a model that is written from the definition, byte by byte, and
// against themselves.
#include "formats/tiled_tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "formats/q4_0.h"
#include "formats/q8_0.h"

namespace hexane::formats {
namespace {

struct shape_case {
    data_type type;
    uint64_t k, rows, slices;
};

class tiles : public testing::TestWithParam<shape_case> {
  protected:
    static constexpr uint8_t untouched = 0xa5;

    tiles()
        : shape{GetParam().type, GetParam().k, GetParam().rows, GetParam().slices},
          memory(shape.tiled_bytes() + 2 * guard, untouched),
          tensor(shape, memory.data() + guard),
          bytes(shape.ggml_bytes()) {
        std::mt19937 random(1);
        for (uint8_t &b : bytes) b = static_cast<uint8_t>(random());
    }

    ~tiles() override {
        for (size_t i = 0; i < guard; ++i) {
            EXPECT_EQ(memory[i], untouched) << "wrote before the tiles";
            EXPECT_EQ(memory[memory.size() - 1 - i], untouched) << "wrote behind the tiles";
        }
    }

    // Where byte `i` of ggml's layout lies, from the description in formats/tile.h alone.
    uint64_t place(uint64_t i) const {
        const uint64_t quants = shape.type == data_type::q4_0 ? 16 : 32, block = 2 + quants;
        const uint64_t blocks = shape.k / 32;
        const uint64_t row = i / block / blocks, t = i / block % blocks, byte = i % block;
        const uint64_t slice = row / shape.rows, band = row % shape.rows / 32, n = row % shape.rows % 32;
        const uint64_t bands = (shape.rows + 31) / 32, tile_bytes = 32 * block;
        const uint64_t run = t / 8, in_run = t % 8, run_length = std::min<uint64_t>(8, blocks - 8 * run);
        const uint64_t start = ((slice * bands + band) * blocks + run * 8) * tile_bytes;
        if (byte < 2) return start + run_length * 32 * quants + in_run * 64 + n * 2 + byte;
        return start + in_run * 32 * quants + (byte - 2) / 4 * 128 + n * 4 + (byte - 2) % 4;
    }

    static constexpr size_t guard = 256;
    tiled_shape shape;
    std::vector<uint8_t> memory;
    tiled_tensor tensor;
    std::vector<uint8_t> bytes;
};

TEST_P(tiles, whole_tensor_lies_where_the_definition_says) {
    tensor.clear_padding();
    tensor.set(bytes.data(), 0, bytes.size());
    std::vector<uint8_t> expected(shape.tiled_bytes(), 0);
    for (uint64_t i = 0; i < bytes.size(); ++i) expected[place(i)] = bytes[i];
    EXPECT_EQ(std::memcmp(expected.data(), memory.data() + guard, expected.size()), 0);
}

TEST_P(tiles, random_ranges_are_the_identity) {
    std::mt19937_64 random(2);
    std::vector<uint8_t> model(bytes.size(), 0), read;
    tensor.clear_padding();
    tensor.fill(0, 0, bytes.size());
    for (int step = 0; step < 400; ++step) {
        const uint64_t offset = random() % bytes.size();
        const uint64_t most = step % 2 ? bytes.size() - offset : std::min<uint64_t>(bytes.size() - offset, 200);
        const uint64_t size = random() % (most + 1);
        if (step % 3 == 0) {
            read.assign(size, 0);
            tensor.get(read.data(), offset, size);
            ASSERT_TRUE(std::equal(read.begin(), read.end(), model.begin() + static_cast<long>(offset)))
                << "get of " << size << " at " << offset << ", step " << step << ", seed 2";
        } else if (step % 7 == 0) {
            const uint8_t value = static_cast<uint8_t>(random());
            tensor.fill(value, offset, size);
            std::fill_n(model.begin() + static_cast<long>(offset), size, value);
        } else {
            const uint64_t from = random() % (bytes.size() - size + 1);
            tensor.set(bytes.data() + from, offset, size);
            std::copy_n(bytes.begin() + static_cast<long>(from), size, model.begin() + static_cast<long>(offset));
        }
    }
    for (uint64_t i = 0; i < model.size(); ++i) ASSERT_EQ(memory[guard + place(i)], model[i]) << "byte " << i;
}

TEST_P(tiles, chunks_in_any_order_make_the_whole) {
    std::mt19937_64 random(3);
    std::vector<uint64_t> cuts{0, bytes.size()};
    for (int i = 0; i < 40; ++i) cuts.push_back(random() % bytes.size());
    std::sort(cuts.begin(), cuts.end());
    std::vector<size_t> order(cuts.size() - 1);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    tensor.clear_padding();
    for (size_t i : order) tensor.set(bytes.data() + cuts[i], cuts[i], cuts[i + 1] - cuts[i]);
    std::vector<uint8_t> read(bytes.size());
    tensor.get(read.data(), 0, read.size());
    EXPECT_EQ(read, bytes);
}

TEST_P(tiles, padding_rows_stay_zero) {
    tensor.clear_padding();
    tensor.set(bytes.data(), 0, bytes.size());
    std::vector<bool> used(shape.tiled_bytes(), false);
    for (uint64_t i = 0; i < bytes.size(); ++i) used[place(i)] = true;
    for (uint64_t i = 0; i < used.size(); ++i) {
        if (!used[i]) ASSERT_EQ(memory[guard + i], 0) << "padding byte " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    shapes, tiles,
    testing::Values(shape_case{data_type::q4_0, 32, 1, 1}, shape_case{data_type::q4_0, 256, 32, 1},
                    shape_case{data_type::q4_0, 288, 33, 1}, shape_case{data_type::q4_0, 2880, 65, 1},
                    shape_case{data_type::q4_0, 512, 96, 3}, shape_case{data_type::q4_0, 64, 31, 5},
                    shape_case{data_type::q8_0, 32, 1, 1}, shape_case{data_type::q8_0, 256, 32, 1},
                    shape_case{data_type::q8_0, 544, 47, 2}, shape_case{data_type::q8_0, 1024, 64, 1}));

TEST(tiled_shape, sizes_include_row_padding) {
    const tiled_shape s{data_type::q4_0, 64, 33, 2};
    EXPECT_EQ(s.row_bytes(), 36u);
    EXPECT_EQ(s.ggml_bytes(), 36u * 33 * 2);
    EXPECT_EQ(s.tiled_bytes(), 36u * 64 * 2);
    EXPECT_TRUE(tiled_shape::supports(data_type::q8_0, 32));
    EXPECT_FALSE(tiled_shape::supports(data_type::f16, 32));
    EXPECT_FALSE(tiled_shape::supports(data_type::q4_0, 33));
}

}  // namespace
}  // namespace hexane::formats
