// virtual/session/heap.h -- sizes that the layout of low memory counts on.
#pragma once

#include <stdint.h>

namespace hexane::virt {

inline constexpr uint64_t small_heap_bytes = 16u << 20;  // one segment for small blocks
inline constexpr uint64_t heap_bytes = 128u << 20;       // with the large ones; sets the window's share of low memory

}  // namespace hexane::virt
