// tests/htp/dma_queue_test.cpp -- splitting past the limits of each arch, order, ring reuse, and pop's address.
#include <cstring>
#include <deque>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "htp/dma_queue.h"
#include "tests/harness/npu/engine.h"
#include "tests/harness/number.h"

namespace hexane::htp {
namespace {

using namespace hexane::testing;

// A byte of VTCM is addressed, and that is all: no kernel gets a number out of one, or into it, by an ordinary expression.
template <class T>
concept counts = requires(T a) { a + 1; } || requires(T a) { a & a; } || requires(T &a) { ++a; };
static_assert(counts<uint8_t> && !counts<vtcm_byte>);
static_assert(!std::is_convertible_v<vtcm_byte, int> && !std::is_convertible_v<vtcm_byte, bool>);
static_assert(!std::is_convertible_v<int, vtcm_byte> && !std::is_convertible_v<uint8_t, vtcm_byte>);
static_assert(!std::is_assignable_v<vtcm_byte &, int> && !std::is_assignable_v<uint8_t &, vtcm_byte>);
static_assert(!std::is_convertible_v<vtcm_byte *, uint8_t *> && !std::is_convertible_v<uint8_t *, vtcm_byte *>);
static_assert(std::is_convertible_v<vtcm_byte *, void *> && sizeof(vtcm_byte) == 1);

constexpr arch archs[] = {arch::v73, arch::v75, arch::v79, arch::v81};

class dma : public ::testing::TestWithParam<arch> {
  protected:
    void SetUp() override { start(engine_mode::late); }
    void TearDown() override {
        EXPECT_EQ(first_breach(), "");
        keep_descriptors(false);
    }

    void start(engine_mode mode) {
        reset_engine(GetParam(), mode, {});
        keep_descriptors(true);
        q = dma_queue();
        q.init(GetParam(), ring.data(), &trace);
    }

    const void *popped() { return q.pop(); }

    static void noise(guarded_memory &m) {
        generator g(7);
        for (size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<uint8_t>(g.next());
    }

    static bool rows_equal(const uint8_t *dst, uint32_t dst_stride, const uint8_t *src, uint32_t src_stride,
                           uint32_t row_bytes, uint32_t rows) {
        for (uint32_t r = 0; r < rows; ++r) {
            if (std::memcmp(dst + uint64_t{r} * dst_stride, src + uint64_t{r} * src_stride, row_bytes) != 0)
                return false;
        }
        return true;
    }

    // Moves a box and returns the descriptors that it took.
    std::vector<decoded_transfer> move(uint32_t row_bytes, uint32_t rows, uint32_t dst_stride, uint32_t src_stride) {
        guarded_memory src(uint64_t{rows - 1} * src_stride + row_bytes),
            dst(uint64_t{rows - 1} * dst_stride + row_bytes);
        noise(src);
        start(engine_mode::late);
        q.push({.dst = dma_addr_t::of(dst.data()),
                .src = dma_addr_t::of(src.data()),
                .row_bytes = row_bytes,
                .rows = rows,
                .dst_stride = dst_stride,
                .src_stride = src_stride});
        EXPECT_EQ(popped(), dst.data());
        EXPECT_TRUE(rows_equal(dst.data(), dst_stride, src.data(), src_stride, row_bytes, rows));
        return kept_descriptors();
    }

    guarded_memory ring{dma_queue::ring_bytes()};
    trace_log trace;
    dma_queue q;
};

TEST_P(dma, moves_a_row_with_one_descriptor) {
    const auto used = move(1000, 1, 0, 0);
    ASSERT_EQ(used.size(), 1u);
    EXPECT_FALSE(used[0].two_d);
    EXPECT_EQ(used[0].row_bytes, 1000u);
}

TEST_P(dma, treats_touching_rows_as_one) {
    const auto used = move(512, 100, 512, 512);
    ASSERT_EQ(used.size(), 1u);
    EXPECT_FALSE(used[0].two_d);
}

TEST_P(dma, moves_a_box_with_one_descriptor) {
    const auto used = move(100, 37, 128, 260);
    ASSERT_EQ(used.size(), 1u);
    EXPECT_TRUE(used[0].two_d);
    EXPECT_EQ(used[0].rows, 37u);
    EXPECT_EQ(used[0].src_stride, 260u);
    EXPECT_EQ(used[0].dst_stride, 128u);
}

TEST_P(dma, splits_a_long_row) { EXPECT_EQ(move((1u << 24) + 5, 1, 0, 0).size(), 2u); }

TEST_P(dma, splits_many_rows) {
    const auto used = move(4, 70000, 8, 12);
    ASSERT_EQ(used.size(), 2u);
    EXPECT_EQ(used[0].rows + used[1].rows, 70000u);
}

TEST_P(dma, handles_strides_at_and_past_16_bits) {
    EXPECT_EQ(move(64, 5, 128, 65535).size(), 1u);
    const size_t past = GetParam() == arch::v73 ? 5 : 1;
    EXPECT_EQ(move(64, 5, 128, 65536).size(), past);
    EXPECT_EQ(move(64, 5, 65540, 128).size(), past);
    EXPECT_EQ(move(65536, 5, 65540, 65537).size(), past);
}

TEST_P(dma, handles_strides_past_24_bits) { EXPECT_EQ(move(64, 3, 128, 1u << 24).size(), 3u); }

TEST_P(dma, waits_for_room_in_the_ring) {
    // More rows than descriptors, each in a descriptor of its own.
    const uint32_t rows = dma_queue::n_descriptors + 50;
    guarded_memory src(uint64_t{rows} * 65536), dst(rows * 4);
    noise(src);
    if (GetParam() != arch::v73) GTEST_SKIP() << "the fields are wide enough";
    q.push({.dst = dma_addr_t::of(dst.data()),
            .src = dma_addr_t::of(src.data()),
            .row_bytes = 4,
            .rows = rows,
            .dst_stride = 4,
            .src_stride = 65536});
    (void)q.pop();
    EXPECT_TRUE(rows_equal(dst.data(), 4, src.data(), 65536, 4, rows));
}

TEST_P(dma, pops_in_the_order_of_pushes) {
    guarded_memory src(1000 * 64), dst(1000 * 64);
    noise(src);
    generator g(3);
    std::deque<uint32_t> waiting;
    for (uint32_t i = 0; i < 1000; ++i) {
        q.push(
            {.dst = dma_addr_t::of(dst.data() + i * 64), .src = dma_addr_t::of(src.data() + i * 64), .row_bytes = 64});
        waiting.push_back(i);
        while (!waiting.empty() && (waiting.size() == dma_queue::capacity || g.below(2))) {
            const uint32_t oldest = waiting.front();
            waiting.pop_front();
            ASSERT_EQ(popped(), dst.data() + oldest * 64);
            ASSERT_EQ(std::memcmp(dst.data() + oldest * 64, src.data() + oldest * 64, 64), 0);
            ASSERT_EQ(q.in_flight(), waiting.size());
        }
    }
    q.flush();
    EXPECT_EQ(q.in_flight(), 0u);
    EXPECT_EQ(std::memcmp(dst.data(), src.data(), src.size()), 0);
}

TEST_P(dma, tells_where_an_in_place_read_is) {
    start(engine_mode::in_place);
    guarded_memory src(4096), dst(4096);
    const transfer read{.dst = dma_addr_t::of(dst.data()), .src = dma_addr_t::of(src.data()), .row_bytes = 256};
    transfer landing = read, odd = read, write = read;
    landing.land_at_dst = true;
    odd.src = odd.src + 4;
    write.kind = traffic::write;
    for (const transfer &t : {read, landing, odd, write}) q.push(t);
    EXPECT_EQ(popped(), src.data());
    EXPECT_EQ(popped(), dst.data());
    EXPECT_EQ(popped(), dst.data());
    EXPECT_EQ(popped(), dst.data());
}

TEST_P(dma, counts_bytes_by_account) {
    guarded_memory src(4096), dst(4096);
    transfer t{.dst = dma_addr_t::of(dst.data()),
               .src = dma_addr_t::of(src.data()),
               .row_bytes = 100,
               .rows = 3,
               .dst_stride = 128,
               .src_stride = 128};
    for (const traffic kind : {traffic::read, traffic::weights, traffic::weights, traffic::write}) {
        t.kind = kind;
        q.push(t);
        (void)q.pop();
    }
    const dma_bytes moved = q.take_bytes();
    EXPECT_EQ(moved.read, 300u);
    EXPECT_EQ(moved.weights, 600u);
    EXPECT_EQ(moved.write, 300u);
    EXPECT_EQ(q.take_bytes().weights, 0u);
}

INSTANTIATE_TEST_SUITE_P(every_arch, dma, ::testing::ValuesIn(archs),
                         [](const auto &info) { return "v" + std::to_string(static_cast<uint32_t>(info.param)); });

// The engine itself: what it is there to find, it finds.
TEST(engine, notices_a_source_that_changes_too_early) {
    guarded_memory ring(dma_queue::ring_bytes()), src(256), dst(256);
    trace_log trace;
    reset_engine(arch::v75, engine_mode::late, {});
    dma_queue q;
    q.init(arch::v75, ring.data(), &trace);
    const transfer t{.dst = dma_addr_t::of(dst.data()), .src = dma_addr_t::of(src.data()), .row_bytes = 256};
    q.push(t);
    src.data()[100] ^= 1;
    (void)q.pop();
    EXPECT_NE(first_breach().find("source"), std::string::npos);

    reset_engine(arch::v75, engine_mode::late, {});
    q.init(arch::v75, ring.data(), &trace);
    q.push(t);
    dst.data()[0] = 1;
    (void)q.pop();
    EXPECT_NE(first_breach().find("destination"), std::string::npos);

    reset_engine(arch::v75, engine_mode::late, {src.range()});
    q.init(arch::v75, ring.data(), &trace);
    q.push(t);
    (void)q.pop();
    EXPECT_NE(first_breach().find("outside"), std::string::npos);
}

}  // namespace
}  // namespace hexane::htp
