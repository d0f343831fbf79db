// on_pc.cpp -- what the PC's intrinsics make of the same cases, compared bit for bit with the Hexagon program's output.
//
// Usage: on_pc FILE     FILE: what on_hexagon wrote      on_pc --list: the names
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/intrinsics/operands.h"

namespace {

using namespace hexane::proof;

void print_vector(const char *name, const HVX_Vector &v) {
    std::printf("    %-8s", name);
    const auto *bytes = reinterpret_cast<const unsigned char *>(&v);
    for (int i = 0; i < 128; ++i) std::printf("%s%02x", i % 4 == 0 ? " " : "", bytes[i]);
    std::printf("\n");
}

void print_difference(const intrinsic &f, uint32_t i, const operands &o, const result &pc, const result &hexagon) {
    std::printf("%s case %u, r = %d (0x%08x)\n", f.name, i, o.r, static_cast<unsigned>(o.r));
    print_vector("a", o.a);
    print_vector("b", o.b);
    print_vector("c", o.c);
    print_vector("p", o.p);
    print_vector("q", o.q);
    print_vector("pc lo", pc.lo);
    print_vector("hex lo", hexagon.lo);
    print_vector("pc hi", pc.hi);
    print_vector("hex hi", hexagon.hi);
}

// Cases of one intrinsic that differ; the first is printed.
uint32_t differences(uint32_t n, const result *hexagon) {
    alignas(128) static uint8_t region[region_bytes];
    uint32_t count = 0;
    for (uint32_t i = 0; i < cases_per_intrinsic; ++i) {
        const operands o = make_operands(n, i, region);
        const result pc = intrinsics[n].call(o);
        if (std::memcmp(&pc, &hexagon[i], sizeof pc) == 0) continue;
        if (count++ == 0) print_difference(intrinsics[n], i, o, pc, hexagon[i]);
    }
    if (count) std::printf("%s: %u of %u cases differ\n", intrinsics[n].name, count, cases_per_intrinsic);
    return count;
}

int compare(const char *path) {
    std::FILE *file = std::fopen(path, "rb");
    std::vector<result> hexagon(size_t{n_intrinsics} * cases_per_intrinsic + 1);
    const size_t read = file ? std::fread(hexagon.data(), sizeof(result), hexagon.size(), file) : 0;
    if (file) std::fclose(file);
    if (read != hexagon.size() - 1) {
        std::printf("%s: %zu results, expected %zu\n", path, read, hexagon.size() - 1);
        return 2;
    }
    uint32_t wrong = 0;
    for (uint32_t n = 0; n < n_intrinsics; ++n) wrong += differences(n, &hexagon[size_t{n} * cases_per_intrinsic]) != 0;
    std::printf("%u intrinsics, %u cases each, %u differ from the instruction\n", n_intrinsics, cases_per_intrinsic,
                wrong);
    return wrong != 0;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    if (std::strcmp(argv[1], "--list") != 0) return compare(argv[1]);
    for (const intrinsic &f : intrinsics) std::printf("%s\n", f.name);
    return 0;
}
