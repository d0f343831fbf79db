// tests/fuzz/plan_input.cpp
#include "tests/fuzz/plan_input.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "host/node.h"

namespace hexane::fuzz {
namespace {

using plan::node;
using plan::tensor_shape;

constexpr data_type types[] = {data_type::f32, data_type::f16, data_type::bf16, data_type::q4_0, data_type::q8_0,
                               data_type::i32, data_type::i64, data_type::i8,   data_type::i16};
constexpr int64_t edges[] = {1,    2,     31,      32,      33,         63,         64,        127,
                             128,  129,   255,     256,     257,        512,        1024,      2048,
                             4096, 65535, 1 << 20, 1 << 26, 0x7fffffff, 0x80000000, 0xffffffff};

// Reads the bytes as numbers and shapes.
class reader {
  public:
    reader(const uint8_t *bytes, size_t n) : in_(bytes, n) {}

    uint32_t below(uint32_t limit) { return in_.ConsumeIntegralInRange<uint32_t>(0, limit - 1); }
    bool flag() { return in_.ConsumeBool(); }
    template <class T> T any() { return in_.ConsumeIntegral<T>(); }
    float any_float() { return std::bit_cast<float>(any<uint32_t>()); }
    template <class T, size_t N> T pick(const T (&list)[N]) { return list[below(N)]; }

    // Mostly small, sometimes a number at which something changes, seldom anything.
    int64_t extent() {
        switch (below(8)) {
            case 0: return pick(edges);
            case 1: return in_.ConsumeIntegralInRange<int64_t>(1, 100'000);
            case 2: return 1;
            default: return in_.ConsumeIntegralInRange<int64_t>(1, 80);
        }
    }

    uint32_t vtcm_bytes() { return flag() ? uint32_t{1} << (10 + below(17)) : below(64u << 20); }

    hardware hw() {
        constexpr arch archs[] = {arch::v73, arch::v75, arch::v79, arch::v81};
        hardware h{};
        h.arch = pick(archs);
        h.n_threads = 1 + below(max_threads);
        h.n_hmx = below(2);
        h.vtcm_bytes = vtcm_bytes();
        h.scratch_bytes = flag() ? session_scratch_bytes : below(8u << 20);
        h.window_bytes = flag() ? 3500ull << 20 : in_.ConsumeIntegralInRange<uint64_t>(0, 4032ull << 20);
        return h;
    }

    hardware larger(hardware h) {
        h.n_threads = std::min(h.n_threads + below(max_threads), max_threads);
        h.n_hmx += below(2);
        h.vtcm_bytes += flag() ? below(8192) : vtcm_bytes();
        h.scratch_bytes += below(8u << 20);
        h.window_bytes += in_.ConsumeIntegralInRange<uint64_t>(0, 1ull << 30);
        return h;
    }

    data_type float_type() { return types[below(3)]; }
    data_type type() { return pick(types); }

    tensor_shape shape(data_type t, int64_t n0, int64_t n1, int64_t n2, int64_t n3) {
        tensor_shape s{{n0, n1, n2, n3}, {}, static_cast<uint32_t>(t), 0};
        lay_out(s);
        return s;
    }

    // Dense, dense in another order of dimensions, with gaps between rows, or with repeated rows.
    void lay_out(tensor_shape &s) {
        static constexpr uint8_t orders[][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 1, 3}, {2, 1, 0, 3},
                                                {3, 2, 1, 0}, {1, 2, 0, 3}, {0, 3, 2, 1}, {2, 0, 3, 1}};
        const bool plain = below(4) != 0;
        const auto &order = orders[plain ? 0 : below(std::size(orders))];
        const uint64_t gap = plain || flag() ? 0 : block_bytes(s.dtype()) * uint64_t{below(300)};
        uint64_t bytes = block_bytes(s.dtype());
        for (int i = 0; i < 4; ++i) {
            const uint8_t d = order[i];
            s.nb[d] = bytes;
            bytes *=
                d == 0 ? static_cast<uint64_t>(s.ne[0]) / block_elements(s.dtype()) : static_cast<uint64_t>(s.ne[d]);
            if (i == 0) bytes += gap;
        }
        if (!plain && below(4) == 0) s.nb[1 + below(3)] = 0;
    }

    // Up to three fields become something else.
    void disturb(node &n) {
        for (uint32_t left = flag() ? 0 : 1 + below(3); left > 0; --left) {
            tensor_shape &s = n.n_src && flag() ? n.src[below(n.n_src)] : n.dst;
            switch (below(6)) {
                case 0: s.ne[below(4)] = extent(); break;
                case 1: s.nb[below(4)] = flag() ? any<uint32_t>() : any<uint64_t>(); break;
                case 2: s.nb[below(4)] = below(512); break;
                case 3: s.type = flag() ? static_cast<uint32_t>(type()) : any<uint32_t>(); break;
                case 4: s.tiled ^= 1; break;
                default: s.ne[below(4)] = any<int64_t>();
            }
        }
    }

  private:
    FuzzedDataProvider in_;
};

void set_float(node &n, int i, float f) { n.params[i] = std::bit_cast<int32_t>(f); }

// What divides `n`, or nearly anything.
int64_t divisor_of(reader &in, int64_t n) {
    const int64_t d = std::clamp<int64_t>(1 + in.below(8), 1, n);
    return n % d == 0 ? n / d : 1;
}

void fill_elementwise(reader &in, node &n, uint32_t n_src) {
    const data_type t = in.float_type();
    n.n_src = n_src;
    n.dst = in.shape(t, in.extent(), in.extent(), in.extent(), in.extent());
    n.src[0] = in.shape(t, n.dst.ne[0], n.dst.ne[1], n.dst.ne[2], n.dst.ne[3]);
    if (n_src < 2) return;
    int64_t ne[4];
    for (int i = 0; i < 4; ++i) ne[i] = in.flag() ? n.dst.ne[i] : divisor_of(in, n.dst.ne[i]);
    n.src[1] = in.shape(in.flag() ? t : data_type::f32, ne[0], ne[1], ne[2], ne[3]);
}

void fill_glu(reader &in, node &n) {
    const data_type t = in.float_type();
    const bool split = in.flag();
    n.n_src = split ? 2 : 1;
    n.dst = in.shape(t, in.extent(), in.extent(), in.extent(), in.extent());
    const int64_t n0 = n.dst.ne[0] * (split ? 1 : 2);
    for (uint32_t i = 0; i < n.n_src; ++i) n.src[i] = in.shape(t, n0, n.dst.ne[1], n.dst.ne[2], n.dst.ne[3]);
    n.params[1] = static_cast<int32_t>(in.below(3));
    set_float(n, 2, in.any_float());
}

void fill_copy(reader &in, node &n) {
    n.n_src = 1 + in.below(2);
    const data_type t = in.type();
    const auto n0 = static_cast<int64_t>(block_elements(t)) * in.extent();
    n.dst = in.shape(t, n0, in.extent(), in.extent(), in.extent());
    int64_t ne[4] = {n.dst.ne[0], n.dst.ne[1], n.dst.ne[2], n.dst.ne[3]};
    if (in.below(4) == 0) std::swap(ne[in.below(4)], ne[in.below(4)]);
    n.src[0] = in.shape(in.flag() ? t : in.type(), ne[0], ne[1], ne[2], ne[3]);
    n.src[1] = n.dst;
}

void fill_mul_mat(reader &in, node &n) {
    constexpr data_type weights[] = {data_type::q4_0, data_type::q8_0, data_type::f16, data_type::bf16, data_type::f32};
    const data_type w = in.pick(weights);
    const int64_t k = in.extent() * block_elements(w), rows = in.extent(), m = in.extent();
    const int64_t a = in.flag() ? 1 : in.extent(), b = in.flag() ? 1 : in.extent();
    const int64_t r2 = 1 + in.below(9), r3 = 1 + in.below(3);
    n.n_src = 2;
    n.src[0] = in.shape(w, k, rows, a, b);
    n.src[0].tiled = block_elements(w) != 1 && in.flag();
    n.src[1] = in.shape(in.float_type(), k, m, a * r2, b * r3);
    n.dst = in.shape(data_type::f32, rows, m, a * r2, b * r3);
}

void fill_set_rows(reader &in, node &n) {
    constexpr data_type results[] = {data_type::f16, data_type::f32, data_type::bf16, data_type::q8_0, data_type::q4_0};
    const data_type t = in.pick(results);
    const int64_t n0 = in.extent() * block_elements(t), n1 = in.extent(), n2 = in.extent(), n3 = in.extent();
    n.n_src = 2 + in.below(2);
    n.src[0] = in.shape(block_elements(t) != 1 ? data_type::f32 : in.float_type(), n0, n1, n2, n3);
    n.src[1] = in.shape(in.flag() ? data_type::i64 : data_type::i32, n1, divisor_of(in, n2), divisor_of(in, n3), 1);
    n.dst = in.shape(t, n0, in.extent(), n2, n3);
    n.src[2] = n.dst;
}

void fill_rope(reader &in, node &n) {
    constexpr int32_t modes[] = {0, 2, 8, 24, 40};
    const data_type t = in.float_type();
    const int64_t n0 = 2 * in.extent(), positions = in.extent();
    n.n_src = 2 + in.below(2);
    n.dst = in.shape(t, n0, in.extent(), positions, in.extent());
    n.src[0] = in.shape(t, n0, n.dst.ne[1], positions, n.dst.ne[3]);
    n.params[2] = in.below(8) == 0 ? in.any<int32_t>() : in.pick(modes);
    n.src[1] = in.shape(data_type::i32, positions * (n.params[2] >= 8 ? 4 : 1), 1, 1, 1);
    n.src[2] = in.shape(data_type::f32, n0 / 2, 1, 1, 1);
    n.params[1] = static_cast<int32_t>(in.flag() ? n0 : n0 / 2);
    n.params[4] = static_cast<int32_t>(in.below(1u << 20));
    set_float(n, 5, in.flag() ? 10000.0f : in.any_float());
    set_float(n, 6, in.flag() ? 1.0f : in.any_float());
    set_float(n, 7, in.flag() ? 0.0f : in.any_float());
    set_float(n, 8, in.flag() ? 1.0f : in.any_float());
    set_float(n, 9, in.flag() ? 32.0f : in.any_float());
    set_float(n, 10, in.flag() ? 1.0f : in.any_float());
    for (int i = 11; i < 15; ++i) n.params[i] = static_cast<int32_t>(in.below(64));
}

void fill(reader &in, node &n) {
    switch (n.op) {
        case op::add::id:
        case op::sub::id:
        case op::mul::id:
        case op::div::id:
        case op::rms_norm_mul::id: return fill_elementwise(in, n, 2);
        case op::cpy::id:
        case op::cont::id:
        case op::dup::id: return fill_copy(in, n);
        case op::mul_mat::id: return fill_mul_mat(in, n);
        case op::set_rows::id: return fill_set_rows(in, n);
        case op::rope::id:
        case op::rope_back::id: return fill_rope(in, n);
        case op::reglu::id:
        case op::geglu::id:
        case op::swiglu::id:
        case op::swiglu_oai::id:
        case op::geglu_erf::id:
        case op::geglu_quick::id: return fill_glu(in, n);
        default: return fill_elementwise(in, n, 1);  // and what has no case of its own here yet
    }
}

}  // namespace

plan_input read_plan_input(const uint8_t *bytes, size_t n) {
    reader in(bytes, n);
    plan_input p{};
    p.op_index = in.below(all_ops::size);
    uint32_t i = 0;
    all_ops::for_each([&]<class Op>() {
        if (i++ == p.op_index) p.node.op = Op::id;
    });
    std::fill(std::begin(p.node.src), std::end(p.node.src), host::absent_shape);
    p.hw = in.hw();
    p.larger = in.larger(p.hw);
    fill(in, p.node);
    for (uint32_t i = p.node.n_src; i < max_op_sources; ++i) p.node.src[i] = host::absent_shape;
    if (in.below(4) == 0) p.node.params[in.below(16)] = in.any<int32_t>();
    in.disturb(p.node);
    return p;
}

}  // namespace hexane::fuzz
