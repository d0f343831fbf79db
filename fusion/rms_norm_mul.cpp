// fusion/rms_norm_mul.cpp -- RMS_NORM, then MUL of its result with weights: one op that reads the rows once.
//
//   n = RMS_NORM(x);  y = MUL(n, w) or MUL(w, n)  ->  y = RMS_NORM+MUL(x, w)
//
// if y lies where n lies, element on element (fusion/step.h has why), and no byte of w does: MUL would see the norm
// there. Types and shapes that the planners of the two ops take are fine for the fused one if its own planner takes
// them; the norm is rounded to its type before the product, as the two ops do it.
#include "ops/rms_norm_mul/rms_norm_mul.h"
#include "fusion/rules.h"
#include "ops/binary/binary.h"
#include "ops/rms_norm/rms_norm.h"

namespace hexane::fusion {

namespace {

std::optional<fused> fuse_them(const step &norm, const step &product) {
    const operand middle = norm.result();
    if (!same(product.result(), middle)) return std::nullopt;
    const bool first = same(product.source(0), middle);
    if (!first && !same(product.source(1), middle)) return std::nullopt;
    const uint8_t weights = first ? 1 : 0;
    if (meet(product.source(weights), middle)) return std::nullopt;
    return fuse(op::rms_norm_mul::id, norm.node.params, norm, product, {{0, 0}, {1, weights}});
}

}  // namespace

constinit const rule rms_norm_mul{op::rms_norm_mul::name, 4, op::rms_norm::id, op::mul::id, fuse_them};

}  // namespace hexane::fusion
