// ops/glu/glu.h -- gated linear units: dst = activation(x) * g.
//
// One source:   src0 [2n, n1, n2, n3], x = first half of each row, g = second half; swapped: the other way round
// Two sources:  src0 [n, n1, n2, n3] = x, src1 [n, n1, n2, n3] = g
// dst           [n, n1, n2, n3]
// f32, f16 or bf16, all the same; any strides. Computed in f32, rounded once.
//
//   REGLU        max(x, 0) * g
//   GEGLU        0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) * g
//   SWIGLU       x / (1 + exp(-x)) * g
//   SWIGLU_OAI   x' / (1 + exp(-alpha x')) * (g' + 1), x' = min(x, limit), g' = clamp(g, -limit, limit)
//   GEGLU_ERF    0.5 x (1 + erf(x / sqrt(2))) * g
//   GEGLU_QUICK  x / (1 + exp(-1.702 x)) * g
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

struct glu_params {
    rows::blocks blocks;
    rows::loops loops;  // of dst, x, g
    uint32_t x_offset;  // bytes from src0 to x
    uint32_t g_offset;  // bytes from src0, or from src1 if there is one, to g
    float alpha;        // SWIGLU_OAI alone reads these two
    float limit;
    static constexpr auto fields() {
        return field_list{HEX_FIELD(glu_params, blocks),   HEX_FIELD(glu_params, loops),
                          HEX_FIELD(glu_params, x_offset), HEX_FIELD(glu_params, g_offset),
                          HEX_FIELD(glu_params, alpha),    HEX_FIELD(glu_params, limit)};
    }
};
static_assert(sizeof(glu_params) == 124);

struct glu {
    using kernel_params = glu_params;
    using members =
        op_members<struct reglu, struct geglu, struct swiglu, struct swiglu_oai, struct geglu_erf, struct geglu_quick>;
};

struct glu_member {
    using family = glu;
    using kernel_params = glu_params;
    static constexpr uint32_t n_sources = 1;
};
struct reglu : glu_member {
    static constexpr op_id id{8};
    static constexpr const char *name = "REGLU";
};
struct geglu : glu_member {
    static constexpr op_id id{9};
    static constexpr const char *name = "GEGLU";
};
struct swiglu : glu_member {
    static constexpr op_id id{10};
    static constexpr const char *name = "SWIGLU";
};
struct swiglu_oai : glu_member {
    static constexpr op_id id{11};
    static constexpr const char *name = "SWIGLU_OAI";
};
struct geglu_erf : glu_member {
    static constexpr op_id id{12};
    static constexpr const char *name = "GEGLU_ERF";
};
struct geglu_quick : glu_member {
    static constexpr op_id id{13};
    static constexpr const char *name = "GEGLU_QUICK";
};

}  // namespace hexane::op
