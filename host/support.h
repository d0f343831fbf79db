// host/support.h -- supports_op.
#pragma once

struct ggml_tensor;

namespace hexane::host {

class device;

// Whether the device takes this node: exactly when its plan succeeds, with the least hardware that a session may have.
// Opens no session. The tensors may have no buffer yet. A quantised tensor that may come to lie in tiles counts as
// block layout: where no plan takes its tiles, it goes back to block layout before the node runs (graph_scan). Any
// thread.
bool supports(device &d, const ggml_tensor &t);

// The first node of the process that runs although OPFILTER or a _SELECT variable names it costs one line. Any thread.
void tell_if_filtered(const device &d, const ggml_tensor &t);

}  // namespace hexane::host
