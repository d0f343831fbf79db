// abi/op_id.h -- wire value of every op. A value is never renumbered and never reused.
#pragma once

#include <stdint.h>

namespace hexane {

enum class op_id : uint32_t {
    noop = 1,
    add = 2,
    sub = 3,
    mul = 4,
    div = 5,
    scale = 6,
    rms_norm = 7,
    reglu = 8,
    geglu = 9,
    swiglu = 10,
    swiglu_oai = 11,
    geglu_erf = 12,
    geglu_quick = 13,
    cpy = 14,
    cont = 15,
    dup = 16,
    mul_mat = 17,
    set_rows = 18,
    rope = 19,
    rope_back = 20,
};

// One more than the largest value above; sizes the dispatch table.
inline constexpr uint32_t op_id_limit = 21;

}  // namespace hexane
