// hvx/subnormals.h -- arithmetic in which subnormal numbers count as zero.
//
// A PC calculates with subnormal f32 numbers in microcode, a hundred times slower than with others. Softmax makes many
// (probabilities below 1e-38), and the product with them took 200 ms instead of 12.
#pragma once

#include "hvx/dialect.h"

#if !HEX_HVX_DEVICE && defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hexane::hvx {

// While it lives, f32 operations of this thread read and write zeros in place of subnormal numbers. Conversions from
// and to f16 are not concerned. On a device nothing: there the hardware decides.
class subnormals_are_zero {
  public:
#if !HEX_HVX_DEVICE && defined(__x86_64__)
    subnormals_are_zero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_results | flush_operands); }
    ~subnormals_are_zero() { _mm_setcsr(before_); }

  private:
    static constexpr uint32_t flush_results = 1u << 15, flush_operands = 1u << 6;  // MXCSR.FTZ, MXCSR.DAZ
    const uint32_t before_;
#elif !HEX_HVX_DEVICE && defined(__aarch64__)
    subnormals_are_zero() {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" ::"r"(before_ | flush));
    }
    ~subnormals_are_zero() { asm volatile("msr fpcr, %0" ::"r"(before_)); }

  private:
    static constexpr uint64_t flush = uint64_t{1} << 24;  // FPCR.FZ
    uint64_t before_;
#else
    subnormals_are_zero() {}
    ~subnormals_are_zero() {}
#endif
    subnormals_are_zero(const subnormals_are_zero &) = delete;
    subnormals_are_zero &operator=(const subnormals_are_zero &) = delete;
};

}  // namespace hexane::hvx
