// plan/nest.cpp -- dimension by dimension, innermost first; what continues the loop before it becomes a part of it.
#include "plan/nest.h"

#include <algorithm>

namespace hexane::plan {

namespace {

using rows::loops;
using rows::shape;
using rows::stride_code;

class nest_maker {
  public:
    nest_maker(const std::vector<shape> &operands, row_kind kind) : operands_(operands), kind_(kind) {}

    // False: more loops than fit, or extents that do not divide each other.
    bool add_dimension(uint32_t d) {
        uint32_t whole = 1;
        for (const shape &s : operands_) whole = std::max(whole, s.ne[d]);
        if (kind_ == row_kind::whole && d == 0)
            return append(whole, whole == 1 ? stride_code::dense()
                                            : stride_code::of(0, reaching(0, whole), stride_code::no_operand));
        uint32_t inner = stride_code::no_operand;
        for (uint32_t steps = 1; steps < whole;) {
            const uint32_t next = next_extent(d, steps);
            const uint32_t extent = operands_[next].ne[d];
            if (extent % steps != 0) return false;
            if (!add_loop(extent / steps, stride_code::of(d, reaching(d, extent), inner))) return false;
            steps = extent;
            inner = next;
        }
        return true;
    }

    loops finish() {
        if (l_.n_loops == 0) (void)append(1, stride_code::dense());
        if (l_.n_loops == 1) (void)append(1, stride_code{});
        uint32_t longest = 1;  // units become few and large
        for (uint32_t i = 2; i < l_.n_loops; ++i)
            if (l_.extent[i] > l_.extent[longest]) longest = i;
        rows::swap_loops(l_, 1, longest);
        return l_;
    }

  private:
    // The operands whose extent is at least `extent`, as bits.
    uint32_t reaching(uint32_t d, uint32_t extent) const {
        uint32_t bits = 0;
        for (uint32_t o = 0; o < operands_.size(); ++o)
            if (operands_[o].ne[d] >= extent) bits |= 1u << o;
        return bits;
    }

    // The operand with the smallest extent above `steps`.
    uint32_t next_extent(uint32_t d, uint32_t steps) const {
        uint32_t best = stride_code::no_operand;
        for (uint32_t o = 0; o < operands_.size(); ++o) {
            const uint32_t n = operands_[o].ne[d];
            if (n > steps && (best == stride_code::no_operand || n < operands_[best].ne[d])) best = o;
        }
        return best;
    }

    bool continues(uint32_t last, stride_code code) const {
        for (uint32_t o = 0; o < operands_.size(); ++o)
            if (code.stride(operands_.data(), o) != l_.code[last].stride(operands_.data(), o) * l_.extent[last])
                return false;
        return true;
    }

    bool add_loop(uint32_t extent, stride_code code) {
        const uint32_t first = kind_ == row_kind::whole ? 1 : 0;  // a whole row is joined by nothing
        if (l_.n_loops > first && continues(l_.n_loops - 1u, code)) {
            l_.extent[l_.n_loops - 1] *= extent;
            return true;
        }
        return append(extent, code);
    }

    bool append(uint32_t extent, stride_code code) {
        if (l_.n_loops == rows::max_loops) return false;
        l_.extent[l_.n_loops] = extent;
        l_.code[l_.n_loops] = code;
        ++l_.n_loops;
        return true;
    }

    const std::vector<shape> &operands_;
    row_kind kind_;
    loops l_{};
};

}  // namespace

rows::shape shape_of(const tensor_shape &t) {
    rows::shape s{};
    for (int i = 0; i < 4; ++i) {
        s.ne[i] = static_cast<uint32_t>(t.ne[i]);
        s.nb[i] = static_cast<uint32_t>(t.nb[i]);
    }
    s.element_bytes = block_bytes(t.dtype());
    return s;
}

std::vector<rows::shape> shapes_of(std::initializer_list<const tensor_shape *> operands) {
    std::vector<rows::shape> shapes;
    for (const tensor_shape *t : operands) shapes.push_back(shape_of(*t));
    return shapes;
}

std::optional<rows::loops> make_loops(const std::vector<rows::shape> &operands, row_kind kind) {
    nest_maker maker(operands, kind);
    for (uint32_t d = 0; d < 4; ++d)
        if (!maker.add_dimension(d)) return std::nullopt;
    return maker.finish();
}

rows::nest nest_of(const rows::loops &l, const std::vector<rows::shape> &operands) {
    rows::nest n{};
    rows::nest_of(l, operands.data(), static_cast<uint32_t>(operands.size()), &n);
    return n;
}

}  // namespace hexane::plan
