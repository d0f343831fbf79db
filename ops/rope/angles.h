// ops/rope/angles.h -- from a position and the frequencies to cosines and sines, in vectors.
#pragma once

#include "htp/vtcm_byte.h"
#include "hvx/memory.h"
#include "hvx/trigonometry.h"
#include "ops/rope/rope.h"

namespace hexane::kernels {

using htp::vtcm_byte;

// A position as the digits that angle_of() multiplies by: -|position| in base 256 with digits from -128 to 127, the
// lowest in the lowest byte. A negative number needs no fifth digit.
struct position_digits {
    int32_t digits;
    int32_t flip;  // -1: the angle's sign must be turned, else 0

    static position_digits of(int32_t position, bool backward) {
        uint32_t rest = position < 0 ? static_cast<uint32_t>(position) : -static_cast<uint32_t>(position);
        // Each digit of 128 and more becomes negative and carries into the next.
        const uint32_t carried = rest + 0x00808080u;
        rest = carried ^ 0x00808080u;
        return {static_cast<int32_t>(rest), (position < 0) == backward ? -1 : 0};
    }
};

// The positions of one row: one, or four of which each pair follows one.
template <bool Sections> struct row_position;

template <> struct row_position<false> {
    position_digits at;

    HEX_HVX hvx::i32x32 dot(hvx::i32x32 sum, hvx::u8x128 frequency) const {
        return hvx::dot4_acc(sum, frequency, at.digits);
    }
    HEX_HVX hvx::i32x32 flip() const { return hvx::splat<hvx::i32x32>(at.flip); }
};

// The four of them lane by lane, picked for one block of pairs.
template <> struct row_position<true> {
    hvx::i32x32 digits;
    hvx::i32x32 flips;

    HEX_HVX static row_position pick(const position_digits (&of)[4], hvx::i32x32 which) {
        row_position r{hvx::splat<hvx::i32x32>(of[0].digits), hvx::splat<hvx::i32x32>(of[0].flip)};
        for (int i = 1; i < 4; ++i) {
            const hvx::mask here = hvx::equal(which, hvx::splat<hvx::i32x32>(i));
            r.digits = hvx::select(here, hvx::splat<hvx::i32x32>(of[i].digits), r.digits);
            r.flips = hvx::select(here, hvx::splat<hvx::i32x32>(of[i].flip), r.flips);
        }
        return r;
    }
    HEX_HVX hvx::i32x32 dot(hvx::i32x32 sum, hvx::u8x128 frequency) const {
        return hvx::dot4_acc(sum, frequency, hvx::bits_as<hvx::i8x128>(digits));
    }
    HEX_HVX hvx::i32x32 flip() const { return flips; }
};

// position * F modulo one turn, in 2^-32 and within 2 of them. With F = sum of f[j] 256^-(j+1) and position = sum of
// p[k] 256^k, the products that weigh 256^-(w+1) are f[w] p[0] + f[w+1] p[1] + f[w+2] p[2] + f[w+3] p[3]: a dot product
// of the bytes of word w. Products that weigh 1 and more are whole turns.
template <bool Sections> HEX_HVX hvx::i32x32 angle_of(const row_position<Sections> &position, const uint8_t *block) {
    using namespace hvx;
    const auto word = [=](uint32_t w) __attribute__((always_inline)) { return load<u8x128>(block + w * line_bytes); };
    i32x32 turn = position.dot(zero<i32x32>(), word(0));
    turn = position.dot(shift_left(turn, 8), word(1));
    turn = position.dot(shift_left(turn, 8), word(2));
    turn = position.dot(shift_left(turn, 8), word(3));
    turn = add(turn, shift_right(position.dot(zero<i32x32>(), word(4)), 8));
    return sub(bit_xor(turn, position.flip()), position.flip());
}

// Writes cosine and sine of every pair for one position (op::rope_layout::angle_bytes at `to`). `frequencies` is what
// fill_frequencies() made.
template <bool Sections>
[[gnu::noinline]] void fill_angles(vtcm_byte *to, const uint8_t *frequencies, uint32_t n_pairs,
                                   const position_digits (&of)[4]) {
    using namespace hvx;
    constexpr uint32_t magnitude_at = op::rope_layout::frequency_words * line_bytes;
    for (uint32_t block = 0; block < op::rope_layout::blocks(n_pairs); ++block) {
        row_position<Sections> position;
        if constexpr (Sections) {
            position = row_position<true>::pick(of, load<i32x32>(frequencies + magnitude_at + line_bytes));
        } else {
            position.at = of[0];
        }
        const cosine_sine angle = cosine_sine_of_turn(angle_of(position, frequencies));
        const auto magnitude = load<f32x32>(frequencies + magnitude_at);
        store(to, mul(angle.cosine, magnitude));
        store(to + line_bytes, mul(angle.sine, magnitude));
        frequencies += op::rope_layout::frequency_block_bytes;
        to += op::rope_layout::angle_block_bytes;
    }
}

}  // namespace hexane::kernels
