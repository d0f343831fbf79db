// abi/session_interface.h -- the FastRPC methods of libggml-htp: numbers, scalars words and argument structs.
//
// Packing follows facts of the FastRPC marshaller: all scalar inputs of a method travel as one struct in input buffer 0,
// all scalar outputs as one struct in output buffer 0. Both sides are written by hand against this header.
#pragma once

#include <stdint.h>

#include "abi/batch.h"
#include "abi/digest.h"

namespace hexane {

// Entry point of the library, as the module URI names it.
#define HEX_SKEL_ENTRY htp_iface_skel_handle_invoke
inline constexpr char skel_entry_name[] = "htp_iface_skel_handle_invoke";

// attr[31:29] method[28:24] in[23:16] out[15:8] in-handles[7:4] out-handles[3:0]
constexpr uint32_t scalars(uint32_t method, uint32_t in, uint32_t out, uint32_t in_handles = 0,
                           uint32_t out_handles = 0) {
    return (method & 0x1f) << 24 | (in & 0xff) << 16 | (out & 0xff) << 8 | (in_handles & 0xf) << 4 |
           (out_handles & 0xf);
}

namespace method {
inline constexpr uint32_t open = scalars(0, 2, 0, 0, 1);
inline constexpr uint32_t close = scalars(1, 0, 0, 1, 0);
inline constexpr uint32_t start = scalars(2, 1, 0);
inline constexpr uint32_t stop = scalars(3, 0, 0);
inline constexpr uint32_t unmap = scalars(5, 1, 0);
inline constexpr uint32_t hwinfo = scalars(8, 0, 1);
}  // namespace method

// Input of method::start.
struct start_args {
    uint32_t session_id;  // for log lines
    uint32_t n_hvx;       // worker threads to use, 1 .. hwinfo.n_hvx
    uint64_t queue_id;    // of dspqueue_export
    uint32_t n_hmx;       // matrix units to use, 0 .. hwinfo.n_hmx
    uint32_t reserved;
    uint64_t window_bytes;  // address space that buffers may take at once
    static constexpr auto fields() {
        return field_list{HEX_FIELD(start_args, session_id), HEX_FIELD(start_args, n_hvx),
                          HEX_FIELD(start_args, queue_id), HEX_FIELD(start_args, n_hmx),
                          HEX_FIELD(start_args, window_bytes)};
    }
};
static_assert(sizeof(start_args) == 32);

// Input of method::unmap: the session forgets its mapping of this descriptor.
struct unmap_args {
    uint32_t fd;
    uint32_t reserved;
};
static_assert(sizeof(unmap_args) == 8);

// Output of method::hwinfo.
struct hwinfo_result {
    uint64_t digest;  // abi digest of the library; another one than the plug-in's means: do not start
    uint32_t arch;    // 73, 75, 79 or 81
    uint32_t n_hvx;
    uint32_t n_hmx;
    uint32_t scratch_bytes;  // cached DDR that kernels share per session, see hardware::scratch_bytes
    uint64_t vtcm_bytes;
    static constexpr auto fields() {
        return field_list{HEX_FIELD(hwinfo_result, digest),        HEX_FIELD(hwinfo_result, arch),
                          HEX_FIELD(hwinfo_result, n_hvx),         HEX_FIELD(hwinfo_result, n_hmx),
                          HEX_FIELD(hwinfo_result, scratch_bytes), HEX_FIELD(hwinfo_result, vtcm_bytes)};
    }
};
static_assert(sizeof(hwinfo_result) == 32);

}  // namespace hexane
