// tests/fuzz/tiles.cpp -- a tiled tensor against plain bytes: any sequence of partial writes, fills and reads gives back what was
// written, and stays within the tensor's memory.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <vector>

#include "formats/tiled_tensor.h"
#include "tests/fuzz/expect.h"

namespace hexane::fuzz {
namespace {

using formats::tiled_shape;
using formats::tiled_tensor;

struct byte_range {
    uint64_t offset, size;
};

byte_range take_range(FuzzedDataProvider &in, uint64_t whole) {
    const auto offset = in.ConsumeIntegralInRange<uint64_t>(0, whole);
    return {offset, in.ConsumeIntegralInRange<uint64_t>(0, whole - offset)};
}

void write(FuzzedDataProvider &in, tiled_tensor &t, std::vector<uint8_t> &plain) {
    const byte_range r = take_range(in, plain.size());
    const auto seed = in.ConsumeIntegral<uint8_t>();
    for (uint64_t i = 0; i < r.size; ++i) plain[r.offset + i] = static_cast<uint8_t>(seed + 31 * i);
    t.set(plain.data() + r.offset, r.offset, r.size);
}

void fill(FuzzedDataProvider &in, tiled_tensor &t, std::vector<uint8_t> &plain) {
    const byte_range r = take_range(in, plain.size());
    const auto value = in.ConsumeIntegral<uint8_t>();
    std::fill_n(plain.begin() + static_cast<ptrdiff_t>(r.offset), r.size, value);
    t.fill(value, r.offset, r.size);
}

void read(FuzzedDataProvider &in, const tiled_tensor &t, const std::vector<uint8_t> &plain) {
    const byte_range r = take_range(in, plain.size());
    std::vector<uint8_t> got(r.size);
    t.get(got.data(), r.offset, r.size);
    expect(std::equal(got.begin(), got.end(), plain.begin() + static_cast<ptrdiff_t>(r.offset)),
           "other bytes at " + std::to_string(r.offset) + ", " + std::to_string(r.size) + " of them");
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    FuzzedDataProvider in(bytes, n);
    const formats::tiled_shape shape{
        in.ConsumeBool() ? data_type::q4_0 : data_type::q8_0, 32 * in.ConsumeIntegralInRange<uint64_t>(1, 20),
        in.ConsumeIntegralInRange<uint64_t>(1, 70), in.ConsumeIntegralInRange<uint64_t>(1, 3)};
    if (!formats::tiled_shape::supports(shape.type, shape.k)) return 0;
    std::vector<uint8_t> tiles(shape.tiled_bytes(), 0xa5), plain(shape.ggml_bytes());
    formats::tiled_tensor t(shape, tiles.data());
    t.clear_padding();
    t.fill(0, 0, plain.size());
    for (int step = 0; step < 12 && in.remaining_bytes() > 0; ++step) {
        switch (in.ConsumeIntegralInRange<int>(0, 2)) {
            case 0: fuzz::write(in, t, plain); break;
            case 1: fuzz::fill(in, t, plain); break;
            default: fuzz::read(in, t, plain);
        }
    }
    std::vector<uint8_t> got(plain.size());
    t.get(got.data(), 0, got.size());
    fuzz::expect(got == plain, "other bytes in the end");
    return 0;
}
