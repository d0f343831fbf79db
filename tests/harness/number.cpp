// tests/harness/number.cpp -- decoding and encoding from the definitions.
#include "tests/harness/number.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace hexane::testing {

namespace {

// A binary format with a sign, `exponent_bits` and `mantissa_bits`, IEEE 754 style.
struct float_format {
    int exponent_bits;
    int mantissa_bits;
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int largest_exponent() const { return (1 << exponent_bits) - 1; }
};

constexpr float_format f16_format{5, 10};
constexpr float_format bf16_format{8, 7};

double decode_float(const float_format &f, uint32_t bits) {
    const int exponent = static_cast<int>(bits >> f.mantissa_bits) & f.largest_exponent();
    const uint32_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
    const double sign = bits >> (f.exponent_bits + f.mantissa_bits) & 1 ? -1.0 : 1.0;
    if (exponent == f.largest_exponent()) {
        return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    }
    const int unit = 1 - f.bias() - f.mantissa_bits;  // exponent of the smallest step
    if (exponent == 0) return sign * std::ldexp(mantissa, unit);
    return sign * std::ldexp(mantissa + (1u << f.mantissa_bits), unit + exponent - 1);
}

uint16_t encode_float(const float_format &f, double value) {
    const uint32_t sign = std::signbit(value) ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
    const uint32_t infinity = static_cast<uint32_t>(f.largest_exponent()) << f.mantissa_bits;
    if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | 1u << (f.mantissa_bits - 1));
    if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
    const double magnitude = std::fabs(value);
    const int least = 1 - f.bias();  // denormals and zero share its step
    const int exponent = magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
    // Steps of the binade; rounding up to the next binade carries into the exponent by itself.
    const double steps = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
    const auto hidden = static_cast<int64_t>(1) << f.mantissa_bits;
    const int64_t bits = static_cast<int64_t>(steps) + (static_cast<int64_t>(exponent + f.bias()) - 1) * hidden;
    return static_cast<uint16_t>(sign | std::min<int64_t>(bits, infinity));
}

uint16_t word_at(const uint8_t *p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }

template <class T> T value_at(const uint8_t *p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template <class T> void store(uint8_t *p, T value) { std::memcpy(p, &value, sizeof value); }

// d (f16), then 16 bytes: element j is the low nibble of byte j, element j + 16 the high one, both less 8.
void decode_q4_0(const uint8_t *block, double *out) {
    const double d = decode_f16(word_at(block));
    for (int j = 0; j < 16; ++j) {
        out[j] = d * ((block[2 + j] & 15) - 8);
        out[j + 16] = d * ((block[2 + j] >> 4) - 8);
    }
}

// d (f16), then 32 signed bytes.
void decode_q8_0(const uint8_t *block, double *out) {
    const double d = decode_f16(word_at(block));
    for (int j = 0; j < 32; ++j) out[j] = d * static_cast<int8_t>(block[2 + j]);
}

double decode_plain(ggml_type type, const uint8_t *p) {
    switch (type) {
        case GGML_TYPE_F32: return value_at<float>(p);
        case GGML_TYPE_F16: return decode_f16(word_at(p));
        case GGML_TYPE_BF16: return decode_bf16(word_at(p));
        case GGML_TYPE_I8: return value_at<int8_t>(p);
        case GGML_TYPE_I16: return value_at<int16_t>(p);
        case GGML_TYPE_I32: return value_at<int32_t>(p);
        case GGML_TYPE_I64: return static_cast<double>(value_at<int64_t>(p));
        default: std::abort();
    }
}

}  // namespace

double decode_f16(uint16_t bits) { return decode_float(f16_format, bits); }
double decode_bf16(uint16_t bits) { return decode_float(bf16_format, bits); }
uint16_t encode_f16(double value) { return encode_float(f16_format, value); }
uint16_t encode_bf16(double value) { return encode_float(bf16_format, value); }

bool is_plain(ggml_type type) { return ggml_blck_size(type) == 1; }

void decode(ggml_type type, const uint8_t *bytes, size_t count, double *out) {
    if (type == GGML_TYPE_Q4_0) {
        for (size_t i = 0; i < count; i += 32) decode_q4_0(bytes + i / 32 * 18, out + i);
    } else if (type == GGML_TYPE_Q8_0) {
        for (size_t i = 0; i < count; i += 32) decode_q8_0(bytes + i / 32 * 34, out + i);
    } else {
        for (size_t i = 0; i < count; ++i) out[i] = decode_plain(type, bytes + i * ggml_type_size(type));
    }
}

void encode(ggml_type type, double value, uint8_t *out) {
    switch (type) {
        case GGML_TYPE_F32: store(out, static_cast<float>(value)); break;
        case GGML_TYPE_F16: store(out, encode_f16(value)); break;
        case GGML_TYPE_BF16: store(out, encode_bf16(value)); break;
        case GGML_TYPE_I8: store(out, static_cast<int8_t>(value)); break;
        case GGML_TYPE_I16: store(out, static_cast<int16_t>(value)); break;
        case GGML_TYPE_I32: store(out, static_cast<int32_t>(value)); break;
        case GGML_TYPE_I64: store(out, static_cast<int64_t>(value)); break;
        default: std::abort();
    }
}

double rounded(ggml_type type, double value) {
    if (!is_plain(type)) return value;
    uint8_t bytes[8];
    encode(type, value, bytes);
    return decode_plain(type, bytes);
}

uint64_t generator::next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

double generator::uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

// Box and Muller.
double generator::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(6.283185307179586 * uniform(0, 1));
}

uint64_t seed_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (; *text; ++text) hash = (hash ^ static_cast<uint8_t>(*text)) * 0x100000001b3ull;
    return hash;
}

}  // namespace hexane::testing
