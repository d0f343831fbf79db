// cosine_sine_of_turn against double precision, over the whole circle and at its quarters. What is measured here stands
// in docs/numerics.md.
#include <cmath>
#include <cstdio>

#include "hvx/trigonometry.h"
#include "tests/hvx/lanes.h"

namespace hexane::test {
namespace {

struct worst_errors {
    double cosine = 0, sine = 0;
};

constexpr double radians_per_step = 6.283185307179586476925 / 4294967296.0;

void compare(worst_errors &worst, const lanes<int32_t> &turns) {
    const auto got = hvx::cosine_sine_of_turn({vector_of(turns)});
    const auto cosines = lanes_of<float>(got.cosine.v), sines = lanes_of<float>(got.sine.v);
    for (size_t i = 0; i < turns.size(); ++i) {
        const double angle = turns[i] * radians_per_step;
        worst.cosine = std::max(worst.cosine, std::fabs(cosines[i] - std::cos(angle)));
        worst.sine = std::max(worst.sine, std::fabs(sines[i] - std::sin(angle)));
    }
}

worst_errors measure() {
    worst_errors worst;
    lanes<int32_t> turns;
    constexpr uint32_t step = 4093;  // a prime: over a million points, all residues of the last bits
    for (uint64_t at = 0; at < (uint64_t{1} << 32); at += uint64_t{step} * turns.size()) {
        for (uint32_t i = 0; i < turns.size(); ++i)
            turns[i] = static_cast<int32_t>(static_cast<uint32_t>(at) + i * step);
        compare(worst, turns);
    }
    // Around the borders of the octants, where quarter and sign change.
    for (uint32_t octant = 0; octant < 8; ++octant) {
        for (uint32_t i = 0; i < turns.size(); ++i) turns[i] = static_cast<int32_t>((octant << 29) + i - 16);
        compare(worst, turns);
    }
    return worst;
}

TEST(trigonometry, whole_circle) {
    const worst_errors worst = measure();
    EXPECT_LT(worst.cosine, 1.2e-7);
    EXPECT_LT(worst.sine, 1.2e-7);
    EXPECT_GT(worst.cosine + worst.sine, 1e-9) << "nothing was measured";
}

TEST(trigonometry, exact_at_quarters) {
    const float cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
        const auto got = hvx::cosine_sine_of_turn(hvx::splat<hvx::i32x32>(static_cast<int32_t>(quarter << 30)));
        EXPECT_EQ(hvx::first_lane(got.cosine), cosines[quarter]) << quarter;
        EXPECT_EQ(hvx::first_lane(got.sine), sines[quarter]) << quarter;
    }
}

// The row of docs/numerics.md.
TEST(trigonometry, DISABLED_table) {
    const worst_errors worst = measure();
    std::printf("| %-24s | %.2e | %.2e |\n", "cosine_sine_of_turn", worst.cosine, worst.sine);
}

}  // namespace
}  // namespace hexane::test
