// hvx/convert_by_halves.h -- f16 to f32 and back by operations on halfwords, exact for every value, as Hexagon before v79 has to do it.
//
// Each conversion comes in two parts, so that a loop can overlap the second part of some vectors with the first of others:
// the 18 and 30 operations fill the four slots of a packet, but depend on each other in long chains (docs/performance.md).
#pragma once

#include "hvx/halfwords.h"
#include "hvx/memory.h"
#include "hvx/permute.h"

namespace hexane::hvx::by_halves {

HEX_HVX i16x64 all(int bits) { return splat<i16x64>(static_cast<int16_t>(bits)); }

// For the number of zeros in front of an f16 number without its sign: how far the exponent's bias grows (15 to 127, which is 112), less
// the zeros in front of a subnormal number's leading one, which goes to bit 10; times two. Nothing for zero, nor for the zero byte that is
// the upper half of the number of zeros.
inline constexpr auto bias_by_zeros = table_of_bytes([](uint32_t zeros) {
    const uint32_t tiny = zeros > 5 ? zeros - 5 : 0;
    return zeros == 0 || zeros >= 16 ? 0 : 2 * (112 - tiny);
});

// f16 to f32, half done.
struct widening {
    i16x64 sign, magnitude;
    i16x64 normal;  // the magnitude, a subnormal number's leading one at bit 10, where the exponents 1 and 2 differ
    i16x64 bias;    // from the table
};
HEX_HVX widening begin_to_f32(f16x64 x) {
    const i16x64 bits = bits_as<i16x64>(x), magnitude = bit_and(bits, all(0x7fff));
    const i16x64 zeros = leading_zeros(magnitude);
    const u8x128 bias = lookup(bits_as<u8x128>(zeros), load<u8x128>(bias_by_zeros.at));
    return {bit_and(bits, all(-0x8000)), magnitude, shift_left(magnitude, sub_to_zero(zeros, all(5))),
            bits_as<i16x64>(bias)};
}
// Natural order: lanes 0..31 in lo.
HEX_HVX f32x32x2 end_to_f32(widening x) {
    i16x64 high = add_shifted_right(x.sign, x.normal, 3);
    high = add_product(high, x.bias, 64);
    // The bias of infinity and NaN grows once more, and a NaN becomes quiet.
    high = add_where(greater(x.magnitude, all(0x7bff)), high, all(112 << 7));
    high = set_where(greater(x.magnitude, all(0x7c00)), high, 0x40);
    const pair<i16x64> words = interleave_halves(shift_left(x.normal, 13), high);
    return {bits_as<f32x32>(words.lo), bits_as<f32x32>(words.hi)};
}
HEX_HVX f32x32x2 to_f32(f16x64 x) { return end_to_f32(begin_to_f32(x)); }

// What the mantissa (16 bits, the leading one included) is multiplied with so that the upper half of the product is the result's: 2^11,
// less one power of two for each exponent below the smallest normal one. The twelfth leaves nothing to be rounded.
inline constexpr auto factor_by_exponents_below =
    table_of_halves([](uint32_t below) { return below > 11 ? 0 : 1 << (11 - below); });

// f32 to f16, half done. Even lanes are those of the first vector, odd lanes those of the second.
struct narrowing {
    i16x64 upper, lower;  // of the f32 numbers
    i16x64 mantissa;      // its first 16 bits
};
HEX_HVX narrowing begin_to_f16(f32x32 lo, f32x32 hi) {
    const f32x32x2 x = {lo, hi};
    return {high_halves(x), low_halves(x), bit_or(halves_from_bit(x, 8), all(-0x8000))};
}
HEX_HVX f16x64 end_to_f16(narrowing x) {
    const i16x64 magnitude = add(x.upper, x.upper);  // the exponent is the upper byte
    const auto bytes = bits_as<u8x128>(magnitude);
    const u8x128 below = sub_to_zero(bits_as<u8x128>(all(113 << 8)), bytes);
    const i16x64 factor = lookup(below, load<i16x64>(factor_by_exponents_below.at)).hi;
    const i32x32x2 product = mul_unsigned(x.mantissa, factor);
    // Rounded to nearest, the middle upwards. It was the middle if the product says so, and the f32's last byte, which is not in it; then
    // the odd result goes back to the even one. That is the last bit's affair, so it matters not what the mask has in the other byte.
    i16x64 result = rounded_high_halves(product);
    const mask is_middle =
        and_equal(equal(low_halves(product), all(-0x8000)), bits_as<u8x128>(x.lower), zero<u8x128>());
    result = sub_where(is_middle, result, bit_and(result, all(1)));
    // The leading one is the lowest bit of the exponent.
    const i16x64 exponent = bits_as<i16x64>(sub_to_zero(bytes, bits_as<u8x128>(all(113 << 8 | 0xff))));
    result = add_product(result, exponent, 4);
    result = select(greater_unsigned(magnitude, all((143 << 8) - 1)), all(0x7c00), result);
    mask is_nan = or_greater_unsigned(greater_unsigned(x.mantissa, all(-0x8000)), x.lower, zero<i16x64>());
    is_nan = and_greater_unsigned(is_nan, magnitude, all((255 << 8) - 1));
    result = set_where(is_nan, result, 0x200);
    return bits_as<f16x64>(deal_lanes(bit_or(result, bit_and(x.upper, all(-0x8000)))));
}
HEX_HVX f16x64 to_f16(f32x32 lo, f32x32 hi) { return end_to_f16(begin_to_f16(lo, hi)); }

}  // namespace hexane::hvx::by_halves
