// virtual/strict/poison.h -- the bytes that stand where nobody may look: undefined VTCM, transfers that have not landed, lines that the
// cache does not hold.
//
// Every 16-bit half is a NaN of f16 and of bf16, and every word a signalling NaN of f32 that keeps its payload through arithmetic:
// results computed from it can be told.
#pragma once

#include <stdint.h>
#include <string.h>

namespace hexane::virt::strict {

inline constexpr uint8_t poison_even = 0xa5, poison_odd = 0x7f;

// The poison byte that belongs at an address.
constexpr uint8_t poison_at(uint64_t address) { return address & 1 ? poison_odd : poison_even; }

inline void poison(uint8_t *at, uint64_t bytes) {
    const auto first = reinterpret_cast<uint64_t>(at);
    const uint8_t pair[2] = {poison_at(first), poison_at(first + 1)};
    uint64_t done = bytes < 2 ? bytes : 2;
    memcpy(at, pair, done);
    for (uint64_t n; done < bytes; done += n) {  // doubling keeps the parity: every piece begins at an even distance
        n = done < bytes - done ? done : bytes - done;
        memcpy(at + done, at, n);
    }
}

// Offset of the first byte that is not poison, or `bytes`.
inline uint64_t first_unpoisoned(const uint8_t *at, uint64_t bytes) {
    const auto first = reinterpret_cast<uint64_t>(at);
    // Most often all of it is: every byte is like the one two before it.
    if (bytes > 2 && at[0] == poison_at(first) && at[1] == poison_at(first + 1) && memcmp(at, at + 2, bytes - 2) == 0)
        return bytes;
    for (uint64_t i = 0; i < bytes; ++i) {
        if (at[i] != poison_at(first + i)) return i;
    }
    return bytes;
}

// A word of f32 that poison went into, by copying or by arithmetic (which makes the NaN a quiet one).
constexpr bool is_poison_word(uint32_t word) { return (word | 0x0040'0000u) == 0x7fe5'7fa5u; }

// Offset of the first `words` aligned words in a row that poison went into, in [at, at + bytes), or `bytes`. One such word may well be
// somebody's data, a few in a row hardly.
inline uint64_t first_poison_run(const uint8_t *at, uint64_t bytes, uint32_t words) {
    uint32_t run = 0;
    for (uint64_t i = (4 - (reinterpret_cast<uint64_t>(at) & 3)) & 3; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, sizeof word);
        run = is_poison_word(word) ? run + 1 : 0;
        if (run == words) return i + 4 - words * 4;
    }
    return bytes;
}

}  // namespace hexane::virt::strict
