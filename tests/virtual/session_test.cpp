// tests/virtual/session_test.cpp -- opening, calling and closing sessions, in order and out of order.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/virtual/stand_in_session.h"

namespace {

using namespace stand_in;

constexpr int npu_error(uint32_t n) { return static_cast<int>(0x80000400u + n); }

class session_test : public testing::Test {
  protected:
    void SetUp() override { describe_device("v79,threads=2"); }
};

TEST_F(session_test, opens_calls_and_closes) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    uint32_t sum = 0;
    EXPECT_EQ(s.call(add, stand_in::pair{40, 2}, &sum), 0);
    EXPECT_EQ(sum, 42u);
    EXPECT_EQ(child_processes().size(), 1u);
    EXPECT_EQ(s.close(), 0);
    EXPECT_TRUE(child_processes().empty());
}

// A program without standard descriptors prints into whatever took their numbers.
TEST_F(session_test, standard_descriptors_are_left_alone) {
    int kept[3];
    for (int fd = 0; fd < 3; ++fd) kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    for (int fd = 0; fd < 3; ++fd) close(fd);
    void *memory = rpcmem_alloc2(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, 4096);
    const int memory_fd = rpcmem_to_fd(memory);
    open_session s;
    uint32_t sum = 0;
    const int called = s.call(add, stand_in::pair{40, 2}, &sum);
    int taken = 0;
    for (int fd = 0; fd < 3; ++fd) {  // a pidfd may be there, nothing that can be written to
        (void)!write(fd, "stray", 5);
        struct stat file{};
        taken += fstat(fd, &file) == 0 && (S_ISREG(file.st_mode) || S_ISSOCK(file.st_mode));
    }
    const int called_again = s.call(add, stand_in::pair{40, 2}, &sum);
    s.close();
    rpcmem_free(memory);
    for (int fd = 0; fd < 3; ++fd) {
        dup2(kept[fd], fd);
        close(kept[fd]);
    }
    EXPECT_GT(memory_fd, 2);
    EXPECT_EQ(taken, 0);
    EXPECT_EQ(called, 0);
    EXPECT_EQ(called_again, 0);
    EXPECT_EQ(sum, 42u);
}

TEST_F(session_test, domain_numbers_are_unusual) {
    EXPECT_NE(first_domain(), "cdsp");
    EXPECT_GT(effective_id(first_domain(), 0), 1000);
    EXPECT_EQ(effective_id("cdsp", 0), effective_id(first_domain(), 0));  // for programs without discovery
    EXPECT_EQ(effective_id("nonsense", 0), -1);
}

TEST_F(session_test, arch_is_in_hexadecimal_digits) {
    remote_dsp_capability c{1000, ARCH_VER, 0};
    for (const auto &[name, value] : {std::pair{"v73", 0x73u}, {"v75", 0x75u}, {"v79", 0x79u}, {"v81", 0x81u}}) {
        describe_device(name);
        ASSERT_EQ(remote_handle_control(DSPRPC_GET_DSP_INFO, &c, sizeof c), 0);
        EXPECT_EQ(c.capability, value);
    }
    EXPECT_EQ(remote_handle_control(DSPRPC_GET_DSP_INFO, &c, sizeof c + 4), AEE_EBADPARM);
    EXPECT_EQ(remote_handle_control(99, &c, sizeof c), AEE_EUNSUPPORTED);
}

TEST_F(session_test, discovery_lists_a_domain_per_core_or_is_absent) {
    system_req_payload request{};
    describe_device("cores=3");
    ASSERT_EQ(remote_system_request(&request), 0);
    EXPECT_EQ(request.sys.num_domains, 3);
    describe_device("discovery=0");
    EXPECT_EQ(remote_system_request(&request), AEE_EUNSUPPORTEDAPI);
}

TEST_F(session_test, open_needs_unsigned_modules_first) {
    ASSERT_EQ(allow_unsigned(effective_id(first_domain(), 0), false), 0);
    remote_handle64 h = 0;
    EXPECT_EQ(remote_handle64_open(uri_of(first_domain(), 0).c_str(), &h), npu_error(0x06));
    open_session s;
    ASSERT_EQ(s.error, 0);
    EXPECT_NE(allow_unsigned(s.domain), 0);  // too late
    s.close();
    EXPECT_EQ(remote_handle64_open(uri_of(first_domain(), 0).c_str(), &h),
              npu_error(0x06));  // forgotten with the session
}

TEST_F(session_test, further_sessions_must_be_reserved) {
    const std::string name = first_domain();
    ASSERT_EQ(allow_unsigned(effective_id(name, 2)), 0);
    remote_handle64 h = 0;
    EXPECT_EQ(remote_handle64_open(uri_of(name, 2).c_str(), &h), AEE_ENOSESSION);
    open_session first(0), second(1), third(1), fourth(1);
    EXPECT_EQ(first.error | second.error | third.error | fourth.error, 0);
    EXPECT_EQ(child_processes().size(), 4u);
    open_session fifth(1);
    EXPECT_EQ(fifth.error, AEE_ENOSESSION);
    second.close();
    open_session again(1);
    EXPECT_EQ(again.error, 0);
}

TEST_F(session_test, uri_must_be_complete) {
    ASSERT_EQ(allow_unsigned(effective_id(first_domain(), 0)), 0);
    remote_handle64 h = 0;
    for (const char *uri : {"", "libx.so?f", "file:///libx.so?f", "file:///libx.so?f&_modver=1.0",
                            "file:///libx.so?f&_modver=1.0&_dom=nsp1000", "file:///libx.so?f&_dom=nsp1000&_session=0",
                            "file:///../x.so?f&_modver=1.0&_dom=nsp1000&_session=0",
                            "file:///libx.so?f&_modver=1.0&_dom=nsp1000&_session=x"}) {
        EXPECT_EQ(remote_handle64_open(uri, &h), AEE_EBADPARM) << uri;
    }
    EXPECT_EQ(remote_handle64_open("file:///libx.so?f&_modver=1.0&_dom=adsp&_session=0", &h), AEE_EINVALIDDOMAIN);
    char small[8], module[] = "file:///a.so?f", name[] = "nsp1000";
    remote_rpc_get_uri r{name, 7, 0, module, 14, small, sizeof small};
    EXPECT_EQ(remote_session_control(FASTRPC_GET_URI, &r, sizeof r), AEE_EBADSIZE);
    EXPECT_EQ(remote_session_control(FASTRPC_GET_URI, &r, sizeof r - 8), AEE_EBADPARM);
}

TEST_F(session_test, a_library_that_cannot_be_loaded_leaves_nothing) {
    const std::string name = first_domain();
    remote_handle64 h = 0;
    ASSERT_EQ(allow_unsigned(effective_id(name, 0)), 0);
    EXPECT_EQ(remote_handle64_open(uri_of(name, 0, stand_in::entry, "libnowhere.so").c_str(), &h), npu_error(0x06));
    ASSERT_EQ(allow_unsigned(effective_id(name, 0)), 0);
    EXPECT_EQ(remote_handle64_open(uri_of(name, 0, "no_such_entry").c_str(), &h), npu_error(0x06));
    ASSERT_EQ(allow_unsigned(effective_id(name, 0)), 0);
    EXPECT_EQ(remote_handle64_open(uri_of(name, 0, refusing_entry).c_str(), &h), npu_error(0x14));
    EXPECT_TRUE(child_processes().empty());
}

TEST_F(session_test, a_library_of_a_newer_architecture_is_refused) {
    describe_device("v73");
    const std::string name = first_domain();
    remote_handle64 h = 0;
    ASSERT_EQ(allow_unsigned(effective_id(name, 0)), 0);
    EXPECT_EQ(remote_handle64_open(uri_of(name, 0, stand_in::entry, "libggml-htp-v79.so").c_str(), &h),
              npu_error(0x06));
}

TEST_F(session_test, outputs_come_back_only_on_success) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    uint64_t out = 1;
    EXPECT_EQ(remote_handle64_invoke(s.handle, scalars(31, 0, 0), nullptr), npu_error(0x14));
    stand_in::map_result r{1, 2};
    EXPECT_NE(s.call(stand_in::map, map_args{9999, 0, 4096}, &r), 0);
    EXPECT_EQ(r.address, 1u);
    remote_arg a[1]{};
    a[0].buf = {&out, sizeof out};
    EXPECT_EQ(remote_handle64_invoke(s.handle, leave_output, a), 0);
    EXPECT_EQ(out, 0xa5a5a5a5a5a5a5a5u);  // what the library left unwritten shows
}

TEST_F(session_test, arguments_of_many_sizes) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    for (const size_t bytes : {0, 1, 7, 4096, 30000}) {
        std::string in0(bytes, 'x'), in1(bytes / 2, 'y'), out0(bytes, 0), out1(bytes / 2, 0);
        if (bytes) in0[0] = 'a';
        remote_arg a[4]{};
        a[0].buf = {in0.data(), in0.size()};
        a[1].buf = {in1.data(), in1.size()};
        a[2].buf = {out0.data(), out0.size()};
        a[3].buf = {out1.data(), out1.size()};
        ASSERT_EQ(remote_handle64_invoke(s.handle, sizes, a), 0) << bytes;
        EXPECT_EQ(out0, std::string(in0.rbegin(), in0.rend()));
        EXPECT_EQ(out1, std::string(in1.rbegin(), in1.rend()));
    }
    EXPECT_EQ(remote_handle64_invoke(s.handle, sizes, nullptr), AEE_EBADPARM);
    EXPECT_EQ(remote_handle64_invoke(s.handle + 1, sizes, nullptr), AEE_EINVHANDLE);
    EXPECT_EQ(remote_handle64_close(s.handle + 1), AEE_EINVHANDLE);
}

TEST_F(session_test, latency_control_checks_its_size) {
    open_session s;
    ASSERT_EQ(s.error, 0);
    remote_rpc_control_latency l{RPC_PM_QOS, 0};
    EXPECT_EQ(remote_handle64_control(s.handle, DSPRPC_CONTROL_LATENCY, &l, sizeof l), 0);
    EXPECT_EQ(remote_handle64_control(s.handle, DSPRPC_CONTROL_LATENCY, &l, sizeof l - 1), AEE_EBADPARM);
    EXPECT_EQ(remote_handle64_control(s.handle + 1, DSPRPC_CONTROL_LATENCY, &l, sizeof l), AEE_EINVHANDLE);
}

TEST_F(session_test, twenty_sessions_leave_nothing) {
    const size_t before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        open_session s;
        ASSERT_EQ(s.error, 0);
        open_queue q(s);
        ASSERT_EQ(q.error, 0);
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_TRUE(child_processes().empty());
}

}  // namespace
