// tests/qemu/packets/table.cpp -- prints the table "packets executed" of docs/performance.md: each figure is the difference of two sizes of
// an op, so that all but what grows with it cancels.
//
// Also holds that an op which is twice as large executes about twice as much; code 1 if not.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ops/all_ops.h"
#include "tests/qemu/packets/bench.h"

namespace hexane::packets {

namespace {

using plan::node;
using virt::executed;

bool proportional = true;

void print(const char *text) { (void)!write(STDOUT_FILENO, text, strlen(text)); }

// count / units with one decimal: the C library's formats have no floats.
void print_ratio(uint64_t count, uint64_t units) {
    const auto tenths = static_cast<unsigned>((count * 10 + units / 2) / units);
    char text[32];
    snprintf(text, sizeof text, " %u.%u |", tenths / 10, tenths % 10);
    print(text);
}

void print_line(const char *name, const char *unit, executed e, uint64_t units) {
    for (const char *text : {"| ", name, " | ", unit, " |"}) print(text);
    print_ratio(e.packets, units);
    print_ratio(e.instructions, e.packets);
    print_ratio(e.vector_instructions, units);
    print("\n");
}

// The line of an op: of_size(n) is the node of size n, which has n * units_per_size units.
template <class Op, class Node>
void measure(const char *name, const char *unit, Node of_size, int64_t size, uint64_t units_per_size) {
    const executed once = run_op<Op>(of_size(size)), twice = run_op<Op>(of_size(2 * size));
    print_line(name, unit, twice - once, static_cast<uint64_t>(size) * units_per_size);
    const uint32_t more = twice.packets - once.packets;
    if (more * 10 > once.packets * 11 || more * 10 < once.packets * 7) {
        char text[128];
        snprintf(text, sizeof text, "%s: %u packets, and %u for twice as much\n", name, once.packets, twice.packets);
        print(text);
        proportional = false;
    }
}

// -- products: k is long enough that what happens once per row weighs as much as in a model

constexpr int64_t k = 2048;

node product(data_type type, int64_t rows, int64_t columns) {
    node n{};
    n.n_src = 2;
    n.src[0] = matrix(type, k, rows);
    n.src[1] = matrix(data_type::f32, k, columns);
    n.dst = matrix(data_type::f32, rows, columns);
    return n;
}

void measure_product(const char *name, data_type type, int64_t columns) {
    const auto of_rows = [=](int64_t rows) { return product(type, rows, columns); };
    measure<op::mul_mat>(name, "1024 multiply-adds", of_rows, 128, static_cast<uint64_t>(columns) * k / 1024);
}

// Columns cost their preparation, and what each row does with them: that of 64 rows is twice that of 32.
void measure_preparation(const char *name, data_type type) {
    const auto columns = [=](int64_t rows) {
        return run_op<op::mul_mat>(product(type, rows, 64)) - run_op<op::mul_mat>(product(type, rows, 32));
    };
    const executed with_32_rows = columns(32), with_64_rows = columns(64);
    print_line(name, "128 f32", with_32_rows - (with_64_rows - with_32_rows), 32 * k / 128);
}

// -- rows

constexpr int64_t row = 4096;

template <uint32_t Sources> auto rows_of(data_type from, data_type to) {
    return [=](int64_t n_rows) {
        node n{};
        n.n_src = Sources;
        for (uint32_t i = 0; i < Sources; ++i) n.src[i] = matrix(from, row, n_rows);
        n.dst = matrix(to, row, n_rows);
        return n;
    };
}

void print_table() {
    constexpr auto f32 = data_type::f32, f16 = data_type::f16;
    print("| kernel | per | packets | instructions per packet | HVX instructions |\n|---|---|---|---|---|\n");
    measure_product("Q4_0 tiles, 1 column", data_type::q4_0, 1);
    measure_product("Q4_0 tiles, 2 columns", data_type::q4_0, 2);
    measure_product("Q4_0 tiles, 4 columns", data_type::q4_0, 4);
    measure_product("Q8_0 tiles, 1 column", data_type::q8_0, 1);
    measure_product("Q8_0 tiles, 2 columns", data_type::q8_0, 2);
    measure_product("Q8_0 tiles, 4 columns", data_type::q8_0, 4);
    measure_product("F16, 1 column", f16, 1);
    measure_product("F16, 2 columns", f16, 2);
    measure_product("F32, 1 column", f32, 1);
    measure_product("F32, 2 columns", f32, 2);
    measure_preparation("f32 to int8 columns", data_type::q4_0);
    measure<op::rms_norm>("RMS_NORM f32", "128 f32", rows_of<1>(f32, f32), 32, row / 128);
    measure<op::rms_norm>("RMS_NORM f16", "256 f16", rows_of<1>(f16, f16), 32, row / 256);
    measure<op::swiglu>("SWIGLU f32", "128 f32", rows_of<2>(f32, f32), 32, row / 128);
    measure<op::add>("ADD f32", "128 f32", rows_of<2>(f32, f32), 32, row / 128);
    measure<op::add>("ADD f16", "256 f16", rows_of<2>(f16, f16), 32, row / 256);
    measure<op::cpy>("CPY f16 to f32", "256", rows_of<1>(f16, f32), 64, row / 256);
    measure<op::cpy>("CPY f32 to f16", "256", rows_of<1>(f32, f16), 64, row / 256);
}

}  // namespace

}  // namespace hexane::packets

int main() {
    hexane::packets::calibrate();
    hexane::packets::print_table();
    return hexane::packets::proportional ? 0 : 1;
}
