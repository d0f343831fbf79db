// base/align.h -- integer arithmetic that both sides of the wire share: rounding, common divisors, limits.
#pragma once

#include <stdint.h>

namespace hexane::base {

template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }

// Quotient rounded up. REQUIRES: b > 0, a + b - 1 does not wrap.
template <class T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }

// Nearest multiple of `unit` that is not below (align_up) or not above (align_down) `value`. REQUIRES: unit > 0.
template <class T> constexpr T align_up(T value, T unit) { return ceil_div(value, unit) * unit; }
template <class T> constexpr T align_down(T value, T unit) { return value / unit * unit; }

// Greatest common divisor; gcd(0, b) is b.
template <class T> constexpr T gcd(T a, T b) {
    while (b != 0) {
        const T r = a % b;
        a = b;
        b = r;
    }
    return a;
}

}  // namespace hexane::base
