// abi/status_code.h -- how a batch, an op or a session call ended, as it crosses the wire.
#pragma once

#include <stdint.h>

namespace hexane {

enum class status_code : uint32_t {
    ok = 0,
    internal = 1,            // an invariant did not hold
    bad_message = 2,         // counts, sizes or indices of a batch do not agree
    unknown_op = 3,          // op id that this library does not have
    bad_index = 4,           // a row or expert index out of range, known only when the op runs
    window_exceeded = 5,     // the buffers of a batch do not fit the address window
    map_failed = 6,          // the platform refused to map a buffer
    vtcm_unavailable = 7,    // VTCM could not be acquired
    dma_failed = 8,          // the DMA engine reported an error
    known_answer_wrong = 9,  // the self-test of a session gave a wrong result
};

constexpr const char *text(status_code c) {
    switch (c) {
        case status_code::ok: return "ok";
        case status_code::internal: return "internal error";
        case status_code::bad_message: return "malformed batch";
        case status_code::unknown_op: return "unknown op";
        case status_code::bad_index: return "index out of range";
        case status_code::window_exceeded: return "address window exceeded";
        case status_code::map_failed: return "buffer could not be mapped";
        case status_code::vtcm_unavailable: return "VTCM unavailable";
        case status_code::dma_failed: return "DMA error";
        case status_code::known_answer_wrong: return "known-answer test failed";
    }
    return "unknown status";
}

}  // namespace hexane
