// tests/virtual/mapping_test.cpp -- rpcmem, fastrpc_mmap and HAP_mmap together.
#include <gtest/gtest.h>

#include <string.h>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;

constexpr size_t mib = 1u << 20;

#if defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

struct shared_block {
    void *memory;
    int fd;
    explicit shared_block(size_t bytes)
        : memory(rpcmem_alloc2(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, bytes)), fd(rpcmem_to_fd(memory)) {}
    ~shared_block() { rpcmem_free(memory); }
};

class mapping_test : public testing::Test {
  protected:
    void SetUp() override { describe_device("v79,threads=1"); }
};

TEST_F(mapping_test, rpcmem_knows_its_blocks) {
    const size_t before = open_descriptors();
    {
        shared_block b(100);
        ASSERT_NE(b.memory, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(b.memory) % 4096, 0u);
        memset(b.memory, 1, 4096);
        EXPECT_GE(b.fd, 0);
        EXPECT_EQ(rpcmem_to_fd(static_cast<char *>(b.memory) + 1), -1);
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, 0, -1), nullptr);
    EXPECT_EQ(rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, 0, 0), nullptr);
    shared_block large(size_t{3} << 30);  // sparse
    EXPECT_NE(large.memory, nullptr);
}

TEST_F(mapping_test, the_npu_sees_the_hosts_bytes_below_4_gib) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    shared_block b(mib);
    memcpy(b.memory, "01234567", 8);
    map_result r{};
    EXPECT_NE(s.call(stand_in::map, map_args{b.fd, 0, mib}, &r), 0);  // the host has not mapped it
    ASSERT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD_DELAYED), 0);
    EXPECT_NE(s.call(stand_in::map, map_args{b.fd, 0, 2 * mib}, &r), 0);
    ASSERT_EQ(s.call(stand_in::map, map_args{b.fd, 0, mib}, &r), 0);
    EXPECT_EQ(memcmp(&r.first_word, "01234567", 8), 0);
    EXPECT_EQ(r.address >> 32, 0u);
    EXPECT_NE(s.call(stand_in::unmap, unmap_args{r.address, mib / 2}), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, b.fd, b.memory, mib), AEE_EBADMAPREFCNT);
    EXPECT_EQ(s.call(stand_in::unmap, unmap_args{r.address, mib}), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, b.fd, b.memory, mib), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, b.fd, b.memory, mib), AEE_ENOSUCHMAP);
}

TEST_F(mapping_test, map_fd_is_mapped_at_once) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    shared_block b(mib);
    memcpy(b.memory, "abcdefgh", 8);
    map_result r{};
    ASSERT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD), 0);
    ASSERT_EQ(s.call(stand_in::map, map_args{b.fd, 1, mib}, &r), 0);
    EXPECT_EQ(memcmp(&r.first_word, "abcdefgh", 8), 0);
    EXPECT_EQ(fastrpc_munmap(s.domain, b.fd, b.memory, mib), 0);
}

TEST_F(mapping_test, wrong_arguments) {
    shared_block b(mib);
    EXPECT_EQ(fastrpc_mmap(100000, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD_DELAYED), AEE_EBADSTATE);  // no session
    open_session s;
    ASSERT_EQ(s.error, 0);
    EXPECT_EQ(fastrpc_mmap(s.domain, -1, b.memory, 0, mib, FASTRPC_MAP_FD), AEE_EBADPARM);
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 4096, mib, FASTRPC_MAP_FD), AEE_EBADPARM);
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, 2 * mib, FASTRPC_MAP_FD), AEE_EBADPARM);
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_RESERVED), AEE_EBADPARM);
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD_EXTENDED), AEE_EBADPARM);  // v81 only
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD), 0);
    EXPECT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, mib, FASTRPC_MAP_FD), AEE_EALREADY);
}

TEST_F(mapping_test, the_window_is_limited_and_can_be_filled_again) {
    describe_device("v79,window=512M");
    open_session s;
    ASSERT_EQ(s.error, 0);
    shared_block a(300 * mib), b(300 * mib);
    ASSERT_EQ(fastrpc_mmap(s.domain, a.fd, a.memory, 0, 300 * mib, FASTRPC_MAP_FD_DELAYED), 0);
    ASSERT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, 300 * mib, FASTRPC_MAP_FD_DELAYED), 0);
    map_result first{}, second{};
    for (int round = 0; round < 10; ++round) {
        ASSERT_EQ(s.call(stand_in::map, map_args{a.fd, 0, 300 * mib}, &first), 0);
        ASSERT_NE(s.call(stand_in::map, map_args{b.fd, 0, 300 * mib}, &second), 0);
        ASSERT_EQ(s.call(stand_in::unmap, unmap_args{first.address, 300 * mib}), 0);
        ASSERT_EQ(s.call(stand_in::map, map_args{b.fd, 0, 300 * mib}, &second), 0);
        ASSERT_EQ(s.call(stand_in::unmap, unmap_args{second.address, 300 * mib}), 0);
    }
}

TEST_F(mapping_test, the_default_window_can_be_filled) {
    if (is_sanitized) GTEST_SKIP() << "the sanitizer takes a part of the low addresses";
    for (const auto &[arch, window] : {std::pair{"v79", 3200 * mib}, {"v73", 3000 * mib}}) {
        describe_device(arch);
        open_session s;
        ASSERT_EQ(s.error, 0);
        shared_block b(window / 2);
        ASSERT_EQ(fastrpc_mmap(s.domain, b.fd, b.memory, 0, window / 2, FASTRPC_MAP_FD_DELAYED), 0);
        map_result r{};
        EXPECT_EQ(s.call(stand_in::map, map_args{b.fd, 0, window / 2}, &r), 0) << arch;
        EXPECT_EQ(s.call(stand_in::map, map_args{b.fd, 0, window / 2 - 4096}, &r), 0) << arch;
        EXPECT_NE(s.call(stand_in::map, map_args{b.fd, 0, mib}, &r), 0) << arch;
    }
}

}  // namespace
