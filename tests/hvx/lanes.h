// tests/hvx/lanes.h -- vectors as arrays, and inputs that hit the edges.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>

#include "hvx/hvx.h"

namespace hexane::test {

template <class T> using lanes = std::array<T, 128 / sizeof(T)>;

template <class T> HVX_Vector vector_of(const lanes<T> &x) {
    HVX_Vector v;
    std::memcpy(&v, x.data(), sizeof v);
    return v;
}
template <class T> lanes<T> lanes_of(HVX_Vector v) {
    lanes<T> x;
    std::memcpy(x.data(), &v, sizeof v);
    return x;
}
inline lanes<uint8_t> lanes_of(HVX_VectorPred q) { return lanes_of<uint8_t>(q.bytes); }

// Random bits, one lane in four replaced by a value at an edge of its range. The seed is fixed.
class inputs {
  public:
    template <class T> lanes<T> next() {
        constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        constexpr T edges[] = {
            low, static_cast<T>(low + 1), high, static_cast<T>(high - 1), 0,
            1,   static_cast<T>(-1),      2,    static_cast<T>(high / 2), static_cast<T>(high / 2 + 1)};
        lanes<T> x;
        for (T &lane : x) {
            lane = static_cast<T>(random_());
            if (random_() % 4 == 0) lane = edges[random_() % std::size(edges)];
        }
        return x;
    }
    uint32_t word() { return static_cast<uint32_t>(random_()); }

  private:
    std::mt19937_64 random_{20260726};
};

constexpr int rounds = 200;

// One intrinsic of two vectors against a function of two lanes.
template <class T, class R = T, class Intrinsic, class Model> void check_lanes(const char *name, Intrinsic op,
                                                                               Model model) {
    SCOPED_TRACE(name);
    inputs in;
    for (int round = 0; round < rounds; ++round) {
        const auto a = in.next<T>(), b = in.next<T>();
        const auto got = lanes_of<R>(op(vector_of<T>(a), vector_of<T>(b)));
        for (size_t i = 0; i < got.size(); ++i) {
            const R expected = static_cast<R>(model(a[i], b[i]));
            ASSERT_EQ(+got[i], +expected) << "lane " << i << " of " << +a[i] << ", " << +b[i];
        }
    }
}

}  // namespace hexane::test
