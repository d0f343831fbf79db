// host/tensor_place.h -- where a ggml tensor lies. Defined in ggml_glue.cpp, the only file that knows ggml's buffers.
#pragma once

struct ggml_tensor;

namespace hexane::host {

class buffer;
class device;

// Our buffer behind a tensor or, for a view, behind what it looks at. Null when it has none yet or another backend's.
buffer *buffer_of(const ggml_tensor &t);
// Whether the tensor's buffer, if it has one, is of this device's type; also a buffer without memory, as ggml has them while it measures.
bool is_placed_on(const device &d, const ggml_tensor &t);
// Whether that buffer was marked as holding weights.
bool in_weight_buffer(const ggml_tensor &t);

}  // namespace hexane::host
