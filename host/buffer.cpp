// host/buffer.cpp
#include "host/buffer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "ggml.h"
#include "host/device.h"
#include "host/log.h"

namespace hexane::host {

std::unique_ptr<buffer> buffer::create(device &d, uint64_t bytes) {
    const unsigned long long mib = bytes >> 20;
    if (bytes > d.window_bytes()) {
        log_line(log_level::error,
                 "%s buffer of %llu MiB is larger than the address window of %llu MiB (GGML_HEXAGON_VMEM)",
                 d.name().c_str(), mib, static_cast<unsigned long long>(d.window_bytes() >> 20));
        return nullptr;
    }
    std::unique_ptr<buffer> b(new buffer(d));
    if (!b->memory_.allocate(d.rpc(), bytes)) {
        log_line(log_level::error, "%s no shared memory for a buffer of %llu MiB", d.name().c_str(), mib);
        return nullptr;
    }
    b->fd = b->memory_.fd();
    b->base = b->memory_.base();
    b->mappable::bytes = b->memory_.bytes();
    d.add_user(b->mappable::bytes);
    return b;
}

buffer::~buffer() {
    if (!base) return;
    device_.forget(*this);
    device_.remove_user(bytes);
}

uint64_t buffer::offset_of(const ggml_tensor &t) const {
    return static_cast<uint64_t>(static_cast<uint8_t *>(t.data) - base);
}

bool buffer::within(uint64_t at, uint64_t size) const {
    if (size <= bytes && at <= bytes - size) return true;
    log_line(log_level::error, "%s access to bytes %llu .. %llu of a buffer of %llu is ignored", device_.name().c_str(),
             static_cast<unsigned long long>(at), static_cast<unsigned long long>(at + size),
             static_cast<unsigned long long>(bytes));
    return false;
}

void buffer::place(const ggml_tensor &t) {
    if (t.view_src || !t.data) return;
    const std::lock_guard lock(device_.mutex());
    tiles_.place(offset_of(t), std::max<uint64_t>(ggml_nbytes(&t), 1), tileable(t));
}

void buffer::decide_layout(const ggml_tensor &t, bool weights) {
    const std::optional<formats::tiled_shape> shape = tileable(t);
    const uint64_t at = offset_of(t);
    if (!shape || tiles_.is_decided(at)) return;
    const tile_policy policy = device_.opts().tiles;
    const bool wanted = policy == tile_policy::all || (policy == tile_policy::weights && weights);
    const bool fits = shape->tiled_bytes() <= bytes && at <= bytes - shape->tiled_bytes();
    tiles_.decide({at, *shape, wanted && fits});
    if (wanted && fits) formats::tiled_tensor(*shape, base + at).clear_padding();
}

std::optional<decided_region> buffer::region_at(uint64_t at) const {
    return tiles_.any_tiled() ? tiles_.find(at) : std::nullopt;
}

bool buffer::make_plain(uint64_t at) {
    const auto region = region_at(at);
    if (!region) return false;
    untile(region->shape, base + region->offset);
    tiles_.decide({region->offset, region->shape, false});
    return true;
}

void buffer::write(uint64_t at, const void *data, size_t size) {
    if (!within(at, size)) return;
    if (const auto region = region_at(at)) {
        const uint64_t first = at - region->offset;
        const uint64_t room = region->shape.ggml_bytes();
        if (first < room)
            formats::tiled_tensor(region->shape, base + region->offset)
                .set(data, first, std::min<uint64_t>(size, room - first));
        return;
    }
    std::memcpy(base + at, data, size);
}

void buffer::read(uint64_t at, void *data, size_t size) const {
    if (!within(at, size)) return;
    if (const auto region = region_at(at)) {
        const uint64_t first = at - region->offset;
        const uint64_t room = region->shape.ggml_bytes();
        if (first < room)
            formats::tiled_tensor(region->shape, base + region->offset)
                .get(data, first, std::min<uint64_t>(size, room - first));
        return;
    }
    std::memcpy(data, base + at, size);
}

void buffer::set(const ggml_tensor &t, const void *data, const piece_list &p, bool weights) {
    const std::lock_guard lock(device_.mutex());
    decide_layout(t, weights);
    for (size_t i = 0; i < p.count; ++i) {
        write(offset_of(t) + p.offset + i * p.tensor_stride, static_cast<const uint8_t *>(data) + i * p.data_stride,
              p.size);
    }
}

void buffer::get(const ggml_tensor &t, void *data, const piece_list &p) {
    const std::lock_guard lock(device_.mutex());
    for (size_t i = 0; i < p.count; ++i) {
        read(offset_of(t) + p.offset + i * p.tensor_stride, static_cast<uint8_t *>(data) + i * p.data_stride, p.size);
    }
}

void buffer::fill(const ggml_tensor &t, uint8_t value, size_t offset, size_t size) {
    const std::lock_guard lock(device_.mutex());
    const uint64_t at = offset_of(t) + offset;
    if (!within(at, size)) return;
    const auto region = region_at(at);
    if (!region) {
        std::memset(base + at, value, size);
        return;
    }
    const uint64_t first = at - region->offset, room = region->shape.ggml_bytes();
    if (first < room)
        formats::tiled_tensor(region->shape, base + region->offset)
            .fill(value, first, std::min<uint64_t>(size, room - first));
}

void buffer::copy_from(buffer &source, const ggml_tensor &source_tensor, const ggml_tensor &t, bool weights) {
    // Two devices: lock both, in an order that cannot deadlock.
    std::unique_lock own(device_.mutex(), std::defer_lock), other(source.device_.mutex(), std::defer_lock);
    if (&device_ == &source.device_)
        own.lock();
    else
        std::lock(own, other);
    decide_layout(t, weights);
    const uint64_t total = ggml_nbytes(&t), from = source.offset_of(source_tensor), to = offset_of(t);
    if (!source.tiles_.any_tiled() && !tiles_.any_tiled()) {
        if (within(to, total) && source.within(from, total)) std::memmove(base + to, source.base + from, total);
        return;
    }
    std::vector<uint8_t> piece(std::min<uint64_t>(total, 1u << 20));
    for (uint64_t done = 0; done < total; done += piece.size()) {
        const size_t n = std::min<uint64_t>(piece.size(), total - done);
        source.read(from + done, piece.data(), n);
        write(to + done, piece.data(), n);
    }
}

// A uniform buffer reads the same in every layout.
void buffer::clear(uint8_t value) {
    const std::lock_guard lock(device_.mutex());
    tiles_.clear();
    std::memset(base, value, bytes);
}

void buffer::reset() {
    const std::lock_guard lock(device_.mutex());
    tiles_.clear();
}

}  // namespace hexane::host
