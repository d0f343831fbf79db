// host/byte_hash.h -- a quick hash of plain bytes. What it finds is always verified by comparison.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hexane::host {

// Eight bytes a step; the multiplier is 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 3,
// section 6.4).
inline uint64_t byte_hash(std::string_view bytes) {
    constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ull;
    uint64_t h = bytes.size() * multiplier;
    size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + i, 8);
        h = std::rotl((h ^ word) * multiplier, 29);
    }
    for (; i < bytes.size(); ++i) h = std::rotl((h ^ static_cast<uint8_t>(bytes[i])) * multiplier, 29);
    return h ^ h >> 32;
}

struct byte_hasher {
    using is_transparent = void;
    size_t operator()(std::string_view bytes) const { return byte_hash(bytes); }
};

}  // namespace hexane::host
