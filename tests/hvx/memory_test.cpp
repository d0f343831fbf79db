// Partial stores between guard bytes, and gathers.
#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

TEST(memory, store_first_touches_nothing_else) {
    inputs in;
    const auto data = in.next<uint8_t>();
    for (size_t offset : {0, 1, 4, 63, 64, 100, 127})
        for (uint32_t n = 0; n <= 128; ++n) {
            alignas(128) std::array<uint8_t, 512> buffer;
            buffer.fill(0xa5);
            hvx::store_first(buffer.data() + 128 + offset, n, hvx::u8x128{vector_of(data)});
            for (size_t i = 0; i < buffer.size(); ++i) {
                const size_t k = i - 128 - offset;
                ASSERT_EQ(+buffer[i], k < n ? +data[k] : 0xa5) << offset << " " << n << " " << i;
            }
        }
}

TEST(memory, predicated_store) {
    inputs in;
    const auto data = in.next<uint8_t>(), choice = in.next<uint8_t>();
    const HVX_VectorPred q = Q6_Q_vcmp_gt_VbVb(vector_of(choice), Q6_V_vzero());
    HVX_Vector yes = Q6_Vb_vsplat_R(0x11), no = yes;
    Q6_vmem_QRIV(q, &yes, vector_of(data));
    Q6_vmem_QnRIV(q, &no, vector_of(data));
    for (int i = 0; i < 128; ++i) {
        const bool chosen = lanes_of(q)[i] != 0;
        ASSERT_EQ(+lanes_of<uint8_t>(yes)[i], chosen ? +data[i] : 0x11);
        ASSERT_EQ(+lanes_of<uint8_t>(no)[i], chosen ? 0x11 : +data[i]);
    }
}

TEST(memory, unaligned) {
    std::array<uint8_t, 384> from, to{};
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 7);
    for (size_t offset = 0; offset < 128; ++offset) {
        hvx::store_unaligned(to.data() + 3, hvx::load_unaligned<hvx::u8x128>(from.data() + offset));
        ASSERT_EQ(std::memcmp(to.data() + 3, from.data() + offset, 128), 0);
    }
}

TEST(memory, gather) {
    inputs in;
    alignas(128) std::array<uint16_t, 4096> table;
    for (uint16_t &x : table) x = static_cast<uint16_t>(in.word());
    constexpr uint32_t bytes = sizeof table;
    lanes<uint32_t> lo, hi;
    for (int i = 0; i < 32; ++i) lo[i] = in.word() % (bytes / 2) * 2, hi[i] = in.word() % (bytes / 2) * 2;
    lo[0] = 0, hi[31] = bytes - 2;  // the last element of the region
    HVX_Vector dst;
    hvx::gather_halves(&dst, table.data(), bytes, {vector_of(lo)}, {vector_of(hi)});
    const auto got = lanes_of<uint16_t>(hvx::gathered<hvx::f16x64>(&dst).v);
    for (int i = 0; i < 32; ++i) {
        ASSERT_EQ(got[2 * i], table[lo[i] / 2]);
        ASSERT_EQ(got[2 * i + 1], table[hi[i] / 2]);
    }
    for (uint32_t &x : lo) x = x / 4 * 4;
    hvx::gather_words(&dst, table.data(), bytes, {vector_of(lo)});
    for (int i = 0; i < 32; ++i) {
        uint32_t expected;
        std::memcpy(&expected, reinterpret_cast<const char *>(table.data()) + lo[i], 4);
        ASSERT_EQ(lanes_of<uint32_t>(hvx::gathered<hvx::u32x32>(&dst).v)[i], expected);
    }
}

}  // namespace
}  // namespace hexane::test
