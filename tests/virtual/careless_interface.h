// tests/virtual/careless_interface.h -- kernels with a fault each, and what a test says to the library that has them.
#pragma once

#include <stdint.h>

namespace careless {

inline constexpr char library[] = "libvirtual-careless-skel.so";
inline constexpr char entry[] = "careless_skel_handle_invoke";

// What a kernel forgets or does wrong. Every one works on a shared buffer of buffer_bytes.
enum class fault : uint32_t {
    missing_flush,         // stores through the cache, and DMA reads the same line
    missing_sync,          // the line is cleaned, but nobody waits for it
    missing_invalidate,    // DMA writes, and the cache is read
    dirty_line_under_dma,  // stores through the cache, and DMA writes the same line
    missing_pop,           // VTCM is stored away before its load was waited for
    swapped_pops,          // the second of two loads is used after the first pop
    source_overwritten,    // VTCM is written while it is being stored away
    destination_written,   // VTCM is written while a load into it is in flight
    read_past_vtcm,        // one byte beyond what the plan said
    dma_past_vtcm,         // the same by DMA
    read_before_vtcm,      // a page before what the op has
    write_before_vtcm,     // one byte, in the page where it begins
    dma_before_vtcm,
    dma_into_heap,            // memory of the session that is neither VTCM nor an operand
    transfer_left_in_flight,  // at the end of the op
    vtcm_of_the_op_before,    // taken for defined
    part_of_a_line_stored,    // without having fetched it
    transfer_leaves_buffer,   // reads on behind its end
    descriptor_changed,       // while its transfer is in flight
    polled_once,              // instead of until it is done
    count,
};
inline constexpr uint32_t buffer_bytes = 64u << 10;

struct run_args {
    int32_t fd;
    fault which;
    uint32_t careful;  // 1: the same kernel without its fault
    uint32_t reserved;
};
inline constexpr uint32_t run = 2u << 24 | 1u << 16;  // run_args

// Kernels that go to the limits of queue, tracker and VTCM; right ones but for the last.
enum class stress : uint32_t {
    many_dirty_ranges,    // more than the tracker has room for
    descriptors_run_out,  // a transfer of more pieces than the ring has descriptors
    data_like_poison,     // copied by DMA
    vtcm_between_ops,     // one byte, when nobody has VTCM
    count,
};
// The buffer of the second one: its pieces lie further apart than a descriptor of v73 can say.
inline constexpr uint32_t far_pieces = 300, far_stride = 65536 + 128;

struct stress_args {
    int32_t fd;
    stress which;
    uint32_t bytes;
    uint32_t reserved;
};
inline constexpr uint32_t run_stress = 5u << 24 | 1u << 16;  // stress_args

// One of two sessions that share the buffer and write neighbouring parts of it through their caches.
struct part_args {
    int32_t fd;
    uint32_t begin, bytes;
    uint32_t value;
};
inline constexpr uint32_t fetch_part = 3u << 24 | 1u << 16;  // part_args
inline constexpr uint32_t write_part = 4u << 24 | 1u << 16;  // part_args

}  // namespace careless
