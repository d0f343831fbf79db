// fusion/rules.cpp
#include "fusion/rules.h"

#include <algorithm>

namespace hexane::fusion {

namespace {

constexpr const rule *list[] = {&rms_norm_mul};
static_assert(std::size(list) <= 32, "a rule_mask has a bit for each");

}  // namespace

std::span<const rule *const> rules() { return list; }

rule_mask rules_of_bits(uint32_t bits) {
    rule_mask mask = 0;
    for (size_t i = 0; i < std::size(list); ++i) {
        if (list[i]->mask_bit & bits) mask |= rule_mask{1} << i;
    }
    return mask;
}

std::optional<rule_mask> rules_named(std::string_view names, std::string *unknown) {
    rule_mask mask = 0;
    for (size_t begin = 0; begin <= names.size();) {
        const size_t end = std::min(names.find(',', begin), names.size());
        const std::string_view name = names.substr(begin, end - begin);
        const auto found =
            std::find_if(std::begin(list), std::end(list), [&](const rule *r) { return r->name == name; });
        if (found == std::end(list)) {
            *unknown = name;
            return std::nullopt;
        }
        mask |= rule_mask{1} << (found - std::begin(list));
        begin = end + 1;
    }
    return mask;
}

std::string rule_names() {
    std::string text;
    for (const rule *r : list) text += (text.empty() ? "" : ", ") + std::string(r->name);
    return text;
}

rule_set::rule_set(rule_mask on) : on_(on) {
    for (size_t i = 0; i < std::size(list); ++i) {
        if (on_ >> i & 1) last_ops_.set(static_cast<uint32_t>(list[i]->second));
    }
}

std::optional<fused> rule_set::apply(const step &first, const step &second) const {
    for (size_t i = 0; i < std::size(list); ++i) {
        const rule &r = *list[i];
        if (!(on_ >> i & 1) || r.first != first.node.op || r.second != second.node.op) continue;
        if (auto f = r.fuse(first, second)) return f;
    }
    return std::nullopt;
}

}  // namespace hexane::fusion
