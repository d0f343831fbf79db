// host/plan_memo.cpp
#include "host/plan_memo.h"

namespace hexane::host {

erased_plan plan_memo::plan(std::string_view key) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
    }
    const node n = node_from_key(key);
    erased_plan made = ops_.find(n.op)->plan(n, hw_);
    const std::lock_guard lock(mutex_);
    if (plans_.size() >= max_entries) plans_.clear();
    plans_.emplace(std::string(key), made);
    return made;
}

size_t plan_memo::size() const {
    const std::lock_guard lock(mutex_);
    return plans_.size();
}

}  // namespace hexane::host
