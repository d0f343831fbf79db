// tests/harness/number.h -- element types as the tests understand them: decoded to double, encoded with one rounding.
//
// Written from the definitions of the formats and independent of the code under test, of ggml and of the host's own conversions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ggml.h>

namespace hexane::testing {

// Value of an f16 or bf16 bit pattern.
double decode_f16(uint16_t bits);
double decode_bf16(uint16_t bits);

// Nearest pattern, ties to even; overflow gives infinity.
uint16_t encode_f16(double value);
uint16_t encode_bf16(double value);

// `count` consecutive elements. REQUIRES: for block types, a whole number of blocks.
void decode(ggml_type type, const uint8_t *bytes, size_t count, double *out);

// One element of a plain type; rounded to nearest even for floats, towards zero for integers.
void encode(ggml_type type, double value, uint8_t *out);

// What is left of `value` after it has been stored as `type`; `value` itself for a block type, which no op of ours rounds to.
double rounded(ggml_type type, double value);

// Whether an element is stored by itself, not in blocks.
bool is_plain(ggml_type type);

// 64-bit generator (splitmix64, Steele, Lea and Flood 2014): the same numbers everywhere.
class generator {
  public:
    explicit generator(uint64_t seed) : state_(seed) {}
    uint64_t next();
    double uniform(double low, double high);
    double normal();
    // 0 .. count - 1
    uint32_t below(uint32_t count) { return static_cast<uint32_t>(next() % count); }

  private:
    uint64_t state_;
};

// FNV-1a of a text, for seeds that follow from a name.
uint64_t seed_of(const char *text);

}  // namespace hexane::testing
