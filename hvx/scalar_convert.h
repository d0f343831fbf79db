// hvx/scalar_convert.h -- one f16 or bf16 number to f32 and back, in integer operations only: Hexagon's compiler would
// call library functions for half floats, and a PC of the v2 level has no instruction for them.
#pragma once

#include <stdint.h>

namespace hexane::hvx {

// Exact. A signalling NaN becomes quiet.
constexpr float f16_to_f32(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    uint32_t bits = 0;
    if (magnitude >= 0x7c00u) {  // infinity, NaN
        bits = 0x7f800000u | magnitude << 13 | (magnitude > 0x7c00u ? 0x00400000u : 0u);
    } else if (magnitude >= 0x0400u) {  // the exponent's bias grows from 15 to 127
        bits = (magnitude << 13) + (112u << 23);
    } else if (magnitude != 0) {  // subnormal: shift the leading one to bit 23
        const uint32_t shift = static_cast<uint32_t>(__builtin_clz(magnitude)) - 8;
        bits = (magnitude << shift) + ((125u - shift) << 23);
    }
    return __builtin_bit_cast(float, sign | bits);
}

// Round to nearest, ties to even; too large becomes infinity, NaN stays NaN (quiet).
constexpr uint16_t f32_to_f16(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 2^16 and above
    // Normal: drop 13 bits. Subnormal: drop more, so that the last bit kept is worth 2^-24; below 2^-26 nothing is
    // left.
    uint32_t kept = magnitude - (112u << 23);
    uint32_t drop = 13;
    if (magnitude < 0x38800000u) {
        if (magnitude < 0x32800000u) return static_cast<uint16_t>(sign);
        kept = (magnitude & 0x007fffffu) | 0x00800000u;
        drop = 126u - (magnitude >> 23);
    }
    const uint32_t odd = kept >> drop & 1u;
    return static_cast<uint16_t>(sign | (kept + (1u << (drop - 1)) - 1u + odd) >> drop);  // may carry into infinity
}

constexpr float bf16_to_f32(uint16_t bf16) { return __builtin_bit_cast(float, static_cast<uint32_t>(bf16) << 16); }

// Round to nearest, ties to even, NaN made quiet, as ggml_compute_fp32_to_bf16.
constexpr uint16_t f32_to_bf16(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static_assert(f16_to_f32(0x3c00) == 1.0f && f16_to_f32(0x0001) == 0x1p-24f && f16_to_f32(0xfbff) == -65504.0f);
static_assert(f32_to_f16(65519.0f) == 0x7bff && f32_to_f16(65520.0f) == 0x7c00 && f32_to_f16(0x1p-24f) == 0x0001);
static_assert(f32_to_f16(0x1p-25f) == 0x0000 && f32_to_f16(0x1.8p-25f) == 0x0001 && f32_to_f16(-0.0f) == 0x8000);

}  // namespace hexane::hvx
