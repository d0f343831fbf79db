// virtual/faulty/fault_schedule.cpp
#include "virtual/faulty/fault_schedule.h"

#include <bit>

namespace hexane::virt {

namespace {

struct faulty_function {
    const char *name;  // as in log lines
    uint32_t kinds;
};

// In the order of faulty_call.
constexpr faulty_function functions[n_faulty_calls] = {
    {"rpcmem_alloc", fault_alloc},
    {"rpcmem_to_fd", fault_alloc},
    {"remote_handle64_open", fault_open},
    {"remote_handle64_close", fault_code},
    {"remote_handle64_invoke", fault_code},
    {"remote_session_control", fault_code},
    {"remote_handle64_control", fault_code},
    {"fastrpc_mmap", fault_map | fault_kill},
    {"fastrpc_munmap", fault_code},
    {"dspqueue_create", fault_code},
    {"dspqueue_export", fault_code},
    {"dspqueue_close", fault_code},
    {"dspqueue_write", fault_code | fault_delay | fault_drop | fault_kill},
    {"dspqueue_read", fault_code | fault_delay | fault_drop | fault_corrupt},
};

// The finalizer of splitmix64: every bit of the result depends on every bit of `x`.
uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// The n-th bit of those that are set.
uint32_t nth_bit(uint32_t bits, uint32_t n) {
    for (; n > 0; --n) bits &= bits - 1;
    return bits & -bits;
}

}  // namespace

const char *to_string(faulty_call call) { return functions[static_cast<uint32_t>(call)].name; }

fault_schedule::fault_schedule(const device_description &device)
    : kinds_(device.faulty), rate_(device.fault_rate), last_call_(device.fault_calls), seed_(device.seed) {}

uint32_t fault_schedule::kinds_of(faulty_call call) { return functions[static_cast<uint32_t>(call)].kinds; }

std::optional<fault> fault_schedule::at(faulty_call call, uint32_t number) const {
    const uint32_t kinds = kinds_ & kinds_of(call);
    if (!kinds || (last_call_ && number > last_call_)) return {};
    const uint64_t random = mix(mix(mix(seed_) + static_cast<uint32_t>(call)) + number);
    if (random % 100 >= rate_) return {};
    const uint64_t more = mix(random);
    const auto n_kinds = static_cast<uint32_t>(std::popcount(kinds));
    return fault{static_cast<fault_kind>(nth_bit(kinds, static_cast<uint32_t>(more % n_kinds))), mix(more)};
}

}  // namespace hexane::virt
