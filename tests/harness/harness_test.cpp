// tests/harness/harness_test.cpp -- the judge on trial: codecs against ggml's, verdicts on results with one wrong bit.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/harness/problem.h"

namespace hexane::testing {
namespace {

TEST(number, decodes_every_f16_and_bf16) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const auto b = static_cast<uint16_t>(bits);
        const double f16 = ggml_fp16_to_fp32(b), bf16 = ggml_bf16_to_fp32({b});
        if (std::isnan(f16)) {
            EXPECT_TRUE(std::isnan(decode_f16(b)));
        } else {
            ASSERT_EQ(decode_f16(b), f16);
            ASSERT_EQ(encode_f16(f16), b);
        }
        if (std::isnan(bf16)) {
            EXPECT_TRUE(std::isnan(decode_bf16(b)));
        } else {
            ASSERT_EQ(decode_bf16(b), bf16);
            ASSERT_EQ(encode_bf16(bf16), b);
        }
    }
}

TEST(number, rounds_to_nearest_even) {
    generator g(1);
    for (int i = 0; i < 1000000; ++i) {
        const auto bits = static_cast<uint32_t>(g.next());
        float x;
        std::memcpy(&x, &bits, sizeof x);
        if (!std::isfinite(x)) continue;
        ASSERT_EQ(encode_f16(x), ggml_fp32_to_fp16(x)) << x;
        ASSERT_EQ(encode_bf16(x), ggml_fp32_to_bf16(x).bits) << x;
    }
}

TEST(number, decodes_blocks_as_ggml_does) {
    generator g(2);
    for (const ggml_type type : {GGML_TYPE_Q4_0, GGML_TYPE_Q8_0}) {
        std::vector<uint8_t> bytes(ggml_row_size(type, 1024));
        for (uint8_t &b : bytes) b = static_cast<uint8_t>(g.next());
        for (size_t at = 0; at < bytes.size(); at += ggml_type_size(type))
            encode(GGML_TYPE_F16, g.normal(), &bytes[at]);
        std::vector<float> theirs(1024);
        std::vector<double> ours(1024);
        ggml_get_type_traits(type)->to_float(bytes.data(), theirs.data(), 1024);
        decode(type, bytes.data(), 1024, ours.data());
        for (size_t i = 0; i < 1024; ++i) ASSERT_EQ(static_cast<float>(ours[i]), theirs[i]);
    }
}

values doubled(const std::vector<values> &src, const ggml_tensor *) {
    values out = src[0];
    for (double &x : out.v) x *= 2;
    return out;
}

op_case doubling(const layout &l, const tolerance &t) {
    return {.name = "x",
            .build =
                [=](workbench &b) {
                    ggml_tensor *x = b.input(GGML_TYPE_F32, {33, 4, 3, 2}, gauss, l);
                    return ggml_add_inplace(b.ctx, x, x);
                },
            .expect = {{doubled, t}}};
}

// What a right kernel would leave in the block of a doubling in place.
std::vector<uint8_t> right_result(const problem &p) {
    std::vector<uint8_t> bytes = p.result_block().bytes;
    const ggml_tensor *t = p.node();
    for (int64_t row = 0; row < ggml_nrows(t); ++row)
        for (int64_t i = 0; i < t->ne[0]; ++i) {
            const auto at = [&](int d, int64_t n) { return static_cast<size_t>(n) * t->nb[d]; };
            uint8_t *x = &bytes[offset_of(t) + at(0, i) + at(1, row % t->ne[1]) + at(2, row / t->ne[1] % t->ne[2]) +
                                at(3, row / t->ne[1] / t->ne[2])];
            double value;
            decode(GGML_TYPE_F32, x, 1, &value);
            encode(GGML_TYPE_F32, 2 * value, x);
        }
    return bytes;
}

TEST(verdict, accepts_the_right_result_and_no_other) {
    for (const layout &l : {dense, gaps, turned}) {
        for (const tolerance &t : {exact, tolerance{1e-13, 1e-6}}) {
            const op_case c = doubling(l, t);
            problem p(c, 3);
            const std::vector<uint8_t> right = right_result(p);
            EXPECT_EQ(p.verdict(right), "");
            EXPECT_EQ(p.verdict_on_neighbours(p.result_block(), right), "");
            EXPECT_NE(p.verdict(p.result_block().bytes), "");
            std::vector<uint8_t> wrong = right;
            wrong[offset_of(p.node()) + 3] ^= 0x40;  // an exponent bit of the first element
            EXPECT_NE(p.verdict(wrong), "");
            wrong = right;
            encode(GGML_TYPE_F32, NAN, &wrong[offset_of(p.node())]);
            EXPECT_NE(p.verdict(wrong), "");
        }
    }
}

TEST(verdict, notices_every_byte_between_the_elements) {
    const op_case c = doubling(gaps, exact);
    problem p(c, 3);
    const std::vector<uint8_t> right = right_result(p);
    size_t noticed = 0;
    for (size_t i = 0; i < right.size(); ++i) {
        std::vector<uint8_t> touched = right;
        touched[i] ^= 1;
        noticed += !p.verdict_on_neighbours(p.result_block(), touched).empty();
    }
    EXPECT_EQ(noticed, right.size() - ggml_nelements(p.node()) * sizeof(float));
}

TEST(problem, follows_from_its_seed) {
    const op_case c = doubling(gaps, exact);
    EXPECT_EQ(problem(c, 9).blocks()[0].bytes, problem(c, 9).blocks()[0].bytes);
    EXPECT_NE(problem(c, 9).blocks()[0].bytes, problem(c, 10).blocks()[0].bytes);
}

}  // namespace
}  // namespace hexane::testing
