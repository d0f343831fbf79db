// host/op_table.h -- the list of ops as the host uses it: found by ggml node, planned with the type erased.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/options.h"
#include "host/planned.h"

struct ggml_tensor;

namespace hexane::host {

// The outcome of plan<Op>() for any op.
struct erased_plan {
    bool accepted = false;
    planned_op op{};     // when accepted
    std::string reason;  // when not
};

// One row of the fold over all_ops.
struct op_entry {
    op_id id;
    const char *name;
    erased_plan (*plan)(const node &, const hardware &);
    std::string (*describe)(const planned_op &);
};

// Built once, then read-only. A ggml node belongs to the op whose name ggml_op_desc() gives it.
class op_table {
  public:
    explicit op_table(const options &o);

    // Null for an op that is not in the list.
    const op_entry *find(const ggml_tensor &t) const;
    const op_entry *find(op_id id) const {
        const auto i = static_cast<uint32_t>(id);
        return i < by_id_.size() ? by_id_[i] : nullptr;
    }
    // Whether OPFILTER or a _SELECT variable keeps this node off the NPU, in the list or not.
    bool excludes(const ggml_tensor &t) const;

  private:
    static constexpr uint32_t max_ggml_ops = 256;  // ops, unary ops and GLU ops of ggml each fit
    struct slot {
        const op_entry *entry = nullptr;
        bool excluded = false;
    };
    slot slot_for(const char *ggml_name, const options &o) const;
    const slot &slot_of(const ggml_tensor &t) const;

    std::vector<const op_entry *> by_id_;
    slot ops_[max_ggml_ops], unary_[max_ggml_ops], glu_[max_ggml_ops];
};

// The wire form of a planned op, without operands yet.
op_desc descriptor_of(const planned_op &op);

std::string describe_erased(const op_table &ops, const planned_op &op);

}  // namespace hexane::host
