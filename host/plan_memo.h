// host/plan_memo.h -- plans by node: a plan depends on nothing but the node and the hardware, so it is made once.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "host/byte_hash.h"
#include "host/node.h"
#include "host/op_table.h"

namespace hexane::host {

// For one hardware. Any thread. Forgets everything when it holds `max_entries`.
class plan_memo {
  public:
    static constexpr size_t max_entries = 8192;

    plan_memo(const op_table &ops, const hardware &hw) : ops_(ops), hw_(hw) {}

    // The plan of the node whose key this is (host/node.h). REQUIRES: its op is in the table.
    erased_plan plan(std::string_view key);
    const hardware &hw() const { return hw_; }
    size_t size() const;

  private:
    const op_table &ops_;
    hardware hw_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, erased_plan, byte_hasher, std::equal_to<>> plans_;
};

}  // namespace hexane::host
