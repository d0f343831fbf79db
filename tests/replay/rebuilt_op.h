// tests/replay/rebuilt_op.h -- a recorded op as a graph of one node, with its operands where they lay to each other, run on the first device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ggml-backend.h>
#include <ggml.h>

#include "host/op_record.h"
#include "tests/harness/op_case.h"

namespace hexane::testing {

// What became of it here.
struct replayed {
    enum class end { ran, refused, failed } how = end::failed;
    std::string reason;  // of the planner, or the plug-in's own line
    hardware hw;         // of the session; arch v73 with 0 bytes of VTCM if there was none
    std::string plan;
    bool same_plan = false;       // parameter for parameter
    std::vector<uint8_t> result;  // elements in index order, without gaps
};

class rebuilt_op {
  public:
    // Null, and one line in `why`, when this ggml has no such op. REQUIRES: `r` outlives the object.
    static std::unique_ptr<rebuilt_op> create(const host::op_record &r, std::string *why);

    const ggml_tensor *node() const { return node_; }
    // The operands as recorded. REQUIRES: r.has_bytes().
    std::vector<values> sources() const;
    // REQUIRES: likewise.
    replayed run(ggml_backend_t backend);

  private:
    struct release {
        void operator()(ggml_context *c) const { ggml_free(c); }
        void operator()(ggml_backend_buffer_t b) const { ggml_backend_buffer_free(b); }
    };

    explicit rebuilt_op(const host::op_record &r);
    ggml_tensor *tensor_of(const host::op_record::operand &o);
    bool is_weight(uint32_t region) const;
    bool place(ggml_backend_t backend);
    bool place_region(ggml_backend_buffer_type_t type, uint32_t region);
    void plan(replayed *out) const;

    const host::op_record &record_;
    std::unique_ptr<ggml_context, release> context_;
    std::vector<ggml_tensor *> storage_;  // of each region: bytes, or the tiled tensor itself
    std::vector<std::unique_ptr<ggml_backend_buffer, release>> buffers_;
    ggml_tensor *node_ = nullptr;
};

// What the plug-in said last as an error, and nothing since the call before.
std::string take_last_error();
// From now on only warnings are printed, and errors are kept for take_last_error().
void keep_errors();

}  // namespace hexane::testing
