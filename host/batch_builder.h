// host/batch_builder.h -- collects planned ops until a limit of a batch is reached, then writes them as one batch.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/batch.h"
#include "host/options.h"

namespace hexane::host {

// A shared buffer as batches and sessions see it. The mutable part belongs to whoever holds the device's lock.
struct mappable {
    int fd = -1;
    uint8_t *base = nullptr;
    uint64_t bytes = 0;
    uint64_t session = 0;      // serial number of the session that has it mapped, 0: none
    uint64_t batch_stamp = 0;  // of the batch that it was last added to
    uint16_t batch_index = 0;  // its place there
};

// Where an operand lies.
struct operand_place {
    mappable *where;
    uint64_t offset;
    bool weight;
};

struct batch_limits {
    uint32_t ops;
    uint32_t buffers;
    uint32_t tensors;
    uint64_t window_bytes;  // sum of the buffers of one batch

    // Of the shared memory in which batches travel.
    uint32_t depth;  // slots, batches in flight
    uint32_t flags;  // batch_flags that every batch asks for
    uint32_t traces_per_thread;
    uint64_t slot_bytes;

    // `vmem_bytes` is the address space for both the slots and the buffers.
    static batch_limits of(const options &o, uint64_t vmem_bytes);
};

// Reused for every batch; allocates nothing once it has grown. An operand gets a descriptor of its own each time: 56
// bytes cost less than finding out that it was there before.
class batch_builder {
  public:
    enum class fit {
        added,
        full,      // write the batch, then add again
        too_large  // not even an empty batch takes it
    };

    explicit batch_builder(const batch_limits &limits) : limits_(limits) { clear(); }

    void clear();
    bool empty() const { return ops_.empty(); }
    uint32_t n_ops() const { return static_cast<uint32_t>(ops_.size()); }

    // Adds an op. src and dst of `op` are indices into its own `count` operands (or no_tensor); `operands` and `places`
    // run in parallel.
    fit add(const op_desc &op, const tensor_desc *operands, const operand_place *places, uint32_t count);

    // The buffers so far, in the order of their indices.
    const std::vector<mappable *> &buffers() const { return buffers_; }
    uint64_t buffer_bytes() const { return buffer_bytes_; }

    // Writes header and arrays to `slot` and returns the bytes of the whole batch, reports and traces included.
    // REQUIRES: limits.slot_bytes at `slot`.
    uint64_t write(uint8_t *slot, uint64_t sequence, uint32_t n_threads) const;

  private:
    // Bytes of those buffers of an op that the batch does not have yet; counts them in `n_new`.
    uint64_t bytes_of_new(const operand_place *places, uint32_t count, uint32_t *n_new) const;
    uint16_t index_of(mappable *buffer);

    batch_limits limits_;
    uint64_t stamp_ = 0;
    uint64_t buffer_bytes_ = 0;
    std::vector<mappable *> buffers_;
    std::vector<tensor_desc> tensors_;
    std::vector<op_desc> ops_;
};

}  // namespace hexane::host
