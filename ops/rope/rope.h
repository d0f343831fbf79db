// ops/rope/rope.h -- rotary position embedding: pairs of elements of each row turn by an angle that grows with the
// row's position.
//
// src0  [n0, heads, positions, n3]  f32, f16 or bf16, dense rows, any other strides
// src1  [positions]                 i32: position of src0[:, :, i, :]; with sections [4 * positions], one run for each
// src2  [>= n_pairs]                f32, may be absent: divides the frequency of each pair
// dst   [n0, heads, positions, n3]  the same type, dense rows; may be src0 itself
//
//   angle(i)  = position * frequency(i),  frequency(i) = freq_base^(-2i / n_dims) / src2[i] * scale(i)
//   dst[a(i)] = src0[a(i)] cos - src0[b(i)] sin,  dst[b(i)] = src0[a(i)] sin + src0[b(i)] cos
//
// Elements a(i), b(i) of pair i are neighbours or one half apart; elements that belong to no pair are copied. ROPE_BACK
// turns the other way. Computed in f32, rounded once.
//
// Frequencies are 64-bit fractions of a turn per position, and an angle is the fraction that remains of position *
// frequency: whole turns are lost without error, so position 2^31 is as accurate as position 1.
//
// YaRN: scale(i) is scale_first up to pair ramp_begin, scale_last from ramp_end on, a straight line in between. With
// sections every pair follows one of four positions.
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "abi/digest.h"
#include "abi/op_id.h"
#include "base/align.h"
#include "base/fastdiv.h"

namespace hexane::op {

enum class rope_order : uint32_t { neighbours = 0, halves = 1 };

// Which of the four positions a pair follows.
enum class rope_sections : uint32_t {
    none = 0,         // there is one position
    consecutive = 1,  // section[0] pairs follow the first, section[1] the second, ..., then again from the start
    interleaved = 2,  // pairs take turns with the first three as long as their section lasts, then follow the fourth
    restarting = 3,   // consecutive, and frequencies start anew with each section
};

struct rope_params {
    uint64_t ratio;  // frequency of a pair over that of the one before, in 2^-64
    // scale(i) in 2^-48, and its change from pair to pair between ramp_begin and ramp_end.
    int64_t scale_first, scale_step, scale_last;
    int32_t ramp_begin, ramp_end;
    uint32_t n_threads;           // >= 1
    uint32_t depth;               // units in flight per worker
    uint32_t heads_per_unit;      // at most
    uint32_t positions_per_unit;  // at most; above 1 a unit has all heads
    uint32_t n_pairs;
    uint32_t offset;  // elements before the first pair
    rope_order order;
    rope_sections sections;
    uint32_t section[4];
    float magnitude;    // of cosines and sines
    uint32_t backward;  // 1: turn the other way
    uint32_t units;
    base::fastdiv head_blocks, batches;  // by the units of heads, and by n3
    static constexpr auto fields() {
        return field_list{HEX_FIELD(rope_params, ratio),          HEX_FIELD(rope_params, scale_first),
                          HEX_FIELD(rope_params, scale_step),     HEX_FIELD(rope_params, scale_last),
                          HEX_FIELD(rope_params, ramp_begin),     HEX_FIELD(rope_params, ramp_end),
                          HEX_FIELD(rope_params, n_threads),      HEX_FIELD(rope_params, depth),
                          HEX_FIELD(rope_params, heads_per_unit), HEX_FIELD(rope_params, positions_per_unit),
                          HEX_FIELD(rope_params, n_pairs),        HEX_FIELD(rope_params, offset),
                          HEX_FIELD(rope_params, order),          HEX_FIELD(rope_params, sections),
                          HEX_FIELD(rope_params, section),        HEX_FIELD(rope_params, magnitude),
                          HEX_FIELD(rope_params, backward),       HEX_FIELD(rope_params, units),
                          HEX_FIELD(rope_params, head_blocks),    HEX_FIELD(rope_params, batches)};
    }
};
static_assert(sizeof(rope_params) == 128);

struct rope {
    static constexpr op_id id{19};
    static constexpr const char *name = "ROPE";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = rope_params;
};

struct rope_back {
    static constexpr op_id id{20};
    static constexpr const char *name = "ROPE_BACK";
    static constexpr uint32_t n_sources = 2;
    using kernel_params = rope_params;
};

namespace rope_layout {

// Pairs of a block: the words of a vector.
inline constexpr uint32_t block_pairs = 32;
constexpr uint32_t blocks(uint32_t n_pairs) { return base::ceil_div(n_pairs, block_pairs); }

// Frequencies in scratch, block after block: five vectors of bytes, one of magnitudes, one of position numbers.
inline constexpr uint32_t frequency_words = 5;
inline constexpr uint32_t frequency_block_bytes = (frequency_words + 2) * line_bytes;
constexpr uint64_t frequency_bytes(uint32_t n_pairs) { return uint64_t{blocks(n_pairs)} * frequency_block_bytes; }

// Cosines and sines of one position in VTCM, block after block: one vector each.
inline constexpr uint32_t angle_block_bytes = 2 * line_bytes;
constexpr uint32_t angle_bytes(uint32_t n_pairs) { return blocks(n_pairs) * angle_block_bytes; }

// Loads of the last pairs of a row may reach this far beyond it.
inline constexpr uint32_t load_slack_bytes = 256;

// VTCM of a unit of `rows` rows: the source, the slack, the result.
constexpr uint32_t pitch_bytes(uint32_t row_bytes) { return base::align_up(row_bytes, line_bytes); }
constexpr uint64_t source_bytes(uint32_t row_bytes, uint32_t rows) {
    return uint64_t{pitch_bytes(row_bytes)} * rows + load_slack_bytes;
}
constexpr uint64_t unit_bytes(uint32_t row_bytes, uint32_t rows) {
    return source_bytes(row_bytes, rows) + uint64_t{pitch_bytes(row_bytes)} * rows;
}

// The rows of one position as f32, for the types that are not.
constexpr uint32_t widened_bytes(uint32_t heads, uint32_t n0, uint32_t element_bytes) {
    return element_bytes == sizeof(float) ? 0 : heads * pitch_bytes(n0 * sizeof(float)) + load_slack_bytes;
}

// VTCM of one worker: the angles of a unit's positions, widened rows, `depth` units.
constexpr uint64_t worker_bytes(const rope_params &p, uint32_t n0, uint32_t element_bytes) {
    return uint64_t{p.positions_per_unit} * angle_bytes(p.n_pairs) +
           widened_bytes(p.heads_per_unit, n0, element_bytes) +
           p.depth * unit_bytes(n0 * element_bytes, p.heads_per_unit * p.positions_per_unit);
}

}  // namespace rope_layout

}  // namespace hexane::op
