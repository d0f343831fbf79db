// Reductions: the documented order, and the same bits from every form.
#include <algorithm>

#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

using hvx::f32x32;

lanes<float> some_floats(inputs &in) {
    lanes<float> x;
    for (float &lane : x) lane = static_cast<float>(static_cast<int32_t>(in.word())) * 0x1p-20f;
    return x;
}

// Lane i + lane i + 16, then + 8, + 4, + 2, + 1.
template <class T, class Op> T in_order(lanes<T> x, Op op) {
    for (int half = 16; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) x[i] = op(x[i], x[i + half]);
    return x[0];
}

TEST(reduce, one_vector) {
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto f = some_floats(in);
        ASSERT_EQ(hvx::sum(f32x32{vector_of(f)}), in_order(f, [](float a, float b) { return a + b; }));
        const auto w = in.next<int32_t>();
        const auto wrapping = [](int32_t a, int32_t b) {
            return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
        };
        ASSERT_EQ(hvx::sum(hvx::i32x32{vector_of(w)}), in_order(w, wrapping));
        ASSERT_EQ(hvx::max_lane(hvx::i32x32{vector_of(w)}), *std::max_element(w.begin(), w.end()));
        const auto everywhere = lanes_of<float>(hvx::sum_splat(f32x32{vector_of(f)}).v);
        for (float lane : everywhere) ASSERT_EQ(lane, hvx::sum(f32x32{vector_of(f)}));
    }
}

template <int N, class Sum> void check_many(Sum sum_n) {
    inputs in;
    for (int round = 0; round < 20; ++round) {
        f32x32 x[N];
        for (f32x32 &v : x) v = {vector_of(some_floats(in))};
        const auto got = lanes_of<float>(sum_n(x).v);
        for (int n = 0; n < N; ++n) ASSERT_EQ(got[n], hvx::sum(x[n])) << n << " of " << N;
    }
}
TEST(reduce, many_vectors_have_the_same_bits) {
    check_many<4>([](const f32x32(&x)[4]) { return hvx::sum_4(x); });
    check_many<8>([](const f32x32(&x)[8]) { return hvx::sum_8(x); });
    check_many<32>([](const f32x32(&x)[32]) { return hvx::sum_32(x); });
}

}  // namespace
}  // namespace hexane::test
