// virtual/session/hap_services.cpp -- log lines, counters and power votes.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <map>
#include <mutex>
#include <set>

#include "platform/HAP_farf.h"
#include "platform/HAP_perf.h"
#include "platform/HAP_power.h"
#include "virtual/channel/futex.h"
#include "virtual/session/device.h"
#include "virtual/session/export.h"
#include "virtual/session/log.h"

using namespace hexane;
using namespace hexane::virt;

namespace {

constexpr const char *level_names[] = {"low: ", "medium: ", "", "error: ", "fatal: "};

// Power votes by client.
struct vote_table {
    std::mutex lock;
    std::map<void *, std::set<uint8_t>> votes;
};
vote_table &the_votes() {
    static vote_table &v = *new vote_table;
    return v;
}

// A flag that is neither 0 nor 1 means that the caller's struct is laid out differently.
template <class... Flags> bool are_flags(Flags... flags) { return ((flags <= 1) && ...); }

AEEResult check_dcvs(const HAP_power_dcvs_v3_payload &p) {
    const bool ok = are_flags(p.set_dcvs_enable, p.dcvs_enable, p.set_latency, p.set_core_params, p.set_bus_params,
                              p.set_dcvs_v3_params, p.set_sleep_disable);
    return ok ? AEE_SUCCESS : AEE_EBADPARM;
}

AEEResult check_hmx_v2(const HAP_power_hmx_payload_v2 &p) {
    const device_description &d = this_device().description;
    if (d.arch == arch::v73 || d.n_hmx == 0) return AEE_EUNSUPPORTED;
    return are_flags(p.set_power, p.power_up, p.set_clock, p.pick_default) ? AEE_SUCCESS : AEE_EBADPARM;
}

AEEResult check_vote(const HAP_power_request_t &r) {
    switch (r.type) {
        case HAP_power_set_apptype:
            return r.apptype == HAP_POWER_COMPUTE_CLIENT_CLASS || r.apptype == 0 ? AEE_SUCCESS : AEE_EBADPARM;
        case HAP_power_set_DCVS_v2: return AEE_SUCCESS;
        case HAP_power_set_DCVS_v3: return check_dcvs(r.dcvs_v3);
        case HAP_power_set_HVX: return are_flags(r.hvx.power_up) ? AEE_SUCCESS : AEE_EBADPARM;
        case HAP_power_set_HMX:
            if (this_device().description.n_hmx == 0) return AEE_EUNSUPPORTED;
            return are_flags(r.hmx.power_up) ? AEE_SUCCESS : AEE_EBADPARM;
        case HAP_power_set_HMX_v2: return check_hmx_v2(r.hmx_v2);
    }
    return AEE_EUNSUPPORTED;
}

void count_hvx_votes(const vote_table &v) {
    uint32_t n = 0;
    for (const auto &client : v.votes) n += client.second.count(HAP_power_set_HVX) != 0;
    __atomic_store_n(&this_device().hvx_votes, n, __ATOMIC_RELEASE);
}

}  // namespace

HEX_EXPORT void HAP_debug_v2(int level, const char *file, int line, const char *format, ...) {
    if (level < static_cast<int>(this_device().description.log_level)) return;
    const char *slash = strrchr(file, '/');
    char prefix[96];
    const char *name = level >= 0 && level < 5 ? level_names[level] : "";
    if (level == HAP_LEVEL_ALWAYS)
        snprintf(prefix, sizeof prefix, "%s", name);
    else
        snprintf(prefix, sizeof prefix, "%s%s:%d: ", name, slash ? slash + 1 : file, line);
    va_list arguments;
    va_start(arguments, format);
    log_line_v(prefix, format, arguments);
    va_end(arguments);
}

HEX_EXPORT int HAP_setFARFRuntimeLoggingParams(unsigned int, const char **, unsigned short) { return AEE_SUCCESS; }

HEX_EXPORT unsigned long long HAP_perf_get_time_us(void) { return now_ns() / 1000; }
// 19.2 MHz: 12 ticks in 625 ns.
HEX_EXPORT unsigned long long HAP_perf_get_qtimer_count(void) {
    const auto ns = now_ns();
    return ns / 625 * 12 + ns % 625 * 12 / 625;
}
HEX_EXPORT unsigned long long HAP_perf_qtimer_count_to_us(unsigned long long count) {
    return count / 96 * 5 + count % 96 * 5 / 96;
}

HEX_EXPORT unsigned long long HAP_perf_get_pcycles(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    unsigned long long count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return now_ns();
#endif
}

HEX_EXPORT int HAP_power_set(void *context, HAP_power_request_t *request) {
    if (!context || !request) return AEE_EBADPARM;
    if (const AEEResult e = check_vote(*request)) {
        if (e == AEE_EBADPARM) log_line("HAP_power_set: request type %u has a malformed payload", request->type);
        return e;
    }
    vote_table &v = the_votes();
    const std::lock_guard guard(v.lock);
    std::set<uint8_t> &votes = v.votes[context];
    votes.insert(request->type);
    if (request->type == HAP_power_set_HVX && !request->hvx.power_up) votes.erase(HAP_power_set_HVX);
    count_hvx_votes(v);
    return AEE_SUCCESS;
}

HEX_EXPORT int sysmon_set_dcvs_v3_protected_bus_corners(HAP_power_request_t *request, unsigned int) {
    if (this_device().description.arch < arch::v79) return AEE_EUNSUPPORTED;
    return request && request->type == HAP_power_set_DCVS_v3 ? AEE_SUCCESS : AEE_EBADPARM;
}

HEX_EXPORT int HAP_power_destroy_client(void *context) {
    vote_table &v = the_votes();
    const std::lock_guard guard(v.lock);
    v.votes.erase(context);
    count_hvx_votes(v);
    return AEE_SUCCESS;
}
