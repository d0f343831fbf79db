// hvx/lane_calls.h -- f32 lanes of Hexagon code for qemu, which executes no HVX float: calls of routines that work lane by lane.
//
// clang would lower its own vector types there as well, but it takes every vector apart and puts it together again in line: three times
// slower under qemu, and minutes to compile. A call of a C++ function would spill the vectors that live across it, and under qemu a
// vector store costs more than all the rest, because each of its bytes is probed. These routines (virtual/qemu/float_lanes.cpp) have a
// convention of their own: operands in v0 and v1, result in v0, no other vector touched.
#pragma once

#include "hvx/dialect.h"

#if HEX_F32_LANES && HEX_HVX_DEVICE

namespace hexane::hvx {

// Stands for clang's vector of 32 floats: the same operators with the same results.
class f32_lanes {
  public:
    explicit f32_lanes(HVX_Vector v) : v_(v) {}
    explicit operator HVX_Vector() const { return v_; }

  private:
    HVX_Vector v_;
};

// The scalar registers that a routine uses.
#define HEX_LANE_CLOBBERS "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r10", "r11", "r12", "r31", "p0"
#define HEX_LANE_CALL(function, routine)                             \
    HEX_HVX f32_lanes function(f32_lanes a, f32_lanes b) {           \
        register HVX_Vector x asm("v0") = (HVX_Vector)a;             \
        register HVX_Vector y asm("v1") = (HVX_Vector)b;             \
        asm("call " routine : "+v"(x) : "v"(y) : HEX_LANE_CLOBBERS); \
        return f32_lanes(x);                                         \
    }
HEX_LANE_CALL(operator+, "hexane_lanes_add")
HEX_LANE_CALL(operator-, "hexane_lanes_sub")
HEX_LANE_CALL(operator*, "hexane_lanes_mul")
HEX_LANE_CALL(operator/, "hexane_lanes_div")
HEX_LANE_CALL(smaller, "hexane_lanes_min")                // a < b ? a : b
HEX_LANE_CALL(larger, "hexane_lanes_max")                 // a > b ? a : b
HEX_LANE_CALL(operator>, "hexane_lanes_greater")          // all ones or all zeroes
HEX_LANE_CALL(from_integers, "hexane_lanes_of_integers")  // of a, to nearest even
#undef HEX_LANE_CALL
#undef HEX_LANE_CLOBBERS

HEX_HVX f32_lanes lanes_of_integers(HVX_Vector a) { return from_integers(f32_lanes(a), f32_lanes(a)); }

}  // namespace hexane::hvx

#endif
