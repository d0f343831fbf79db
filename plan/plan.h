// plan/plan.h -- planning: from a graph node to the kernel_params of an op, or the reason why not.
//
// supports_op is exactly "the plan succeeded"; there is no second predicate. A plan depends on nothing but the node and
// the hardware, so plans are memoised by the bytes of both.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "abi/batch.h"
#include "abi/data_type.h"
#include "abi/hardware.h"
#include "abi/op_id.h"

namespace hexane::plan {

// A tensor of a node: shape and strides as ggml has them, no address. Plain bytes without padding, so that it can be a
// key.
struct tensor_shape {
    int64_t ne[4];
    uint64_t nb[4];
    uint32_t type;   // ggml's number; may be a type that data_type does not list
    uint32_t tiled;  // 1: in the tile layout of its type

    data_type dtype() const { return static_cast<data_type>(type); }
    bool is(data_type t) const { return type == static_cast<uint32_t>(t); }
    // Saturate. REQUIRES: no extent is negative.
    int64_t elements() const { return product(0); }
    int64_t rows() const { return product(1); }
    bool same_shape(const tensor_shape &o) const {
        return ne[0] == o.ne[0] && ne[1] == o.ne[1] && ne[2] == o.ne[2] && ne[3] == o.ne[3];
    }
    // Elements (blocks, for quantised types) of a row follow each other without gaps.
    bool rows_dense() const { return nb[0] == block_bytes(dtype()); }
    // Bytes of one dense row. REQUIRES: a listed type.
    uint64_t row_bytes() const { return static_cast<uint64_t>(ne[0]) / block_elements(dtype()) * block_bytes(dtype()); }
    // The whole tensor is one dense run in index order. Dimensions of extent 1 may have any stride.
    bool contiguous() const;
    // Bytes from the first element to the end of the last one; saturates.
    uint64_t extent_bytes() const;
    // Bytes of all elements, one after the other; saturates. More than extent_bytes() where elements repeat.
    uint64_t packed_bytes() const;
    // Whether two elements may share bytes, as those of a repeated row do: strides that do not enclose each other count
    // as such.
    bool overlaps_itself() const;

  private:
    int64_t product(int first) const;
};
static_assert(sizeof(tensor_shape) == 72);

// Operands are addressed by 32-bit offsets, and their sizes rounded up to whole lines.
inline constexpr uint64_t most_operand_bytes = 0xffffff80u;

// Why a session cannot address such a tensor, whatever the op: a type that it does not know, an empty dimension, a row
// that ends within a block, numbers that the wire does not express, more than most_operand_bytes, spread or packed.
// Null if it can. Every planner asks this of every operand first, directly or through check_operands() of row_plan.h.
const char *unaddressable(const tensor_shape &t);

// One op of a graph. A source that is absent has type 0xffffffff and all extents 0.
struct node {
    op_id op;
    uint32_t n_src;
    int32_t params[16];  // ggml's op_params, verbatim
    tensor_shape dst;
    tensor_shape src[max_op_sources];

    bool has_src(uint32_t i) const { return i < n_src && src[i].type != 0xffffffffu; }
    float param_f32(uint32_t i) const {
        float f;
        __builtin_memcpy(&f, &params[i], sizeof f);
        return f;
    }
    int32_t param_i32(uint32_t i) const { return params[i]; }
};

// Why a node cannot run on the NPU: one short line, without the names that the caller adds.
struct reject {
    std::string reason;
};

// Either the params with the bytes of VTCM that the kernel uses with them, all threads together, or the reason.
template <class Params> class [[nodiscard]] plan_or {
  public:
    plan_or(const Params &params, uint64_t vtcm_bytes) : value_(made{params, vtcm_bytes}) {}
    plan_or(reject r) : value_(std::move(r)) {}
    bool accepted() const { return value_.index() == 0; }
    const Params &params() const { return std::get<0>(value_).params; }
    uint64_t vtcm_bytes() const { return std::get<0>(value_).vtcm_bytes; }
    const std::string &reason() const { return std::get<1>(value_).reason; }

  private:
    struct made {
        Params params;
        uint64_t vtcm_bytes;
    };
    std::variant<made, reject> value_;
};

// The planner of an op or of a family (owner_of<Op>), specialised in ops/<op>/plan.cpp. Pure; any thread. REQUIRES: n.op == Op::id and the number of
// sources that ggml gives that op; everything else (types, shapes, strides, window) is the planner's to check. It must
// be monotone in `hw`. The kernel gets no more VTCM than the plan says.
template <class Op> plan_or<typename Op::kernel_params> plan(const node &n, const hardware &hw);

// One line that tells what a plan decided, for traces and test failures; specialised beside plan().
template <class Op> std::string describe(const typename Op::kernel_params &params);

// A plan with its type erased: what goes into an op_desc.
struct planned_op {
    op_id op;
    uint32_t vtcm_bytes;
    alignas(8) uint8_t kernel_params[kernel_params_bytes];
};

}  // namespace hexane::plan
