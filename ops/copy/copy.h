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

struct copy_params {
    copy_kind kind;
    rows::blocks blocks;
    static constexpr auto fields() { return field_list{HEX_FIELD(copy_params, kind), HEX_FIELD(copy_params, blocks)}; }
};
static_assert(sizeof(copy_params) == 20);

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

// Makes the loop along which the destination is dense loop 0, and the one along which the source is dense loop 1. False,
// and nothing changed, if these are not two different loops: then there is nothing to transpose.
constexpr bool arrange_transpose(rows::nest<2> &n) {
    uint32_t to = n.n_loops, from = n.n_loops;
    for (uint32_t i = 0; i < n.n_loops; ++i) {
        if (n.extent[i] == 1) continue;
        if (n.stride[0][i] == n.element_bytes[0]) to = i;
        if (n.stride[1][i] == n.element_bytes[1]) from = i;
    }
    if (to == n.n_loops || from == n.n_loops || to == from) return false;
    rows::swap_loops(n, 0, to);
    rows::swap_loops(n, 1, from == 0 ? to : from);
    return true;
}

struct cpy {
    static constexpr op_id id{14};
    static constexpr const char *name = "CPY";
    static constexpr uint32_t n_sources = 1;
    using kernel_params = copy_params;
};

struct cont {
    static constexpr op_id id{15};
    static constexpr const char *name = "CONT";
    static constexpr uint32_t n_sources = 1;
    using kernel_params = copy_params;
};

struct dup {
    static constexpr op_id id{16};
    static constexpr const char *name = "DUP";
    static constexpr uint32_t n_sources = 1;
    using kernel_params = copy_params;
};

}  // namespace hexane::op
