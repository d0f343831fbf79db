// tests/qemu/library_test.cpp -- bytes, formats, heap and the compiler's support routines, against the simplest code or by identities.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

#include "tests/qemu/expect.h"

extern "C" {
uint32_t __hexagon_udivsi3(uint32_t a, uint32_t b);
uint32_t __hexagon_umodsi3(uint32_t a, uint32_t b);
uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b);
uint64_t __hexagon_umoddi3(uint64_t a, uint64_t b);
int32_t __hexagon_divsi3(int32_t a, int32_t b);
int32_t __hexagon_modsi3(int32_t a, int32_t b);
int64_t __hexagon_divdi3(int64_t a, int64_t b);
int64_t __hexagon_moddi3(int64_t a, int64_t b);
float __extendhfsf2(uint16_t half);
uint16_t __truncsfhf2(float value);
}

namespace hexane::qemu_test {

namespace {

// Operands of every length in bits.
uint64_t operand() {
    static uint64_t state = 0x9e37'79b9'7f4a'7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> (state % 64);
}

template <class T> bool divides(T a, T b, T quotient, T remainder) {
    const bool small = b < 0 ? remainder > b && remainder < -b : remainder < b && (remainder >= 0 || remainder > -b);
    const bool signs = remainder == 0 || (remainder < 0) == (a < 0);
    return quotient * b + remainder == a && small && signs;
}

void test_division() {
    for (int i = 0; i < 20000; ++i) {
        const uint64_t a = operand(), b = operand() | 1;
        const auto c = static_cast<uint32_t>(a), d = static_cast<uint32_t>(b);
        EXPECT(divides(a, b, __hexagon_udivdi3(a, b), __hexagon_umoddi3(a, b)));
        EXPECT(divides(c, d, __hexagon_udivsi3(c, d), __hexagon_umodsi3(c, d)));
        // Halved, so that -b exists; of either sign.
        const auto e = static_cast<int64_t>(a >> 1) * (i & 1 ? -1 : 1),
                   f = static_cast<int64_t>(b >> 1 | 1) * (i & 2 ? -1 : 1);
        const auto g = static_cast<int32_t>(c >> 1) * (i & 1 ? -1 : 1),
                   h = static_cast<int32_t>(d >> 1 | 1) * (i & 2 ? -1 : 1);
        EXPECT(divides(e, f, __hexagon_divdi3(e, f), __hexagon_moddi3(e, f)));
        EXPECT(divides(g, h, __hexagon_divsi3(g, h), __hexagon_modsi3(g, h)));
    }
}

bool is_nan(uint16_t half) { return (half & 0x7fff) > 0x7c00; }

// Every number and its neighbours: what lies between two goes to the nearer one, the middle to the even one.
void test_half_precision() {
    for (uint32_t h = 0; h < 0x10000; ++h) {
        const auto half = static_cast<uint16_t>(h);
        const float value = __extendhfsf2(half);
        EXPECT(is_nan(half) ? value != value && is_nan(__truncsfhf2(value)) : __truncsfhf2(value) == half);
        if ((half & 0x7fff) >= 0x7bff) continue;
        const float next = __extendhfsf2(half + 1), middle = value + (next - value) * 0.5f;
        EXPECT(__truncsfhf2(middle) == half + (half & 1));
        EXPECT(__truncsfhf2(value + (next - value) * 0.375f) == half);
        EXPECT(__truncsfhf2(value + (next - value) * 0.625f) == half + 1);
    }
    EXPECT(__extendhfsf2(0x3c00) == 1.0f && __extendhfsf2(0x0001) == 0x1p-24f && __extendhfsf2(0xfbff) == -65504.0f);
    EXPECT(__truncsfhf2(65519.9f) == 0x7bff && __truncsfhf2(65520.0f) == 0x7c00 && __truncsfhf2(-1e30f) == 0xfc00);
    EXPECT(__truncsfhf2(0x1p-25f) == 0 && __truncsfhf2(0x1.02p-25f) == 1 && __truncsfhf2(1e-30f) == 0);
}

constexpr size_t field_bytes = 800;

struct field {
    unsigned char at[field_bytes];
    field() {
        for (size_t i = 0; i < field_bytes; ++i) at[i] = static_cast<unsigned char>(i * 7 + i / 256);
    }
};

void test_move(size_t to, size_t from, size_t bytes) {
    const field before;
    field moved;
    EXPECT(memmove(moved.at + to, moved.at + from, bytes) == moved.at + to);
    bool same = true;
    for (size_t i = 0; i < field_bytes; ++i)
        same &= moved.at[i] == before.at[i >= to && i < to + bytes ? i - to + from : i];
    EXPECT(same);
}

void test_bytes() {
    const field source;
    for (const size_t bytes : {0u, 1u, 7u, 8u, 31u, 127u, 128u, 129u, 256u, 300u}) {
        for (const size_t to : {0u, 1u, 8u, 100u, 128u, 131u}) {
            for (const size_t from : {0u, 3u, 8u, 96u, 128u, 132u, 400u}) test_move(to, from, bytes);
            field copied;
            memcpy(copied.at + to, source.at + 5, bytes);
            EXPECT(memcmp(copied.at + to, source.at + 5, bytes) == 0);
            EXPECT(memcmp(copied.at + to + bytes, source.at + to + bytes, field_bytes - to - bytes) == 0);
            memset(copied.at + to, 0xa5, bytes);
            size_t set = 0;
            while (to + set < field_bytes && copied.at[to + set] == 0xa5 && set < bytes) ++set;
            EXPECT(set == bytes && copied.at[to + bytes] == source.at[to + bytes]);
        }
    }
    EXPECT(memcmp("abc", "abd", 3) < 0 && memcmp("b", "a", 1) > 0 && memchr("abc", 'c', 2) == nullptr);
    EXPECT(strcmp("abc", "abcd") < 0 && strcmp("abc", "abc") == 0 && strcmp("\xff", "a") > 0);
    EXPECT(strlen("1234") == 4 && strcmp(strrchr("a/b/c", '/'), "/c") == 0);
}

template <class... Args> bool prints(const char *expected, const char *format, Args... args) {
    char text[64];
    return snprintf(text, sizeof text, format, args...) == static_cast<int>(strlen(expected)) &&
           strcmp(text, expected) == 0;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
void test_formats() {
    EXPECT(prints("0 -1 4294967295", "%d %d %u", 0, -1, -1));
    EXPECT(prints("-9223372036854775808", "%lld", static_cast<long long>(INT64_MIN)));
    EXPECT(prints("ffffffffffffffff FF", "%" PRIx64 " %X", UINT64_MAX, 255u));
    EXPECT(prints("[   42][42   ][00042][-0042]", "[%5d][%-5d][%05d][%05d]", 42, 42, 42, -42));
    EXPECT(prints("007 0x80000406", "%.3d 0x%08x", 7, 0x8000'0406u));
    EXPECT(prints("[abc][ab][  abc][abc  ]", "[%s][%.2s][%5s][%-5s]", "abc", "abc", "abc", "abc"));
    EXPECT(prints("[ab][   x]", "[%.*s][%*c]", 2, "abc", 4, 'x'));
    EXPECT(prints("100% 12 0x1000", "100%% %zu %p", size_t{12}, reinterpret_cast<void *>(0x1000)));
    char small[4];
    EXPECT(snprintf(small, sizeof small, "%s", "abcdef") == 6 && strcmp(small, "abc") == 0);
}
#pragma clang diagnostic pop

// Blocks keep what was written into them and do not overlap; freed ones are used again.
void test_heap() {
    std::vector<std::string> kept;
    for (int round = 0; round < 2000; ++round) {
        kept.emplace_back(operand() % 3000, static_cast<char>(round));
        if (round % 3 == 0) kept.erase(kept.begin() + static_cast<long>(operand() % kept.size()));
    }
    for (const std::string &s : kept) EXPECT(s.find_first_not_of(s.empty() ? ' ' : s[0]) == s.npos);
    void *first = malloc(100);
    EXPECT(reinterpret_cast<uintptr_t>(first) % 16 == 0);
    free(first);
    EXPECT(malloc(101) == first);
    void *large = malloc(3u << 20);
    EXPECT(large && memset(large, 1, 3u << 20) == large);
    free(large);
    EXPECT(malloc(SIZE_MAX - 8) == nullptr);
}

}  // namespace

void test_library() {
    test_division();
    test_half_precision();
    test_bytes();
    test_formats();
    test_heap();
}

}  // namespace hexane::qemu_test
