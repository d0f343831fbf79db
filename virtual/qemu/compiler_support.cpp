// virtual/qemu/compiler_support.cpp -- what the compiler calls because the processor has no instruction for it: integer division,
// and conversions of the half-precision type. A device's image exports the same names.
#include <stdint.h>
#include <string.h>

namespace {

template <class Unsigned> struct division {
    Unsigned quotient, remainder;
};

constexpr int leading_zeros(uint32_t x) { return __builtin_clz(x); }
constexpr int leading_zeros(uint64_t x) { return __builtin_clzll(x); }

// Long division in base 2. Division by zero gives 0 and the dividend.
template <class Unsigned> constexpr division<Unsigned> divide(Unsigned a, Unsigned b) {
    if (b == 0 || a < b) return {0, a};
    Unsigned quotient = 0;
    int shift = leading_zeros(b) - leading_zeros(a);
    for (b <<= shift; shift >= 0; --shift, b >>= 1) {
        quotient <<= 1;
        if (a >= b) {
            a -= b;
            quotient |= 1;
        }
    }
    return {quotient, a};
}
static_assert(divide<uint32_t>(1000000007, 10).quotient == 100000000 && divide<uint64_t>(7, 7).quotient == 1);
static_assert(divide<uint64_t>(~0ull, 1000).remainder == 615 && divide<uint32_t>(5, 0).remainder == 5);

uint32_t magnitude_of(int32_t x) { return x < 0 ? 0u - static_cast<uint32_t>(x) : static_cast<uint32_t>(x); }
uint64_t magnitude_of(int64_t x) { return x < 0 ? 0ull - static_cast<uint64_t>(x) : static_cast<uint64_t>(x); }

// Rounds towards zero; the remainder has the sign of the dividend.
template <class Signed> Signed signed_quotient(Signed a, Signed b) {
    const auto q = divide(magnitude_of(a), magnitude_of(b)).quotient;
    return static_cast<Signed>((a < 0) != (b < 0) ? 0 - q : q);
}
template <class Signed> Signed signed_remainder(Signed a, Signed b) {
    const auto r = divide(magnitude_of(a), magnitude_of(b)).remainder;
    return static_cast<Signed>(a < 0 ? 0 - r : r);
}

constexpr uint32_t f32_infinity = 0x7f80'0000;

float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

extern "C" {

uint32_t __hexagon_udivsi3(uint32_t a, uint32_t b) { return divide(a, b).quotient; }
uint32_t __hexagon_umodsi3(uint32_t a, uint32_t b) { return divide(a, b).remainder; }
uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b) { return divide(a, b).quotient; }
uint64_t __hexagon_umoddi3(uint64_t a, uint64_t b) { return divide(a, b).remainder; }
int32_t __hexagon_divsi3(int32_t a, int32_t b) { return signed_quotient(a, b); }
int32_t __hexagon_modsi3(int32_t a, int32_t b) { return signed_remainder(a, b); }
int64_t __hexagon_divdi3(int64_t a, int64_t b) { return signed_quotient(a, b); }
int64_t __hexagon_moddi3(int64_t a, int64_t b) { return signed_remainder(a, b); }

// Half to float; a signalling NaN becomes quiet.
float __extendhfsf2(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
    const uint32_t exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
    if (exponent == 0x1f) return float_of(sign | f32_infinity | fraction << 13 | (fraction ? 0x40'0000u : 0u));
    if (exponent) return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    if (!fraction) return float_of(sign);
    const int shift = leading_zeros(fraction) - 21;  // to the place of the implicit bit
    return float_of(sign | static_cast<uint32_t>(113 - shift) << 23 | ((fraction << shift) & 0x3ff) << 13);
}

// Float to half: to nearest, ties to even; from 65520 infinity.
uint16_t __truncsfhf2(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    const uint32_t size = bits & 0x7fff'ffff;
    if (size > f32_infinity) return sign | 0x7e00 | static_cast<uint16_t>(size >> 13 & 0x3ff);
    if (size >= 0x477f'f000) return sign | 0x7c00;
    if (size < 0x3300'0000) return sign;  // below half of the smallest subnormal
    const uint32_t exponent = size >> 23;
    const bool normal = exponent >= 113;
    const uint32_t kept = normal ? size - (112u << 23) : (size & 0x7f'ffff) | 0x80'0000;
    const uint32_t dropped_bits = normal ? 13 : 126 - exponent;
    const uint32_t dropped = kept & ((1u << dropped_bits) - 1), half = 1u << (dropped_bits - 1);
    uint32_t result = kept >> dropped_bits;
    result += dropped > half || (dropped == half && (result & 1));
    return static_cast<uint16_t>(sign | result);
}

}  // extern "C"
