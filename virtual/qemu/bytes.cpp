// virtual/qemu/bytes.cpp -- memcpy and its relatives, in the largest scalars that the alignment allows: an emulated engine's transfers
// run through them, and under qemu a vector store, probed byte by byte, is slower than all of its bytes.
#include <stdint.h>
#include <string.h>

namespace {

// Copies as many T as fit, and returns how many bytes that was. Upwards: also right when `to` lies below an overlapping `from`.
template <class T> size_t copy_upwards(uint8_t *to, const uint8_t *from, size_t bytes) {
    typedef T unit __attribute__((may_alias));
    auto *d = reinterpret_cast<unit *>(to);
    const auto *s = reinterpret_cast<const unit *>(from);
    const size_t n = bytes / sizeof(T);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {  // rounds of a loop cost more than what is in them
        for (size_t j = 0; j < 8; ++j) d[i + j] = s[i + j];
    }
    for (; i < n; ++i) d[i] = s[i];
    return n * sizeof(T);
}

template <class T> size_t copy_downwards(uint8_t *to, const uint8_t *from, size_t bytes) {
    typedef T unit __attribute__((may_alias));
    const size_t n = bytes / sizeof(T);
    auto *d = reinterpret_cast<unit *>(to + bytes);
    const auto *s = reinterpret_cast<const unit *>(from + bytes);
    for (size_t i = 1; i <= n; ++i) *(d - i) = *(s - i);
    return n * sizeof(T);
}

// The bits that keep two addresses from being aligned alike and to words.
size_t misalignment(const void *a, const void *b) {
    return (reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b)) % sizeof(uint64_t);
}

void copy_up(uint8_t *to, const uint8_t *from, size_t bytes) {
    size_t done = 0;
    const size_t bits = misalignment(to, from);
    if (bits == 0)
        done = copy_upwards<uint64_t>(to, from, bytes);
    else if (bits % 4 == 0)
        done = copy_upwards<uint32_t>(to, from, bytes);
    else if (bits % 2 == 0)
        done = copy_upwards<uint16_t>(to, from, bytes);
    copy_upwards<uint8_t>(to + done, from + done, bytes - done);
}

void copy_down(uint8_t *to, const uint8_t *from, size_t bytes) {
    size_t done = 0;
    if (misalignment(to + bytes, from + bytes) == 0) done = copy_downwards<uint64_t>(to, from, bytes);
    copy_downwards<uint8_t>(to, from, bytes - done);
}

}  // namespace

extern "C" {

void *memcpy(void *__restrict to, const void *__restrict from, size_t bytes) {
    copy_up(static_cast<uint8_t *>(to), static_cast<const uint8_t *>(from), bytes);
    return to;
}

// The compiler calls it for aligned copies of at least 32 bytes.
void *__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void *to, const void *from, size_t bytes) {
    return memcpy(to, from, bytes);
}

void *memmove(void *to, const void *from, size_t bytes) {
    auto *d = static_cast<uint8_t *>(to);
    const auto *s = static_cast<const uint8_t *>(from);
    const bool overlaps_above = d > s && d < s + bytes;
    overlaps_above ? copy_down(d, s, bytes) : copy_up(d, s, bytes);
    return to;
}

void *memset(void *memory, int value, size_t bytes) {
    typedef uint64_t word __attribute__((may_alias));
    auto *at = static_cast<uint8_t *>(memory);
    const auto byte = static_cast<uint8_t>(value);
    for (; bytes && reinterpret_cast<uintptr_t>(at) % sizeof(word); --bytes) *at++ = byte;
    for (; bytes >= 4 * sizeof(word); bytes -= 4 * sizeof(word), at += 4 * sizeof(word)) {
        for (int i = 0; i < 4; ++i) reinterpret_cast<word *>(at)[i] = byte * 0x0101'0101'0101'0101ull;
    }
    while (bytes--) *at++ = byte;
    return memory;
}

int memcmp(const void *a, const void *b, size_t bytes) {
    const auto *x = static_cast<const uint8_t *>(a), *y = static_cast<const uint8_t *>(b);
    for (; bytes; --bytes, ++x, ++y) {
        if (*x != *y) return *x - *y;
    }
    return 0;
}

void *memchr(const void *memory, int value, size_t bytes) {
    const auto *at = static_cast<const uint8_t *>(memory);
    for (; bytes; --bytes, ++at) {
        if (*at == static_cast<uint8_t>(value)) return const_cast<uint8_t *>(at);
    }
    return nullptr;
}

size_t strlen(const char *text) {
    size_t n = 0;
    while (text[n]) ++n;
    return n;
}

char *strrchr(const char *text, int c) {
    for (size_t n = strlen(text) + 1; n-- > 0;) {
        if (text[n] == static_cast<char>(c)) return const_cast<char *>(text + n);
    }
    return nullptr;
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) ++a, ++b;
    return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

}  // extern "C"
