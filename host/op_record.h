// host/op_record.h -- one op of a run, as GGML_HEXAGON_RECORD writes it and `./hexane replay` reads it.
//
// docs/record-replay.md has the layout of the file. It holds what the op was, what it was planned as and for which
// session, its operands' bytes before it ran and its result's after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/hardware.h"
#include "host/planned.h"

namespace hexane::host {

// An op with more elements, all operands together, is recorded without bytes: whoever judges it needs a double of each.
inline constexpr uint64_t most_recorded_elements = 1ull << 29;

struct op_record {
    // A range of memory that operands lie in. Operands that overlap share one, so an op in place stays one.
    struct region {
        uint64_t bytes = 0;
        uint32_t phase = 0;         // address of its first byte modulo 128
        std::vector<uint8_t> data;  // before the op ran; empty when the op was too large to be recorded with its bytes
    };
    // A tiled one has a region of its own, which holds it in ggml's block layout.
    struct operand {
        bool present = false;
        std::string name;
        tensor_shape shape = {};
        bool weight = false;
        uint32_t region = 0;
        uint64_t offset = 0;  // of its first byte within the region
    };

    uint64_t number = 0;  // of the op in its run, counted from 1
    std::string ggml_version;
    std::string device;  // "HTP0"
    std::string driver;  // path of the FastRPC library
    hardware hw;

    std::string op;  // as ggml_op_desc() has it: "MUL_MAT", "SWIGLU"
    std::string node_name;
    int32_t params[16] = {};  // ggml's op_params

    std::string plan;  // in words
    planned_op planned = {};

    std::string failure;  // empty: the op ran
    std::vector<operand> sources;
    operand result;
    std::vector<region> regions;
    // Elements of the result in index order, without gaps. Empty when the op failed or has no bytes here.
    std::vector<uint8_t> result_bytes;

    uint64_t elements() const;  // of all operands together
    // Whether the operands' bytes are there.
    bool has_bytes() const { return !regions.empty() && !regions[0].data.empty(); }
};

// Bytes of a tensor's elements without gaps.
uint64_t dense_bytes(const tensor_shape &s);
// The same bytes, gathered from a tensor in block layout whose first element is at `first`.
std::vector<uint8_t> gather(const tensor_shape &s, const uint8_t *first);

// Makes the file. Empty, or what went wrong; then there is no file. One that exists is not touched, and `exists` is
// set.
std::string write_op_record(const op_record &r, const std::string &path, bool *exists);

// Reads a file and checks all of it: whatever the file holds, an operand lies within its region and a count fits its
// array. None, and one line in `why`, when it is not a record of this version.
std::optional<op_record> read_op_record(const std::string &path, std::string *why);
std::optional<op_record> parse_op_record(const std::vector<uint8_t> &file, std::string *why);

}  // namespace hexane::host
