// host/buffer.h -- what stands behind a ggml buffer of a device: shared memory and the layout of the tensors in it.
#pragma once

#include <memory>

#include "host/batch_builder.h"
#include "host/shared_memory.h"
#include "host/tile_map.h"

struct ggml_tensor;

namespace hexane::host {

class device;

// A strided copy: `count` pieces of `size` bytes, `tensor_stride` apart in the tensor and `data_stride` apart in
// memory.
struct piece_list {
    size_t offset, size, count, tensor_stride, data_stride;
};

// Every access takes the device's lock, so it comes after all work that was handed in before it. Offsets count from the
// tensor's first byte, in ggml's block layout, whatever the layout in memory.
class buffer : public mappable {
  public:
    // Null when there is no memory or the buffer could never be mapped; the reason is logged.
    static std::unique_ptr<buffer> create(device &d, uint64_t bytes);
    ~buffer();

    device &owner() const { return device_; }
    uint64_t offset_of(const ggml_tensor &t) const;
    // The tiled tensor that holds this byte. Any thread.
    std::optional<decided_region> region_at(uint64_t at) const;
    // Puts the tiled tensor that holds this byte into block layout, for good. False when there is none.
    // REQUIRES: the device is locked and nothing is in flight.
    bool make_plain(uint64_t at);

    // The tensor got its address: forgets what lay there before.
    void place(const ggml_tensor &t);
    // `weights`: usage of the buffer. The first write of a tensor decides whether it is tiled.
    void set(const ggml_tensor &t, const void *data, const piece_list &pieces, bool weights);
    void get(const ggml_tensor &t, void *data, const piece_list &pieces);
    void fill(const ggml_tensor &t, uint8_t value, size_t offset, size_t size);
    // All of `t`, from `source`, a tensor of the same layout in another or the same buffer of ours.
    void copy_from(buffer &source, const ggml_tensor &source_tensor, const ggml_tensor &t, bool weights);
    void clear(uint8_t value);
    void reset();

  private:
    explicit buffer(device &d) : device_(d) {}
    void decide_layout(const ggml_tensor &t, bool weights);
    void write(uint64_t at, const void *data, size_t size);
    void read(uint64_t at, void *data, size_t size) const;
    // False, and logged, for a range that leaves the buffer.
    bool within(uint64_t at, uint64_t size) const;

    device &device_;
    shared_memory memory_;
    tile_map tiles_;
};

}  // namespace hexane::host
