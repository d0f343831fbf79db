// virtual/qemu/float_lanes.cpp -- the routines of hvx/lane_calls.h: f32 arithmetic on the lanes of v0 and v1, result in v0.
//
// Made for what is cheap under qemu: lanes are taken out by vextract and put together in memory by scalar stores. A vector store
// would be probed byte by byte, and a hardware loop's way back is looked up in every round, so there are neither.

// Register use: r10 the lane's offset, r11 where its result goes, r12 the stack pointer to restore. `operation` turns r0 and r1 into r0.
asm(R"(
.macro hexane_lanes name, operation
    .section .text.hexane_lanes_\name,"ax",@progbits
    .globl hexane_lanes_\name
    .p2align 4
hexane_lanes_\name:
    { r12 = r29
      r29 = add(r29, #-128)
      r10 = #0 }
    { r29 = and(r29, #-128) }
    { r11 = r29 }
    .rept 32
    { r0 = vextract(v0, r10) }
    { r1 = vextract(v1, r10) }
    \operation
    { memw(r11++#4) = r0
      r10 = add(r10, #4) }
    .endr
    { v0 = vmem(r29 + #0) }
    { r29 = r12
      jumpr r31 }
.endm

.macro hexane_add
    { r0 = sfadd(r0, r1) }
.endm
.macro hexane_sub
    { r0 = sfsub(r0, r1) }
.endm
.macro hexane_mul
    { r0 = sfmpy(r0, r1) }
.endm
.macro hexane_min
    { p0 = sfcmp.gt(r1, r0) }
    { r0 = mux(p0, r0, r1) }
.endm
.macro hexane_max
    { p0 = sfcmp.gt(r0, r1) }
    { r0 = mux(p0, r0, r1) }
.endm
.macro hexane_greater
    { p0 = sfcmp.gt(r0, r1) }
    { r0 = mux(p0, #-1, #0) }
.endm
.macro hexane_of_integers
    { r0 = convert_w2sf(r0) }
.endm
// The architecture's sequence for an IEEE quotient: an estimate of 1 / r1, two Newton steps, the scaled quotient with two corrections.
.macro hexane_div
    { r3, p0 = sfrecipa(r0, r1)
      r7 = sffixupd(r0, r1)
      r4 = ##0x3f800000 }
    { r2 = sffixupn(r0, r1)
      r5 = r4 }
    { r4 -= sfmpy(r7, r3):lib }
    { r0 = and(r2, ##0x80000000)
      r6 = r2 }
    { r3 += sfmpy(r4, r3):lib }
    { r0 += sfmpy(r2, r3):lib
      r5 -= sfmpy(r7, r3):lib }
    { r6 -= sfmpy(r7, r0):lib
      r3 += sfmpy(r5, r3):lib }
    { r0 += sfmpy(r6, r3):lib }
    { r2 -= sfmpy(r0, r7):lib }
    { r0 += sfmpy(r2, r3, p0):scale }
.endm

hexane_lanes add, hexane_add
hexane_lanes sub, hexane_sub
hexane_lanes mul, hexane_mul
hexane_lanes div, hexane_div
hexane_lanes min, hexane_min
hexane_lanes max, hexane_max
hexane_lanes greater, hexane_greater
hexane_lanes of_integers, hexane_of_integers
)");
