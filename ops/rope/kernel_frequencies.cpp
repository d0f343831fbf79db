// ops/rope/kernel_frequencies.cpp -- frequencies of the pairs, in 64-bit integers: Hexagon has no double, and f32 would
// be off by half a turn at the far end of a long context.
#include "ops/rope/kernel.h"

namespace hexane::kernels {

namespace {

// 1 / (2 pi) of a turn per position, in 2^-64: the frequency of the first pair.
constexpr uint64_t first_frequency = 0x28be60db9391054a;

// High 64 bits of a product.
uint64_t mul_high(uint64_t a, uint64_t b) {
    const auto a0 = static_cast<uint32_t>(a), a1 = static_cast<uint32_t>(a >> 32);
    const auto b0 = static_cast<uint32_t>(b), b1 = static_cast<uint32_t>(b >> 32);
    const uint64_t low = uint64_t{a1} * b0 + (uint64_t{a0} * b0 >> 32);
    const uint64_t middle = uint64_t{a0} * b1 + static_cast<uint32_t>(low);
    return uint64_t{a1} * b1 + (low >> 32) + (middle >> 32);
}

// A factor: +- mantissa * 2^-shift.
struct multiplier {
    uint64_t mantissa;
    int32_t shift;
    bool negative;
};

// F * m in 2^-64, whole turns dropped.
uint64_t times(uint64_t frequency, const multiplier &m) {
    const uint64_t high = mul_high(frequency, m.mantissa), low = frequency * m.mantissa;
    uint64_t product = 0;
    if (m.shift >= 64) {
        product = m.shift < 128 ? high >> (m.shift - 64) : 0;
    } else if (m.shift > 0) {
        product = high << (64 - m.shift) | low >> m.shift;
    } else if (m.shift > -64) {
        product = low << -m.shift;
    }
    return m.negative ? -product : product;
}

// 2^63 / d for d in [1/2, 1), given in 2^-32: Newton's x' = x + x (1 - d x), from a straight line that is off by 1/17.
// The last step goes beyond 32 bits. The result is in (2^63, 2^64), and off by 2^-59 of it at most.
uint64_t reciprocal(uint32_t d) {
    // x in 2^-31: 48/17 - 32/17 d.
    uint32_t x = 0xb4b4b4b4u + (0xb4b4b4b4u - static_cast<uint32_t>(uint64_t{0xf0f0f0f0u} * d >> 32));
    for (int step = 0; step < 3; ++step) {
        const auto error = static_cast<int64_t>((uint64_t{1} << 63) - uint64_t{d} * x) >> 32;  // 1 - d x in 2^-31
        const int64_t next = int64_t{x} + (int64_t{x} * error >> 31);
        x = next > int64_t{0xffffffff} ? 0xffffffffu : static_cast<uint32_t>(next);
    }
    const auto error = static_cast<int64_t>((uint64_t{1} << 63) - uint64_t{d} * x);  // 1 - d x in 2^-63
    const bool below = error >= 0;
    const auto size = static_cast<uint64_t>(below ? error : -error);
    const uint64_t wide = uint64_t{x} << 32;  // x in 2^-63
    const uint64_t change = mul_high(wide, size) << 1;
    return below ? (wide > ~change ? ~uint64_t{0} : wide + change) : wide - change;
}

// scale(i).
multiplier scale_of(const op::rope_params &p, uint32_t pair) {
    const auto i = static_cast<int32_t>(pair);
    int64_t scale = p.scale_first;
    if (i >= p.ramp_end) {
        scale = p.scale_last;
    } else if (i > p.ramp_begin) {
        scale += p.scale_step * (i - p.ramp_begin);
    }
    return {static_cast<uint64_t>(scale < 0 ? -scale : scale), 48, scale < 0};
}

// Whether dividing by an f32 of these bits leaves a number: not by zero, subnormal or NaN.
bool divides(uint32_t bits) {
    const uint32_t magnitude = bits & 0x7fffffffu;
    return magnitude >= 0x00800000u && magnitude <= 0x7f800000u;
}

// m / factor, the factor given by its bits. REQUIRES: divides(bits).
multiplier divided(const multiplier &m, uint32_t bits) {
    const uint32_t exponent = bits >> 23 & 0xffu;
    if (exponent == 0xffu || m.mantissa == 0) return {0, 0, false};
    const auto zeros = __builtin_clzll(m.mantissa);
    const uint64_t inverse = reciprocal((bits | 0x00800000u) << 8);
    // The factor is d * 2^(exponent - 126), the inverse 2^63 / d.
    const int32_t shift = m.shift + zeros + static_cast<int32_t>(exponent) - 126 + 63 - 64;
    return {mul_high(m.mantissa << zeros, inverse), shift, m.negative != (bits >> 31 != 0)};
}

// Steps from pair to pair as ggml takes them: which position a pair follows, and the power of the ratio in its
// frequency, which starts anew with a section if they restart.
class pair_walk {
  public:
    explicit pair_walk(const op::rope_params &p) : params_(p) {
        second_ = p.section[0];
        third_ = second_ + p.section[1];
        fourth_ = third_ + p.section[2];
        end_ = fourth_ + p.section[3];
        restart();
    }

    uint32_t position() const { return position_; }
    uint64_t frequency() const { return power_[params_.sections == op::rope_sections::restarting ? position_ : 0]; }

    void advance() {
        power_[0] = mul_high(power_[0], params_.ratio);
        if (params_.sections == op::rope_sections::none) return;
        if (params_.sections == op::rope_sections::restarting)
            for (int i = 1; i < 4; ++i) power_[i] = mul_high(power_[i], params_.ratio);
        third_of_three_ = third_of_three_ == 2 ? 0 : third_of_three_ + 1;
        if (++sector_ == end_) sector_ = third_of_three_ = 0;
        enter_sector();
    }

  private:
    void restart() {
        for (uint64_t &f : power_) f = first_frequency;
        if (params_.sections != op::rope_sections::none) enter_sector();
    }

    void enter_sector() {
        if (params_.sections == op::rope_sections::interleaved) {
            const uint32_t turn = third_of_three_;
            position_ = sector_ < 3 * params_.section[turn] ? turn : 3;
            return;
        }
        position_ = sector_ < second_ ? 0 : sector_ < third_ ? 1 : sector_ < fourth_ ? 2 : 3;
        if (params_.sections != op::rope_sections::restarting) return;
        if (sector_ == 0) {
            power_[0] = first_frequency;
        } else if (sector_ == second_) {
            power_[1] = first_frequency;
        } else if (sector_ == third_) {
            power_[2] = first_frequency;
        } else if (sector_ == fourth_) {
            power_[3] = first_frequency;
        }
    }

    const op::rope_params &params_;
    uint32_t second_, third_, fourth_, end_;  // where sections begin
    uint32_t sector_ = 0;                     // pair within the sections
    uint32_t third_of_three_ = 0;             // sector_ modulo 3
    uint32_t position_ = 0;
    uint64_t power_[4];
};

// One block, as kernel.h describes it.
struct frequency_block {
    uint32_t word[op::rope_layout::frequency_words][op::rope_layout::block_pairs];
    float magnitude[op::rope_layout::block_pairs];
    uint32_t position[op::rope_layout::block_pairs];
};
static_assert(sizeof(frequency_block) == op::rope_layout::frequency_block_bytes);

}  // namespace

void fill_frequencies(uint8_t *to, const op::rope_params &p, const float *factors) {
    pair_walk walk(p);
    for (uint32_t pair = 0; pair < p.n_pairs; ++pair, walk.advance()) {
        auto &block = reinterpret_cast<frequency_block *>(to)[pair / op::rope_layout::block_pairs];
        const uint32_t lane = pair % op::rope_layout::block_pairs;
        multiplier scale = scale_of(p, pair);
        float magnitude = p.magnitude;
        if (factors) {
            const auto bits = __builtin_bit_cast(uint32_t, factors[pair]);
            if (divides(bits)) {
                scale = divided(scale, bits);
            } else {
                magnitude = __builtin_nanf("");
            }
        }
        const uint64_t frequency = times(walk.frequency(), scale);
        for (uint32_t w = 0; w < op::rope_layout::frequency_words; ++w)
            block.word[w][lane] = __builtin_bswap32(static_cast<uint32_t>(frequency >> (32 - 8 * w)));
        block.magnitude[lane] = magnitude;
        block.position[lane] = walk.position();
    }
}

}  // namespace hexane::kernels
