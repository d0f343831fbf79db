// host/graph_cache.cpp
#include "host/graph_cache.h"

#include "host/byte_hash.h"

namespace hexane::host {

const graph_plan *graph_cache::find(std::string_view key) {
    const auto [first, last] = by_hash_.equal_range(byte_hash(key));
    for (auto i = first; i != last; ++i) {
        if (i->second->key != key) continue;  // the hash alone proves nothing
        entries_.splice(entries_.begin(), entries_, i->second);
        return &entries_.front();
    }
    return nullptr;
}

void graph_cache::insert(graph_plan plan) {
    if (find(plan.key)) return;
    key_bytes_ += plan.key.size();
    entries_.push_front(std::move(plan));
    by_hash_.emplace(byte_hash(entries_.front().key), entries_.begin());
    while (key_bytes_ > max_key_bytes && entries_.size() > 1) {
        const auto oldest = std::prev(entries_.end());
        const auto [first, last] = by_hash_.equal_range(byte_hash(oldest->key));
        for (auto i = first; i != last; ++i) {
            if (i->second != oldest) continue;
            by_hash_.erase(i);
            break;
        }
        key_bytes_ -= oldest->key.size();
        entries_.erase(oldest);
    }
}

void graph_cache::clear() {
    entries_.clear();
    by_hash_.clear();
    key_bytes_ = 0;
}

}  // namespace hexane::host
