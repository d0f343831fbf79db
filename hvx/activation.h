// hvx/activation.h -- the activation functions of the GLU family, as ggml defines them. Whole range; NaN in, NaN out;
// at -infinity they are their limit, -0.
#pragma once

#include "hvx/math.h"

namespace hexane::hvx {

namespace detail {
// x with everything below -128 made -128, where all of these functions are -0 already: keeps -infinity * 0 away.
HEX_HVX f32x32 above_minus_128(f32x32 x) { return max_of_numbers(splat<f32x32>(-128.0f), x); }

// x * sigmoid(u(x)). REQUIRES: u(x) has the sign of x and is not smaller.
template <class Inner> HEX_HVX f32x32 times_sigmoid(f32x32 x, Inner u) {
#if HEX_F32_LANES
    const f32x32 inside = above_minus_128(x);
    return mul(inside, sigmoid(u(inside)));
#else
    return on_device::times_sigmoid(x, on_device::inverse_power(u(x)));
#endif
}
}  // namespace detail

// sqrt(8 / pi) * (x + 0.044715 x^3), as 0.044715 sqrt(8 / pi) x * (x^2 + 1 / 0.044715).
HEX_HVX f32x32 argument_of_gelu(f32x32 x) {
    const chain square = chain_add(chain_mul(x, x), splat<f32x32>(22.3638600f));
    return to_f32(chain_mul(chain_mul(x, splat<f32x32>(0.0713548163f)), square));
}
HEX_HVX f32x32 argument_of_gelu_quick(f32x32 x) { return mul(x, splat<f32x32>(1.702f)); }

// x * sigmoid(x)
HEX_HVX f32x32 silu(f32x32 x) {
    return detail::times_sigmoid(x, [](f32x32 y) __attribute__((always_inline)) { return y; });
}

// x / 2 * (1 + tanh(u)), u = sqrt(2 / pi) * (x + 0.044715 x^3). (1 + tanh(u)) / 2 is sigmoid(2 u), which does not
// cancel.
HEX_HVX f32x32 gelu_tanh(f32x32 x) {
    return detail::times_sigmoid(x, [](f32x32 y) __attribute__((always_inline)) { return argument_of_gelu(y); });
}

// x / 2 * (1 + erf(x / sqrt(2))), for negative x as x / 2 * erfc, which does not cancel.
HEX_HVX f32x32 gelu_erf(f32x32 x) {
    const f32x32 inside = detail::above_minus_128(x);
    const f32x32 tail = erfc_positive(mul(abs(inside), splat<f32x32>(0.70710678119f)));
    const f32x32 twice = select(less(inside, splat<f32x32>(0.0f)), tail, sub(splat<f32x32>(2.0f), tail));
    return detail::keep_nan(x, mul(mul(inside, splat<f32x32>(0.5f)), twice));
}

// x * sigmoid(1.702 x)
HEX_HVX f32x32 gelu_quick(f32x32 x) {
    return detail::times_sigmoid(x, [](f32x32 y) __attribute__((always_inline)) { return argument_of_gelu_quick(y); });
}

// max(x, 0); NaN stays.
HEX_HVX f32x32 relu(f32x32 x) { return at_least(x, zero<f32x32>()); }

}  // namespace hexane::hvx
