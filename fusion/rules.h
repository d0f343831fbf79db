// fusion/rules.h -- the list of fusions: one file each, one row here.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fusion/step.h"

namespace hexane::fusion {

struct rule {
    const char *name;   // ggml's names of the ops, joined by '+': also the name of the op that it makes
    uint32_t mask_bit;  // in the bit masks that GGML_HEXAGON_OPFUSION takes; 0: they do not have it
    op_id first, second;
    // Nothing unless the two can be one whatever else the graph does. REQUIRES: their ops are `first` and `second`, and
    // they run one after the other.
    std::optional<fused> (*fuse)(const step &first, const step &second);
};

extern const rule rms_norm_mul;

// All of them.
std::span<const rule *const> rules();

// Some of them: bit i stands for rules()[i].
using rule_mask = uint32_t;
inline constexpr rule_mask every_rule = ~rule_mask{0};

// Those whose bits are in a mask of GGML_HEXAGON_OPFUSION.
rule_mask rules_of_bits(uint32_t bits);
// Those named in a comma list. Nothing if a name is not one, which is then in `unknown`.
std::optional<rule_mask> rules_named(std::string_view list, std::string *unknown);
// "A+B, C+D"
std::string rule_names();

// The rules that are on, as a pass over the steps of a graph applies them: after each step that is added.
class rule_set {
  public:
    explicit rule_set(rule_mask on);
    // False for most ops: then there is nothing to do.
    bool may_end_with(op_id op) const {
        const auto i = static_cast<uint32_t>(op);
        return i < last_ops_.size() && last_ops_[i];
    }
    // What the first rule makes of the two that takes them. REQUIRES: they run one after the other.
    std::optional<fused> apply(const step &first, const step &second) const;

  private:
    rule_mask on_;
    std::bitset<512> last_ops_;  // by op id; ops/op_list.h has the limit
};

}  // namespace hexane::fusion
