// virtual/session/range_allocator.cpp
#include "virtual/session/range_allocator.h"

#include <algorithm>
#include <iterator>

namespace hexane::virt {

uint64_t range_allocator::take(uint64_t bytes, uint64_t alignment) {
    for (auto r = free_.begin(); r != free_.end(); ++r) {
        const uint64_t begin = r->first, end = begin + r->second;
        const uint64_t at = (begin + alignment - 1) & ~(alignment - 1);
        if (at + bytes > end) continue;
        free_.erase(r);
        if (at > begin) free_.emplace(begin, at - begin);
        if (at + bytes < end) free_.emplace(at + bytes, end - at - bytes);
        return at;
    }
    return 0;
}

void range_allocator::give_back(uint64_t address, uint64_t bytes) {
    auto next = free_.lower_bound(address);
    if (next != free_.end() && address + bytes == next->first) {
        bytes += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == address) {
            before->second += bytes;
            return;
        }
    }
    free_.emplace(address, bytes);
}

uint64_t range_allocator::free_bytes() const {
    uint64_t sum = 0;
    for (const auto &r : free_) sum += r.second;
    return sum;
}

uint64_t range_allocator::largest() const {
    uint64_t most = 0;
    for (const auto &r : free_) most = std::max(most, r.second);
    return most;
}

}  // namespace hexane::virt
