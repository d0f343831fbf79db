// htp/status.h -- the result of everything that can fail on the NPU.
#pragma once

#include <stdint.h>

#include "abi/status_code.h"

namespace hexane::htp {

// A status code, a reason that stays valid for ever (a string literal), and the number that the reason speaks of.
// The first failure of a batch wins and ends it.
struct [[nodiscard]] status {
    status_code code = status_code::ok;
    const char *reason = "";
    uint64_t value = 0;

    constexpr bool failed() const { return code != status_code::ok; }
    static constexpr status ok() { return {}; }
    static constexpr status failure(status_code code, const char *reason, uint64_t value = 0) {
        return {code, reason, value};
    }
};

}  // namespace hexane::htp
