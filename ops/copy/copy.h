// ops/copy/copy.h -- dst = src, element by element in index order, converted to the type of dst.
//
// src  any shape, any strides
// dst  any shape with as many elements, any strides
// f32, f16, bf16 in all pairs, f32 <-> i32 (towards zero), and any type to itself.
//
// CPY writes into a view of its second source, CONT and DUP into a tensor of their own; the kernel sees src[0] and dst
// alone.
#pragma once

#include <stdint.h>

#include "abi/digest.h"
#include "abi/op_id.h"
#include "abi/row_blocks.h"

namespace hexane::op {

// How the elements travel.
enum class copy_kind : uint32_t {
    runs = 0,  // the element sequence in runs of blocks.cols, packed in VTCM; a quantised block is one element
    transpose =
        1,  // boxes of blocks.cols x blocks.rows, dense along rows where they come from and along columns where they go
};

// The elements of a tensor in index order, innermost loop first. Loops that continue each other are one; a quantised block is
// one element. Loops that are not there have one step.
struct element_order {
    uint32_t extent[4];
    uint32_t multiplier[4];  // divide by the extents
    uint8_t shift[4];
    uint8_t dimension[4];  // whose stride a loop has

    constexpr base::fastdiv by_extent(uint32_t loop) const { return {multiplier[loop], shift[loop], extent[loop]}; }
    constexpr uint32_t elements() const { return extent[0] * extent[1] * extent[2] * extent[3]; }
};

struct copy_params {
    copy_kind kind;
    rows::blocks blocks;
    union {
        rows::loops boxes;  // transpose: of dst and src, destination dense along loop 0, source along loop 1
        struct {
            element_order from, to;
        } sequence;  // runs
    };
    static constexpr auto fields() {
        return field_list{HEX_FIELD(copy_params, kind), HEX_FIELD(copy_params, blocks), HEX_FIELD(copy_params, boxes),
                          HEX_FIELD(copy_params, sequence)};
    }
};
static_assert(sizeof(copy_params) == 112);

// VTCM of one worker of a copy in runs: for each unit in flight, its elements as they come and as they go.
constexpr uint64_t copy_runs_bytes(const rows::blocks &b, uint32_t src_element, uint32_t dst_element) {
    return uint64_t{b.depth} * b.cols * (src_element + dst_element);
}

// A transposing copy in VTCM, for the box (cols, rows) of a unit. Three regions, each with rows on lines; all extents are
// padded to whole square tiles of a vector's width.
//   loaded     cols rows of `rows` source elements
//   converted  the same in the type of the destination; absent if the types are equal
//   turned     rows rows of `cols` destination elements
struct transpose_layout {
    uint32_t tile;  // elements of the destination type in a vector
    uint32_t loaded_pitch, converted_pitch, turned_pitch;
    uint32_t converted, turned, bytes;  // offsets of the regions from the first, and their sum

    static constexpr transpose_layout of(const rows::blocks &b, uint32_t src_element, uint32_t dst_element,
                                         bool converts) {
        transpose_layout l{};
        l.tile = line_bytes / dst_element;
        const uint32_t cols = base::align_up(b.cols, l.tile), n_rows = base::align_up(b.rows, l.tile);
        l.loaded_pitch = base::align_up(n_rows * src_element, line_bytes);
        l.converted_pitch = converts ? n_rows * dst_element : l.loaded_pitch;
        l.turned_pitch = cols * dst_element;
        l.converted = converts ? cols * l.loaded_pitch : 0;
        l.turned = l.converted + cols * l.converted_pitch;
        l.bytes = l.turned + n_rows * l.turned_pitch;
        return l;
    }
};

struct copy {
    using kernel_params = copy_params;
    using members = op_members<struct cpy, struct cont, struct dup>;
};

struct copy_member {
    using family = copy;
    using kernel_params = copy_params;
    static constexpr uint32_t n_sources = 1;
};
struct cpy : copy_member {
    static constexpr op_id id{14};
    static constexpr const char *name = "CPY";
};
struct cont : copy_member {
    static constexpr op_id id{15};
    static constexpr const char *name = "CONT";
};
struct dup : copy_member {
    static constexpr op_id id{16};
    static constexpr const char *name = "DUP";
};

}  // namespace hexane::op
