// tests/virtual/stand_in_interface.h -- methods and messages of the library that stands in for the NPU library.
#pragma once

#include <stdint.h>

namespace stand_in {

constexpr uint32_t scalars(uint32_t method, uint32_t in, uint32_t out) { return method << 24 | in << 16 | out << 8; }

inline constexpr char library[] = "libvirtual-test-skel.so";
inline constexpr char entry[] = "stand_in_skel_handle_invoke";
// As an entry name: its open method fails with 0x80000414, or it does not vote for power.
inline constexpr char refusing_entry[] = "stand_in_refuses";
inline constexpr char voteless_entry[] = "stand_in_without_votes";

inline constexpr uint32_t add = scalars(2, 1, 1);    // pair -> uint32_t
inline constexpr uint32_t start = scalars(3, 1, 0);  // uint64_t queue id
inline constexpr uint32_t stop = scalars(4, 0, 0);
inline constexpr uint32_t map = scalars(5, 1, 1);           // map_args -> map_result
inline constexpr uint32_t unmap = scalars(6, 1, 0);         // unmap_args
inline constexpr uint32_t run_check = scalars(7, 1, 1);     // uint32_t check -> check_result
inline constexpr uint32_t misbehave = scalars(8, 1, 0);     // uint32_t misdeed
inline constexpr uint32_t leave_output = scalars(9, 0, 1);  // writes nothing, succeeds
inline constexpr uint32_t sizes = scalars(10, 2, 2);        // outputs get the bytes of inputs 0 and 1, reversed

struct pair {
    uint32_t a, b;
};
struct map_args {
    int32_t fd;
    uint32_t get;
    uint64_t bytes;
};
struct map_result {
    uint64_t address;
    uint64_t first_word;
};
struct unmap_args {
    uint64_t address, bytes;
};

enum check : uint32_t { check_vtcm, check_power, check_threads, check_heap, check_dma, check_counters };
struct check_result {
    uint32_t failed_line;  // 0: passed
    uint32_t value;
};

enum misdeed : uint32_t { segfault, hang, dma_outside, dma_to_free_vtcm, exit_quietly };

// First byte of a packet's message.
enum command : uint8_t {
    echo = 'e',     // the packet comes back
    add_one = 'a',  // every byte of every buffer is incremented, then the packet comes back
    compute = 'c',  // never answers: computes for ever
    swallow = 's',  // no answer
};

}  // namespace stand_in
