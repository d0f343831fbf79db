// tests/virtual/fuzz/queue.cpp -- any bytes as the shared memory of a queue: whatever the peer wrote, a read ends with a packet that fits or
// with an error, and touches nothing outside of the ring.
//
// Input: positions of both rings (four bytes each, read and written), the bytes of the incoming ring.
#include <cstring>
#include <new>

#include "tests/fuzz/expect.h"
#include "virtual/channel/queue_end.h"

namespace hexane::fuzz {
namespace {

using namespace virt;

struct no_buffers : buffer_table {
    AEEResult check(dspqueue_buffer *) override { return AEE_SUCCESS; }
    void translate(dspqueue_buffer *buffer) override { buffer->address = 0; }
};

constexpr size_t positions_bytes = 4 * sizeof(uint32_t);

// The memory of a queue with rings of equal size, exactly as large as it must be.
class memory {
  public:
    explicit memory(uint32_t ring_bytes)
        : bytes_(static_cast<uint8_t *>(operator new(queue_memory::bytes_for(ring_bytes, ring_bytes), line))),
          queue_(new (bytes_) queue_memory{}) {
        queue_->request_bytes = queue_->response_bytes = ring_bytes;
        std::memset(ring(), 0, 2 * size_t{ring_bytes});
    }
    ~memory() { operator delete(bytes_, line); }
    queue_memory *get() const { return queue_; }
    uint8_t *ring() const { return bytes_ + sizeof(queue_memory); }

  private:
    static constexpr std::align_val_t line{128};
    uint8_t *bytes_;
    queue_memory *queue_;
};

void read_packets(queue_end &end) {
    for (int i = 0; i < 8; ++i) {
        dspqueue_buffer buffers[2];
        uint8_t message[256];
        uint32_t flags = 0, n_buffers = 0, n_message = 0;
        if (end.peek(&flags, &n_buffers, &n_message, patience::none()) == AEE_SUCCESS)
            expect(n_buffers <= DSPQUEUE_MAX_BUFFERS && n_message <= DSPQUEUE_MAX_MESSAGE_SIZE,
                   "a packet that cannot be");
        const packet_sink sink{&flags, 2, &n_buffers, buffers, sizeof message, &n_message, message};
        if (end.read(sink, patience::none()) != AEE_SUCCESS) return;
        expect(n_buffers <= 2 && n_message <= sizeof message, "a packet larger than its place");
    }
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    if (n < fuzz::positions_bytes + 8 || n > 4096) return 0;
    uint32_t at[4];
    std::memcpy(at, bytes, sizeof at);
    const auto ring_bytes = static_cast<uint32_t>(n - sizeof at) & ~7u;
    const fuzz::memory m(ring_bytes);
    std::memcpy(m.ring(), bytes + sizeof at, ring_bytes);
    m.get()->request.read = at[0];
    m.get()->request.written = uint64_t{at[0]} + at[1];
    m.get()->response.read = at[2];
    m.get()->response.written = uint64_t{at[2]} + at[3];

    fuzz::no_buffers table;
    virt::queue_end npu(m.get(), virt::queue_side::npu, table);
    fuzz::read_packets(npu);
    const uint8_t message[20] = {};
    (void)npu.write(0, 0, nullptr, sizeof message, message, virt::patience::none());
    return 0;
}
