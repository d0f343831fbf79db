// host/tile_map.cpp
#include "host/tile_map.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "ggml.h"

namespace hexane::host {

namespace {

bool same_shape(const formats::tiled_shape &a, const formats::tiled_shape &b) {
    return a.type == b.type && a.k == b.k && a.rows == b.rows && a.slices == b.slices;
}

}  // namespace

std::optional<formats::tiled_shape> tileable(const ggml_tensor &t) {
    const auto type = static_cast<data_type>(t.type);
    if (t.view_src || t.ne[0] <= 0 || t.ne[1] < 2 || t.ne[2] <= 0 || t.ne[3] <= 0) return std::nullopt;
    if (!formats::tiled_shape::supports(type, static_cast<uint64_t>(t.ne[0])) || !ggml_is_contiguous(&t)) return std::nullopt;
    return formats::tiled_shape{type, static_cast<uint64_t>(t.ne[0]), static_cast<uint64_t>(t.ne[1]),
                                static_cast<uint64_t>(t.ne[2] * t.ne[3])};
}

std::optional<tiled_region> tile_map::find(uint64_t offset) const {
    const std::shared_lock lock(mutex_);
    auto next = regions_.upper_bound(offset);
    if (next == regions_.begin()) return std::nullopt;
    const tiled_region &r = std::prev(next)->second;
    if (offset - r.offset >= r.shape.tiled_bytes()) return std::nullopt;
    return r;
}

void tile_map::erase_overlapping(uint64_t offset, uint64_t bytes) {
    std::erase_if(regions_, [&](const auto &entry) {
        const tiled_region &r = entry.second;
        return r.offset < offset + bytes && offset < r.offset + r.shape.tiled_bytes();
    });
}

void tile_map::add(const tiled_region &region) {
    const std::unique_lock lock(mutex_);
    erase_overlapping(region.offset, region.shape.tiled_bytes());
    regions_.emplace(region.offset, region);
    count_.store(regions_.size(), std::memory_order_release);
}

void tile_map::remove(uint64_t offset) {
    const std::unique_lock lock(mutex_);
    regions_.erase(offset);
    count_.store(regions_.size(), std::memory_order_release);
}

void tile_map::place(uint64_t offset, uint64_t bytes, const std::optional<formats::tiled_shape> &shape) {
    if (empty()) return;
    const std::unique_lock lock(mutex_);
    const auto known = regions_.find(offset);
    if (shape && known != regions_.end() && same_shape(known->second.shape, *shape)) return;
    erase_overlapping(offset, bytes);
    count_.store(regions_.size(), std::memory_order_release);
}

void tile_map::clear() {
    const std::unique_lock lock(mutex_);
    regions_.clear();
    count_.store(0, std::memory_order_release);
}

// Band by band, upwards: 32 rows take the same bytes in both layouts, and the padding of earlier slices only moves them down, so a
// band's new place never reaches into the next band's tiles.
void untile(const formats::tiled_shape &shape, uint8_t *base) {
    const formats::tiled_tensor tiles(shape, base);
    const uint64_t row_bytes = shape.row_bytes();
    const uint64_t band_rows = shape.band_bytes() / row_bytes;
    std::vector<uint8_t> band(shape.band_bytes());
    for (uint64_t slice = 0; slice < shape.slices; ++slice) {
        for (uint64_t row = 0; row < shape.rows; row += band_rows) {
            const uint64_t bytes = std::min(band_rows, shape.rows - row) * row_bytes;
            const uint64_t at = (slice * shape.rows + row) * row_bytes;
            tiles.get(band.data(), at, bytes);
            std::memcpy(base + at, band.data(), bytes);
        }
    }
}

}  // namespace hexane::host
