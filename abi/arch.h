// abi/arch.h -- the Hexagon architectures that a session can report.
#pragma once

#include <stdint.h>

namespace hexane {

// Values are the version numbers, as in libggml-htp-v73.so.
enum class arch : uint32_t { v73 = 73, v75 = 75, v79 = 79, v81 = 81 };

constexpr bool is_known(arch a) { return a == arch::v73 || a == arch::v75 || a == arch::v79 || a == arch::v81; }

// Version that this code is compiled for; 0 in PC code, which goes by what its session reports.
#if defined(__hexagon__)
inline constexpr uint32_t compiled_arch_version = __HEXAGON_ARCH__;
#else
inline constexpr uint32_t compiled_arch_version = 0;
#endif

// Size of an L2 cache line and of an HVX vector, in bytes; every alignment rule of the project rests on it.
inline constexpr uint32_t line_bytes = 128;

// More worker threads than any known cDSP has; sizes the fixed tables of a session.
inline constexpr uint32_t max_threads = 16;

}  // namespace hexane
