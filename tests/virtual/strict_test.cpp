// tests/virtual/strict_test.cpp -- every check of strict mode against a kernel that breaks its rule, and against the same kernel made right.
#include <gtest/gtest.h>

#include <string.h>

#include <string>

#include "tests/virtual/careless_interface.h"
#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;
using careless::fault;

// A buffer that sessions of the first domain know.
class shared_buffer {
  public:
    shared_buffer(int domain, uint32_t bytes = careless::buffer_bytes)
        : domain_(domain),
          bytes_(bytes),
          at(static_cast<uint8_t *>(
              rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, static_cast<int>(bytes)))),
          fd(rpcmem_to_fd(at)) {
        for (uint32_t i = 0; i < bytes; ++i) at[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
        error = fastrpc_mmap(domain, fd, at, 0, bytes, FASTRPC_MAP_FD);
    }
    ~shared_buffer() {
        (void)fastrpc_munmap(domain_, fd, at, bytes_);
        rpcmem_free(at);
    }

  private:
    int domain_;
    uint32_t bytes_;

  public:
    uint8_t *at;
    int fd;
    int error = -1;
};

struct expectation {
    fault which;
    const char *name;
    const char *said;  // part of the line that ends the session
};

constexpr expectation expectations[] = {
    {fault::missing_flush, "missing_flush", "DMA reads"},
    {fault::missing_sync, "missing_sync", "DMA reads"},
    {fault::missing_invalidate, "missing_invalidate", "cached read of 0x"},
    {fault::dirty_line_under_dma, "dirty_line_under_dma", "DMA writes"},
    {fault::missing_pop, "missing_pop", "made from undefined ones, at 0x"},
    {fault::swapped_pops, "swapped_pops", "made from undefined ones, at 0x"},
    {fault::source_overwritten, "source_overwritten", "the source of a transfer changed while it was in flight, at 0x"},
    {fault::destination_written, "destination_written",
     "the destination of a transfer was written while it was in flight, at 0x"},
    {fault::read_past_vtcm, "read_past_vtcm", "load outside of the VTCM of the plan, at 0x"},
    {fault::dma_past_vtcm, "dma_past_vtcm", "DMA leaves the VTCM of the plan ("},
    {fault::read_before_vtcm, "read_before_vtcm", "load outside of the VTCM of the plan, at 0x"},
    {fault::write_before_vtcm, "write_before_vtcm", "VTCM before that of the plan was written, at 0x"},
    {fault::dma_before_vtcm, "dma_before_vtcm", "DMA leaves the VTCM of the plan ("},
    {fault::dma_into_heap, "dma_into_heap", ", which is neither an operand nor VTCM"},
    {fault::transfer_left_in_flight, "transfer_left_in_flight", "left 1 transfers in flight"},
    {fault::vtcm_of_the_op_before, "vtcm_of_the_op_before", "made from undefined ones, at 0x"},
    {fault::part_of_a_line_stored, "part_of_a_line_stored", "was stored to in part without having been fetched"},
    {fault::transfer_leaves_buffer, "transfer_leaves_buffer", ", which leaves buffer "},
    {fault::descriptor_changed, "descriptor_changed", "was changed while its transfer was in flight"},
    {fault::polled_once, "polled_once", "made from undefined ones, at 0x"},
};

class strict_kernels : public testing::TestWithParam<expectation> {};

// Result of `use`, which opens sessions on the device and closes them, and what these said.
template <class Use> std::pair<int, std::string> on_device(const char *device, Use use) {
    describe_device(device);
    testing::internal::CaptureStderr();
    const int error = use();
    return {error, testing::internal::GetCapturedStderr()};
}

// The same of a method of the careless library, on a buffer that `fill` may change before.
template <class Arguments, class Fill>
std::pair<int, std::string> call_careless(const char *device, uint32_t method, uint32_t bytes, Arguments arguments,
                                          Fill fill) {
    return on_device(device, [&] {
        open_session s(0, careless::entry, careless::library);
        shared_buffer b(s.domain, bytes);
        if (s.error != 0 || b.error != 0) return -1;
        fill(b.at);
        arguments.fd = b.fd;
        return s.call(method, arguments);
    });
}

std::pair<int, std::string> run(const char *device, fault which, bool careful) {
    return call_careless(device, careless::run, careless::buffer_bytes, careless::run_args{-1, which, careful, 0},
                         [](uint8_t *) {});
}

TEST_P(strict_kernels, a_careless_one_is_caught_with_op_thread_address_and_expectation) {
    const auto [error, said] = run("v79,strict,vtcm=1M", GetParam().which, false);
    EXPECT_NE(error, 0);
    EXPECT_NE(said.find(GetParam().said), said.npos) << said;
    EXPECT_NE(said.find(" fastrpc]: fatal: strict: op "), said.npos) << said;
    EXPECT_NE(said.find(" CARELESS: "), said.npos) << said;
    EXPECT_NE(said.find("0x"), said.npos) << said;
    EXPECT_NE(said.find("; expected: "), said.npos) << said;
}

TEST_P(strict_kernels, a_careful_one_passes) {
    for (const char *device : {"v79,strict,vtcm=1M", "v75,strict,vtcm=1M,seed=7"}) {
        const auto [error, said] = run(device, GetParam().which, true);
        EXPECT_EQ(error, 0) << said;
        EXPECT_EQ(said.find("fatal"), said.npos) << said;
    }
}

// What the mode is for: the machine that forgives.
TEST_P(strict_kernels, fast_mode_hides_it) {
    if (GetParam().which == fault::transfer_leaves_buffer)
        GTEST_SKIP() << "a page without access follows in every mode";
    EXPECT_EQ(run("v79,vtcm=1M", GetParam().which, false).first, 0);
}

INSTANTIATE_TEST_SUITE_P(every, strict_kernels, testing::ValuesIn(expectations),
                         [](const auto &info) { return std::string(info.param.name); });

// -- right kernels at the limits

template <class Fill>
std::pair<int, std::string> run_limit(const char *device, careless::stress which, uint32_t bytes, Fill fill) {
    return call_careless(device, careless::run_stress, bytes, careless::stress_args{-1, which, bytes, 0}, fill);
}

TEST(strict_limits, no_dirty_range_is_lost_when_there_are_many) {
    const auto [error, said] =
        run_limit("v79,strict,vtcm=1M", careless::stress::many_dirty_ranges, careless::buffer_bytes, [](uint8_t *) {});
    EXPECT_EQ(error, 0) << said;
}

TEST(strict_limits, a_full_ring_of_descriptors_is_waited_for) {
    const auto [error, said] = run_limit("v73,strict,vtcm=1M", careless::stress::descriptors_run_out,
                                         careless::far_pieces * careless::far_stride, [](uint8_t *at) {
                                             for (uint32_t i = 0; i < careless::far_pieces; ++i)
                                                 at[i * careless::far_stride] = static_cast<uint8_t>(i + 1);
                                         });
    EXPECT_EQ(error, 0) << said;
}

TEST(strict_limits, a_word_that_looks_like_poison_is_data) {
    const auto [error, said] =
        run_limit("v79,strict,vtcm=1M", careless::stress::data_like_poison, careless::buffer_bytes, [](uint8_t *at) {
            constexpr uint32_t looks = 0x7fe57fa5;
            for (const uint32_t offset : {0u, 64u, 68u, 1000u}) memcpy(at + offset, &looks, sizeof looks);
        });
    EXPECT_EQ(error, 0) << said;
}

TEST(strict_limits, nobody_has_vtcm_between_ops) {
    const auto [error, said] =
        run_limit("v79,strict,vtcm=1M", careless::stress::vtcm_between_ops, careless::buffer_bytes, [](uint8_t *) {});
    EXPECT_NE(error, 0);
    EXPECT_NE(said.find("fatal: strict: between ops: store in VTCM at 0x"), said.npos) << said;
}

// -- two sessions, one buffer

// Both fetch, then both write their part: the second one writes back a line that the first has changed.
std::pair<int, std::string> write_neighbours(uint32_t begin_of_second) {
    return on_device("v79,strict,vtcm=1M", [&] {
        open_session first(0, careless::entry, careless::library), second(1, careless::entry, careless::library);
        if (first.error != 0 || second.error != 0) return -1;
        shared_buffer b(first.domain);
        EXPECT_EQ(fastrpc_mmap(second.domain, b.fd, b.at, 0, careless::buffer_bytes, FASTRPC_MAP_FD), 0);
        const careless::part_args one{b.fd, 0, 64, 0x33}, two{b.fd, begin_of_second, 64, 0x44};
        EXPECT_EQ(first.call(careless::fetch_part, one), 0);
        EXPECT_EQ(second.call(careless::fetch_part, two), 0);
        EXPECT_EQ(first.call(careless::write_part, one), 0);
        const int error = second.call(careless::write_part, two);
        if (error == 0) {
            EXPECT_EQ(b.at[63], 0x33);
            EXPECT_EQ(b.at[begin_of_second], 0x44);
        }
        return error;
    });
}

TEST(strict_sessions, a_partition_within_a_line_tears_it) {
    const auto [error, said] = write_neighbours(64);
    EXPECT_NE(error, 0);
    EXPECT_NE(said.find("written by somebody else since it was fetched"), said.npos) << said;
    EXPECT_NE(said.find("one writer for a line of 128 bytes"), said.npos) << said;
}

TEST(strict_sessions, a_partition_by_lines_is_right) {
    const auto [error, said] = write_neighbours(128);
    EXPECT_EQ(error, 0) << said;
}

// -- the flags of packets

// The stand-in adds one to every byte of a buffer and answers with the flags that it got.
std::pair<int, std::string> add_one_with(uint32_t flags) {
    return on_device("v79,strict,vtcm=1M", [&] {
        open_session s;
        shared_buffer b(s.domain, 4096);
        open_queue q(s);
        if (q.error != 0 || b.error != 0) return -1;
        const uint8_t before = b.at[9];
        dspqueue_buffer sent{static_cast<uint32_t>(b.fd), 4096, 0, flags, {}};
        EXPECT_EQ(q.send("a", 1, &sent), 0);
        uint32_t n = 0, got_flags = 0, bytes = 0;
        dspqueue_buffer back{};
        uint8_t message[16];
        const int error = dspqueue_read(q.queue, &got_flags, 1, &n, &back, sizeof message, &bytes, message, 2'000'000);
        if (error == 0) EXPECT_EQ(b.at[9], static_cast<uint8_t>(before + 1));
        return error;
    });
}

TEST(strict_packets, without_invalidation_the_recipient_reads_what_its_cache_has) {
    const auto [error, said] = add_one_with(DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER);
    EXPECT_NE(error, 0);
    EXPECT_NE(said.find("INVALIDATE_RECIPIENT"), said.npos) << said;
}

TEST(strict_packets, without_a_flush_the_answer_stays_in_the_cache) {
    const auto [error, said] = add_one_with(DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT);
    EXPECT_NE(error, 0);
    EXPECT_NE(said.find("is dirty in the cache while the session answers the host"), said.npos) << said;
}

TEST(strict_packets, with_both_the_answer_arrives) {
    const auto [error, said] =
        add_one_with(DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER | DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT);
    EXPECT_EQ(error, 0) << said;
}

}  // namespace
