// tests/host/plugin_buffer_test.cpp -- every way to reach the bytes of a buffer, tiled or not.
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/host/plugin_fixture.h"

namespace hexane::testing {
namespace {

using bytes = std::vector<uint8_t>;

bytes random_bytes(size_t n, unsigned seed) {
    std::mt19937 random(seed);
    bytes b(n);
    for (uint8_t &v : b) v = static_cast<uint8_t>(random());
    return b;
}

class plugin_buffer : public plugin_test {
  protected:
    bytes read(const ggml_tensor *t) {
        bytes b(ggml_nbytes(t));
        ggml_backend_tensor_get(t, b.data(), 0, b.size());
        return b;
    }
};

TEST_F(plugin_buffer, properties) {
    ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(backend_);
    ggml_backend_dev_t device = ggml_backend_get_device(backend_);
    EXPECT_STREQ(ggml_backend_buft_name(type), "HTP0");
    EXPECT_EQ(ggml_backend_buft_get_alignment(type), 128u);
    EXPECT_FALSE(ggml_backend_buft_is_host(type));
    EXPECT_TRUE(ggml_backend_dev_supports_buft(device, type));
    EXPECT_FALSE(ggml_backend_dev_supports_buft(device, ggml_backend_cpu_buffer_type()));
    EXPECT_EQ(ggml_backend_buft_get_alloc_size(type, ggml_new_tensor_2d(context_, GGML_TYPE_Q4_0, 64, 33)), 64u * 36);
    ggml_backend_buffer_t empty = ggml_backend_buft_alloc_buffer(type, 0);
    ASSERT_NE(empty, nullptr);
    ggml_backend_buffer_free(empty);
    ggml_backend_dev_props props;
    ggml_backend_dev_get_props(device, &props);
    EXPECT_EQ(props.type, GGML_BACKEND_DEVICE_TYPE_GPU);
    EXPECT_FALSE(props.caps.async || props.caps.events || props.caps.host_buffer || props.caps.mmap_support ||
                 props.caps.buffer_from_host_ptr);
}

TEST_F(plugin_buffer, memory_in_use_is_reported_and_given_back) {
    ggml_backend_dev_t device = ggml_backend_get_device(backend_);
    size_t before = 0, during = 0, after = 0, total = 0;
    ggml_backend_dev_memory(device, &before, &total);
    ggml_backend_buffer_t b = ggml_backend_alloc_buffer(backend_, 64u << 20);
    ggml_backend_dev_memory(device, &during, &total);
    ggml_backend_buffer_free(b);
    ggml_backend_dev_memory(device, &after, &total);
    EXPECT_EQ(before - during, 64u << 20);
    EXPECT_EQ(before, after);
    EXPECT_LE(before, total);
}

TEST_F(plugin_buffer, larger_than_the_window_is_refused_with_one_line) {
    EXPECT_EQ(ggml_backend_alloc_buffer(backend_, 5ull << 30), nullptr);
    EXPECT_EQ(lines_with("larger than the address window"), 1u);
}

TEST_F(plugin_buffer, set_get_memset_copy_clear) {
    ggml_tensor *a = f32(100), *b = f32(100);
    ggml_backend_buffer_t buffer = allocate();
    const bytes data = random_bytes(400, 1);
    ggml_backend_tensor_set(a, data.data(), 0, 400);
    ggml_backend_tensor_copy(a, b);
    EXPECT_EQ(read(b), data);
    ggml_backend_tensor_memset(a, 0x5a, 10, 20);
    bytes expected = data;
    std::fill(expected.begin() + 10, expected.begin() + 30, 0x5a);
    EXPECT_EQ(read(a), expected);
    ggml_backend_buffer_clear(buffer, 7);
    EXPECT_EQ(read(a), bytes(400, 7));
}

TEST_F(plugin_buffer, pieces_with_strides) {
    ggml_tensor *a = f32(100, 4);
    ggml_backend_buffer_clear(allocate(), 0);
    const bytes data = random_bytes(3 * 50, 2);
    ggml_backend_tensor_set_2d(a, data.data(), 8, 40, 3, 400, 50);
    bytes back(3 * 50);
    ggml_backend_tensor_get_2d(a, back.data(), 8, 40, 3, 400, 50);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(0, std::memcmp(back.data() + i * 50, data.data() + i * 50, 40));
    EXPECT_EQ(read(a)[8 + 400], data[50]);
    EXPECT_EQ(read(a)[48], 0);
}

// Random pieces in random order, read back whole and in pieces, then partly overwritten.
TEST_F(plugin_buffer, tiled_weights_give_back_what_was_set) {
    for (const ggml_type type : {GGML_TYPE_Q4_0, GGML_TYPE_Q8_0}) {
        ggml_tensor *w = ggml_new_tensor_3d(context_, type, 320, 70, 2);
        ggml_backend_buffer_set_usage(allocate(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
        bytes data = random_bytes(ggml_nbytes(w), 3);
        ggml_backend_tensor_memset(w, 0, 0, data.size());
        std::mt19937 random(4);
        std::vector<size_t> cuts = {0, data.size()};
        for (int i = 0; i < 40; ++i) cuts.push_back(random() % data.size());
        std::sort(cuts.begin(), cuts.end());
        std::vector<size_t> order(cuts.size() - 1);
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random);
        for (size_t i : order) ggml_backend_tensor_set(w, data.data() + cuts[i], cuts[i], cuts[i + 1] - cuts[i]);
        ASSERT_EQ(read(w), data);
        for (int i = 0; i < 200; ++i) {
            const size_t at = random() % data.size(), n = random() % (data.size() - at) + 1;
            if (i % 2) {
                const bytes piece = random_bytes(n, i);
                std::copy(piece.begin(), piece.end(), data.begin() + static_cast<ptrdiff_t>(at));
                ggml_backend_tensor_set(w, piece.data(), at, n);
            } else {
                bytes piece(n);
                ggml_backend_tensor_get(w, piece.data(), at, n);
                ASSERT_EQ(0, std::memcmp(piece.data(), data.data() + at, n));
            }
        }
        ASSERT_EQ(read(w), data);
    }
}

TEST_F(plugin_buffer, views_of_tiled_weights_reach_the_same_bytes) {
    ggml_tensor *w = ggml_new_tensor_2d(context_, GGML_TYPE_Q8_0, 64, 50);
    ggml_tensor *view = ggml_view_2d(context_, w, 64, 7, w->nb[1], 13 * w->nb[1]);
    ggml_backend_buffer_set_usage(allocate(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    bytes data = random_bytes(ggml_nbytes(w), 5);
    ggml_backend_tensor_set(w, data.data(), 0, data.size());
    const bytes rows = random_bytes(ggml_nbytes(view), 6);
    ggml_backend_tensor_set(view, rows.data(), 0, rows.size());
    std::copy(rows.begin(), rows.end(), data.begin() + static_cast<ptrdiff_t>(13 * w->nb[1]));
    EXPECT_EQ(read(w), data);
    EXPECT_EQ(read(view), rows);
}

// The same product from tiles, from tiles of a view, and after a view that no tile fits.
TEST_F(plugin_buffer, products_do_not_depend_on_the_layout) {
    constexpr int64_t k = 256, n = 96, m = 5;
    ggml_tensor *w = ggml_new_tensor_2d(context_, GGML_TYPE_Q8_0, k, n);
    ggml_backend_buffer_set_usage(allocate(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    std::mt19937 random(7);
    std::vector<float> weights(k * n), x(k * m);
    for (float &v : weights) v = static_cast<float>(random() % 200) / 100 - 1;
    for (float &v : x) v = static_cast<float>(random() % 200) / 100 - 1;
    bytes blocks(ggml_nbytes(w));
    ggml_quantize_chunk(GGML_TYPE_Q8_0, weights.data(), blocks.data(), 0, n, k, nullptr);
    ggml_backend_tensor_set(w, blocks.data(), 0, blocks.size());

    ggml_tensor *act = f32(k, m);
    ggml_tensor *whole = ggml_mul_mat(context_, w, act);
    ggml_tensor *band = ggml_mul_mat(context_, ggml_view_2d(context_, w, k, 32, w->nb[1], 32 * w->nb[1]), act);
    ggml_tensor *odd = ggml_mul_mat(context_, ggml_view_2d(context_, w, k, 40, w->nb[1], 3 * w->nb[1]), act);
    allocate();
    set(act, x);
    ASSERT_EQ(compute(whole), GGML_STATUS_SUCCESS);
    const std::vector<float> tiled = get(whole);
    ASSERT_EQ(compute(band), GGML_STATUS_SUCCESS);
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < 32; ++j) EXPECT_EQ(get(band)[i * 32 + j], tiled[i * n + 32 + j]);
    }
    EXPECT_EQ(lines_with("leaves the tile layout"), 0u);
    ASSERT_EQ(compute(odd), GGML_STATUS_SUCCESS);
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < 40; ++j) EXPECT_NEAR(get(odd)[i * 40 + j], tiled[i * n + 3 + j], 1e-3);
    }
    EXPECT_EQ(lines_with("leaves the tile layout"), 1u);
    bytes back(blocks.size());
    ggml_backend_tensor_get(w, back.data(), 0, back.size());
    EXPECT_EQ(back, blocks);
    ASSERT_EQ(compute(whole), GGML_STATUS_SUCCESS);
    for (size_t i = 0; i < tiled.size(); ++i) EXPECT_NEAR(get(whole)[i], tiled[i], 1e-3);
}

}  // namespace
}  // namespace hexane::testing
