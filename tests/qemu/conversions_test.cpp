// tests/qemu/conversions_test.cpp -- f16 and f32 by the loops that run before v79, as Hexagon instructions, against the scalar conversions.
#include <string.h>

#include <initializer_list>

#include "hvx/scalar_convert.h"
#include "kernels/convert_elements.h"
#include "tests/qemu/expect.h"

namespace hexane::qemu_test {

namespace {

constexpr uint32_t all_halves = 65536;
alignas(128) uint16_t halves[all_halves];
alignas(128) float floats[all_halves];

uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }

void test_every_half() {
    for (uint32_t h = 0; h < all_halves; ++h) halves[h] = static_cast<uint16_t>(h);
    kernels::convert_elements(data_type::f32, reinterpret_cast<htp::vtcm_byte *>(floats), data_type::f16,
                              reinterpret_cast<const htp::vtcm_byte *>(halves), all_halves);
    for (uint32_t h = 0; h < all_halves; ++h)
        EXPECT(bits(floats[h]) == bits(hvx::f16_to_f32(static_cast<uint16_t>(h))));
}

// Each half, what lies `offset` steps of f32 beside it, and beside the middle to the next one.
void test_narrowing(uint32_t offset) {
    for (uint32_t h = 0; h < all_halves; ++h)
        floats[h] = __builtin_bit_cast(float, bits(hvx::f16_to_f32(static_cast<uint16_t>(h))) + offset);
    kernels::convert_elements(data_type::f16, reinterpret_cast<htp::vtcm_byte *>(halves), data_type::f32,
                              reinterpret_cast<const htp::vtcm_byte *>(floats), all_halves);
    for (uint32_t h = 0; h < all_halves; ++h) {
        const bool nan = (bits(floats[h]) & 0x7fffffff) > 0x7f800000;
        EXPECT(nan ? (halves[h] & 0x7fff) > 0x7c00 : halves[h] == hvx::f32_to_f16(floats[h]));
    }
}

// Every number of elements up to several iterations of every loop: all are converted, and nothing is written behind their last line.
void test_lengths(data_type to, data_type from) {
    constexpr uint32_t most = 1100;
    const auto *src =
        reinterpret_cast<const htp::vtcm_byte *>(from == data_type::f16 ? static_cast<void *>(halves) : floats);
    alignas(128) static uint8_t whole[4 * most + 128], part[4 * most + 256];
    const uint32_t bytes = to == data_type::f32 ? 4 : 2;
    kernels::convert_elements(to, reinterpret_cast<htp::vtcm_byte *>(whole), from, src, most);
    for (uint32_t n = 1; n <= most; ++n) {
        const uint32_t end = (n * bytes + 127) / 128 * 128;
        memset(part, 0xa5, sizeof part);
        kernels::convert_elements(to, reinterpret_cast<htp::vtcm_byte *>(part), from, src, n);
        EXPECT(memcmp(part, whole, n * bytes) == 0);
        bool kept = true;
        for (uint32_t i = end; i < sizeof part; ++i) kept &= part[i] == 0xa5;
        EXPECT(kept);
    }
}

}  // namespace

void test_conversions() {
    test_every_half();
    for (const uint32_t offset : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) test_narrowing(offset);
    test_every_half();
    test_lengths(data_type::f16, data_type::f32);
    test_lengths(data_type::f32, data_type::f16);
}

}  // namespace hexane::qemu_test
