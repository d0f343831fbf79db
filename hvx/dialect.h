// hvx/dialect.h -- the one place that knows which HVX it is: intrinsics of the device or of the virtual NPU, and one of
// three ways to calculate in f32. Nothing outside hvx/ asks.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The intrinsics are the compiler's for Hexagon, and those of virtual/hvx/ for a PC, where the include path leads there.
#if defined(__hexagon__)
#include <hexagon_types.h>
//
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#define HEX_HVX_DEVICE 1
#else
#include <hexagon_protos.h>
#define HEX_HVX_DEVICE 0
#endif

// The f32 dialect, exactly one is 1:
//   HEX_F32_LANES   clang's vector extension, plain IEEE: the PC, and Hexagon code for qemu (-mhvx=v67), which clang
//                   lowers to scalar float instructions because no open emulator has HVX float
//   HEX_F32_QFLOAT  v73, v75: qf32 arithmetic, converted back to f32 after every operation
//   HEX_F32_IEEE    v79, v81: native f32 instructions; needs -mhvx-ieee-fp, without it clang calculates in qf32
//                   there too
#if !HEX_HVX_DEVICE || __HVX_ARCH__ < 68
#define HEX_F32_LANES 1
#define HEX_F32_QFLOAT 0
#define HEX_F32_IEEE 0
#elif __HVX_ARCH__ < 79
#define HEX_F32_LANES 0
#define HEX_F32_QFLOAT 1
#define HEX_F32_IEEE 0
#else
#define HEX_F32_LANES 0
#define HEX_F32_QFLOAT 0
#define HEX_F32_IEEE 1
#ifndef __HVX_IEEE_FP__
#error "v79 and later are built with -mhvx-ieee-fp"
#endif
#endif

// PC instructions that a vector extension does not reach, or not well.
#if !HEX_HVX_DEVICE && defined(__x86_64__)
#define HEX_PC_X86 1
#include <immintrin.h>
#else
#define HEX_PC_X86 0
#endif
#if HEX_PC_X86 && defined(__F16C__)
#define HEX_PC_F16C 1
#else
#define HEX_PC_F16C 0
#endif
#if HEX_PC_X86 && defined(__AVX512F__)
#define HEX_PC_AVX512 1
#else
#define HEX_PC_AVX512 0
#endif

// Vectors are passed through memory by every calling convention involved, so an operation is never left out of line.
#define HEX_HVX [[gnu::always_inline]] inline
