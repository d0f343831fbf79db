// host/tile_map.h -- which tensors of a buffer lie in tiles, and every host access to their bytes.
//
// ggml speaks of bytes in its own block layout; a tile is a permutation of the bits of its blocks (formats/tile.h), so any range can
// be written and read. The layout of a tensor is decided once, at its first write, and recorded here by its place in the buffer.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "formats/tiled_tensor.h"

struct ggml_tensor;

namespace hexane::host {

// The tiles' shape of a tensor, if its type and shape can be tiled: a quantised type with a tile format, at least two rows, ggml's dense
// layout.
std::optional<formats::tiled_shape> tileable(const ggml_tensor &t);

// A tensor that is tiled. Offsets count from the start of the buffer.
struct tiled_region {
    uint64_t offset;
    formats::tiled_shape shape;
};

// Thread-safe for find(); the rest is called with the device locked.
class tile_map {
  public:
    bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

    // The region that holds the byte at `offset`.
    std::optional<tiled_region> find(uint64_t offset) const;

    // Records the region and drops older ones that it overlaps.
    void add(const tiled_region &region);
    void remove(uint64_t offset);
    // A tensor takes this place: what was recorded there belongs to a former one, unless it is the very same.
    void place(uint64_t offset, uint64_t bytes, const std::optional<formats::tiled_shape> &shape);
    void clear();

  private:
    void erase_overlapping(uint64_t offset, uint64_t bytes);

    mutable std::shared_mutex mutex_;
    std::map<uint64_t, tiled_region> regions_;
    std::atomic<size_t> count_{0};
};

// Turns tiles at `base` into ggml's block layout, in place.
void untile(const formats::tiled_shape &shape, uint8_t *base);

}  // namespace hexane::host
