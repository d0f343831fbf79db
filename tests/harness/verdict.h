// tests/harness/verdict.h -- a tensor's elements as doubles, and how far a result is from the oracle's.
#pragma once

#include <string>

#include "tests/harness/op_case.h"

namespace hexane::testing {

// Calls f(byte offset, number in index order) for every element (every block, for block types) of a tensor.
template <class F> void for_each_block(const ggml_tensor *t, F &&f) {
    const int64_t n0 = t->ne[0] / ggml_blck_size(t->type);
    size_t number = 0;
    for (int64_t i3 = 0; i3 < t->ne[3]; ++i3)
        for (int64_t i2 = 0; i2 < t->ne[2]; ++i2)
            for (int64_t i1 = 0; i1 < t->ne[1]; ++i1)
                for (int64_t i0 = 0; i0 < n0; ++i0) {
                    const auto at = [&](int d, int64_t i) { return static_cast<size_t>(i) * t->nb[d]; };
                    f(at(0, i0) + at(1, i1) + at(2, i2) + at(3, i3), number++);
                }
}

// The elements of a tensor whose first one is at `first`.
values decoded(const ggml_tensor *t, const uint8_t *first);
// The same from bytes in index order without gaps.
values decoded_dense(const ggml_tensor *t, const uint8_t *bytes);

// "[2, 0, 1, 0]", of the element with that number in index order.
std::string place_of(const ggml_tensor *t, size_t number);

// How far a result is from an oracle's.
struct comparison {
    std::string wrong;     // empty: within the tolerance; else the first element that is not, or the error of all
    double nmse = 0;       // as in tolerance; over the finite elements
    double worst = 0;      // likewise
    size_t worst_at = 0;   // number of that element in index order
    double worst_got = 0;  // and what it is and should be
    double worst_want = 0;
};
comparison compare(const ggml_tensor *t, const values &got, const values &want, const tolerance &within);

}  // namespace hexane::testing
