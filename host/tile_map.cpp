// host/tile_map.cpp
#include "host/tile_map.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "formats/tile.h"
#include "ggml.h"

namespace hexane::host {

namespace {

bool same_shape(const formats::tiled_shape &a, const formats::tiled_shape &b) {
    return a.type == b.type && a.k == b.k && a.rows == b.rows && a.slices == b.slices;
}

formats::tiled_shape tiles_of(const ggml_tensor &t) {
    return {static_cast<data_type>(t.type), static_cast<uint64_t>(t.ne[0]), static_cast<uint64_t>(t.ne[1]),
            static_cast<uint64_t>(t.ne[2] * t.ne[3])};
}

}  // namespace

std::optional<formats::tiled_shape> tileable(const ggml_tensor &t) {
    const auto type = static_cast<data_type>(t.type);
    if (t.view_src || t.ne[0] <= 0 || t.ne[1] < 2 || t.ne[2] <= 0 || t.ne[3] <= 0) return std::nullopt;
    if (!formats::tiled_shape::supports(type, static_cast<uint64_t>(t.ne[0])) || !ggml_is_contiguous(&t))
        return std::nullopt;
    return tiles_of(t);
}

std::optional<decided_region> tile_map::find(uint64_t offset) const {
    const std::shared_lock lock(mutex_);
    const auto next = regions_.upper_bound(offset);
    if (next == regions_.begin()) return std::nullopt;
    const decided_region &r = std::prev(next)->second;
    if (!r.tiled || offset - r.offset >= r.shape.tiled_bytes()) return std::nullopt;
    return r;
}

bool tile_map::is_decided(uint64_t offset) const {
    const std::shared_lock lock(mutex_);
    return regions_.contains(offset);
}

void tile_map::erase_overlapping(uint64_t offset, uint64_t bytes) {
    auto first = regions_.upper_bound(offset);
    if (first != regions_.begin()) --first;
    while (first != regions_.end() && first->first < offset + bytes) {
        const decided_region &r = first->second;
        first = r.offset + r.shape.tiled_bytes() > offset ? regions_.erase(first) : std::next(first);
    }
}

void tile_map::count() {
    const auto n =
        std::count_if(regions_.begin(), regions_.end(), [](const auto &entry) { return entry.second.tiled; });
    n_tiled_.store(static_cast<size_t>(n), std::memory_order_release);
}

void tile_map::decide(const decided_region &region) {
    const std::unique_lock lock(mutex_);
    erase_overlapping(region.offset, region.shape.tiled_bytes());
    regions_.emplace(region.offset, region);
    count();
}

void tile_map::place(uint64_t offset, uint64_t bytes, const std::optional<formats::tiled_shape> &shape) {
    const std::unique_lock lock(mutex_);
    if (regions_.empty()) return;
    const auto known = regions_.find(offset);
    if (shape && known != regions_.end() && same_shape(known->second.shape, *shape)) return;
    erase_overlapping(offset, bytes);
    count();
}

void tile_map::clear() {
    const std::unique_lock lock(mutex_);
    regions_.clear();
    count();
}

std::optional<uint64_t> tiled_view_offset(const decided_region &region, const ggml_tensor &view, uint64_t offset) {
    const formats::tiled_shape &s = region.shape;
    const uint64_t row_bytes = s.row_bytes(), at = offset - region.offset;
    const bool same_rows = static_cast<uint32_t>(view.type) == static_cast<uint32_t>(s.type) &&
                           static_cast<uint64_t>(view.ne[0]) == s.k && ggml_is_contiguous(&view) && at % row_bytes == 0;
    if (!same_rows) return std::nullopt;
    const uint64_t row = at / row_bytes % s.rows, slice = at / row_bytes / s.rows;
    const uint64_t rows = static_cast<uint64_t>(view.ne[1]), slices = static_cast<uint64_t>(view.ne[2] * view.ne[3]);
    const bool whole_slices = row == 0 && rows == s.rows;
    // Without row padding all bands of the tensor follow each other, whatever the slices.
    const bool whole_bands = s.rows % formats::tile_rows == 0 && row % formats::tile_rows == 0 &&
                             (slices == 1 || rows % formats::tile_rows == 0);
    const bool within_slice = slices == 1 && row % formats::tile_rows == 0 && row + rows <= s.rows;
    if (!whole_slices && !whole_bands && !within_slice) return std::nullopt;
    return region.offset + s.view().band_offset(row, slice, 0);
}

uint64_t tiled_extent_bytes(const ggml_tensor &t) { return tiles_of(t).tiled_bytes(); }

// Band by band, upwards: 32 rows take the same bytes in both layouts, and the padding of earlier slices only moves them
// down, so a band's new place never reaches into the next band's tiles.
void untile(const formats::tiled_shape &shape, uint8_t *base) {
    const formats::tiled_tensor tiles(shape, base);
    const uint64_t row_bytes = shape.row_bytes();
    std::vector<uint8_t> band(shape.view().band_bytes());
    for (uint64_t slice = 0; slice < shape.slices; ++slice) {
        for (uint64_t row = 0; row < shape.rows; row += formats::tile_rows) {
            const uint64_t bytes = std::min<uint64_t>(formats::tile_rows, shape.rows - row) * row_bytes;
            const uint64_t at = (slice * shape.rows + row) * row_bytes;
            tiles.get(band.data(), at, bytes);
            std::memcpy(base + at, band.data(), bytes);
        }
    }
}

}  // namespace hexane::host
