// host/profile.cpp
#include "host/profile.h"

#include <cstring>

#include "host/log.h"
#include "host/node_text.h"
#include "host/op_table.h"
#include "host/step.h"

namespace hexane::host {

namespace {

double mhz(uint64_t cycles, uint64_t usecs) {
    return usecs ? static_cast<double>(cycles) / static_cast<double>(usecs) : 0.0;
}

std::string trace_text(const batch_response &r) {
    std::string text;
    bool any = r.trace_overflow != 0;
    for (const uint32_t n : r.trace_counts) {
        text += (text.empty() ? "evt-cnt " : ",") + std::to_string(n);
        any |= n != 0;
    }
    return any ? text + " lost " + std::to_string(r.trace_overflow) : "----";
}

}  // namespace

void profile_batch(const std::string &device, const wait_result &r) {
    log_line(log_level::debug, "%s profile-op OPBATCH|----|n-ops %u|%s|----|----|usec %llu cycles %llu mhz %.1f",
             device.c_str(), r.batch.n_ops, trace_text(r.response).c_str(),
             static_cast<unsigned long long>(r.response.usecs), static_cast<unsigned long long>(r.response.cycles),
             mhz(r.response.cycles, r.response.usecs));
}

void profile_op(const std::string &device, const step &s, const op_table &ops, const op_desc &op,
                const op_report &report) {
    planned_op plan{};
    plan.op = op.op;
    std::memcpy(plan.kernel_params, op.kernel_params, sizeof plan.kernel_params);
    log_line(log_level::debug, "%s profile-op %s|%s|usec %u cycles %u mhz %.1f dma %llu weights %llu out %llu",
             device.c_str(), step_text(s).c_str(), describe_erased(ops, plan).c_str(), report.usecs, report.cycles,
             mhz(report.cycles, report.usecs), static_cast<unsigned long long>(report.dma_read_bytes),
             static_cast<unsigned long long>(report.dma_weight_bytes),
             static_cast<unsigned long long>(report.dma_write_bytes));
}

}  // namespace hexane::host
