// htp/power.cpp -- the sequence of votes that a compute client makes.
#include "htp/power.h"

#include "platform/HAP_farf.h"
#include "platform/HAP_power.h"

namespace hexane::htp {

namespace {

bool vote(void *client, HAP_power_request_t &request, const char *what) {
    const int error = HAP_power_set(client, &request);
    if (error) FARF(HIGH, "power vote '%s' was refused: 0x%08x", what, static_cast<unsigned>(error));
    return error == 0;
}

void vote_clocks(void *client, arch a) {
    HAP_power_request_t request{};
    request.type = HAP_power_set_DCVS_v3;
    auto &v = request.dcvs_v3;
    v.set_dcvs_enable = 1;
    v.dcvs_enable = 0;
    v.set_core_params = 1;
    v.core_params.target_corner = v.core_params.min_corner = v.core_params.max_corner = HAP_DCVS_VCORNER_MAX;
    v.set_bus_params = 1;
    v.bus_params.target_corner = v.bus_params.min_corner = v.bus_params.max_corner = HAP_DCVS_VCORNER_MAX;
    v.set_sleep_disable = 1;
    v.sleep_disable = 1;
    if (a >= arch::v79 && sysmon_set_dcvs_v3_protected_bus_corners)
        sysmon_set_dcvs_v3_protected_bus_corners(&request, 1);
    vote(client, request, "clocks");
}

// The second form of the request exists from v75 on; firmware of the v73 class refuses it.
void vote_hmx(void *client, arch a) {
    HAP_power_request_t request{};
    if (a >= arch::v75) {
        request.type = HAP_power_set_HMX_v2;
        request.hmx_v2.set_power = request.hmx_v2.power_up = request.hmx_v2.set_clock = 1;
        request.hmx_v2.target_corner = request.hmx_v2.min_corner = request.hmx_v2.max_corner = HAP_DCVS_EXP_VCORNER_MAX;
        request.hmx_v2.perf_mode = HAP_CLK_PERF_HIGH;
        if (vote(client, request, "matrix unit, second form")) return;
    }
    request = {};
    request.type = HAP_power_set_HMX;
    request.hmx.power_up = 1;
    vote(client, request, "matrix unit");
}

}  // namespace

void vote_for_power(void *client, arch a, bool with_hmx) {
    HAP_power_request_t request{};
    request.type = HAP_power_set_apptype;
    request.apptype = HAP_POWER_COMPUTE_CLIENT_CLASS;
    vote(client, request, "client class");
    vote_clocks(client, a);
    request = {};
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = 1;
    vote(client, request, "vector units");
    if (with_hmx) vote_hmx(client, a);
}

void withdraw_power_votes(void *client) {
    if (HAP_power_destroy_client) HAP_power_destroy_client(client);
}

}  // namespace hexane::htp
