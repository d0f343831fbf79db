// tests/intrinsics/operands.h -- the operands of case i, the same on every machine: integers only.
#pragma once

#include "tests/intrinsics/intrinsics.h"

namespace hexane::proof {

inline constexpr uint32_t cases_per_intrinsic = 400;

class random_words {
  public:
    explicit random_words(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint32_t next() {  // xorshift64*, Vigna 2016
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<uint32_t>((state_ * 0x2545f4914f6cdd1du) >> 32);
    }

  private:
    uint64_t state_;
};

// A value at or near an edge of a lane of 8, 16 or 32 bits.
inline uint32_t edge(random_words &random, uint32_t bits) {
    const uint32_t top = 1u << (bits - 1);
    const uint32_t edges[] = {0,  1,  2,  top - 2, top - 1, top, top + 1, ~0u, ~1u, top >> 1, (top >> 1) - 1,
                              31, 32, 33, 63,      64};
    return edges[random.next() % (sizeof edges / sizeof edges[0])];
}

// Random bits; a lane in three of the width `bits` is an edge.
inline HVX_Vector random_vector(random_words &random, uint32_t bits) {
    union {
        HVX_Vector v;
        uint8_t bytes[128];
    } u;
    for (uint32_t i = 0; i < 128; i += bits / 8) {
        const uint32_t lane = random.next() % 3 == 0 ? edge(random, bits) : random.next();
        for (uint32_t b = 0; b < bits / 8; ++b) u.bytes[i + b] = static_cast<uint8_t>(lane >> (8 * b));
    }
    return u.v;
}

inline HVX_Vector random_mask(random_words &random) {
    union {
        HVX_Vector v;
        uint8_t bytes[128];
    } u;
    const uint32_t kind = random.next() % 8;  // now and then all or none
    for (uint8_t &byte : u.bytes) byte = kind == 0 ? 0 : kind == 1 || (random.next() & 1) ? 0xff : 0;
    return u.v;
}

// Counts and immediates: all small ones in turn, powers of two and their negatives, random words.
inline int32_t random_scalar(random_words &random, uint32_t i) {
    switch (random.next() % 4) {
        case 0: return static_cast<int32_t>(i % 260) - 130;
        case 1: return static_cast<int32_t>(1u << (random.next() % 32));
        case 2: return -static_cast<int32_t>(1u << (random.next() % 8));
        default: return static_cast<int32_t>(random.next());
    }
}

// Case i of intrinsic n. `region` is filled too.
inline operands make_operands(uint32_t n, uint32_t i, uint8_t *region) {
    random_words random(uint64_t{n} << 32 | i);
    const uint32_t bits = 8u << (i % 3);
    for (uint32_t k = 0; k < region_bytes; ++k) region[k] = static_cast<uint8_t>(random.next());
    operands o;
    o.a = random_vector(random, bits);
    o.b = i % 7 == 0 ? o.a : random_vector(random, bits);
    o.c = random_vector(random, bits);
    o.p = random_mask(random);
    o.q = random_mask(random);
    o.r = random_scalar(random, i);
    o.region = region;
    return o;
}

}  // namespace hexane::proof
