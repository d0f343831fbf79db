// hvx/trigonometry.h -- cosine and sine of angles in turns. Errors: docs/numerics.md, measured by tests/hvx.
//
// An angle is the 32-bit fraction of a turn: whole turns have gone out of it at the left, without error, however many
// they were. What is left for floating point is an eighth of a turn to either side of a quarter.
//
// Coefficients: minimax polynomials by Remez' exchange in double precision.
#pragma once

#include "hvx/math.h"

namespace hexane::hvx {

struct cosine_sine {
    f32x32 cosine;
    f32x32 sine;
};

// Of 2 pi * turn / 2^32, every value of `turn`. Exact at whole quarters. The integer part is the same on every device.
HEX_HVX cosine_sine cosine_sine_of_turn(i32x32 turn) {
    // sin(pi/2 z) / z and (cos(pi/2 z) - 1) / z^2 in z^2 for |z| <= 1/2: errors 1.2e-9 and 6e-11.
    constexpr float s[] = {1.570796305f, -0.6459629382f, 0.07967590297f, -0.004592289075f};
    constexpr float c[] = {-1.233700543f, 0.2536692440f, -0.02086028851f, 9.040216714e-4f};
    const i32x32 quarter = shift_right(add(turn, splat<i32x32>(1 << 29)), 30);  // the nearest; may wrap to -2
    const i32x32 rest = sub(turn, shift_left(quarter, 30));
    const f32x32 z = mul(to_f32(rest), splat<f32x32>(0x1p-30f));
    const f32x32 square = mul(z, z);
    const f32x32 sine = mul(z, to_f32(detail::polynomial(square, s)));
    const f32x32 cosine = mul_add(splat<f32x32>(1.0f), square, to_f32(detail::polynomial(square, c)));
    const mask odd = equal(bit_and(quarter, splat<i32x32>(1)), splat<i32x32>(1));
    // The cosine is negative in quarters 1 and 2, the sine in 2 and 3.
    const i32x32 second_bit = splat<i32x32>(2);
    const i32x32 cosine_sign = shift_left(bit_and(add(quarter, splat<i32x32>(1)), second_bit), 30);
    const i32x32 sine_sign = shift_left(bit_and(quarter, second_bit), 30);
    return {bit_xor(select(odd, sine, cosine), bits_as<f32x32>(cosine_sign)),
            bit_xor(select(odd, cosine, sine), bits_as<f32x32>(sine_sign))};
}

}  // namespace hexane::hvx
