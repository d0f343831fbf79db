// platform/HAP_power.h -- power and clock votes of an NPU client.
//
// The enumerations have the sizes that the device's compiler gives them (short enums): 1 byte, or 2 for the expanded corners.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <HAP_power.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

typedef unsigned char hap_bool;

enum HAP_dcvs_voltage_corner_t : uint8_t { HAP_DCVS_VCORNER_DISABLE = 0, HAP_DCVS_VCORNER_MAX = 255 };
enum HAP_dcvs_exp_voltage_corner_t : uint16_t { HAP_DCVS_EXP_VCORNER_DISABLE = 0, HAP_DCVS_EXP_VCORNER_MAX = 0xffff };
enum HAP_clk_perf_mode_t : uint8_t { HAP_CLK_PERF_HIGH = 0, HAP_CLK_PERF_LOW = 1 };
enum HAP_dcvs_v2_option_t : uint8_t { HAP_DCVS_V2_PERFORMANCE_MODE = 0x10 };
enum HAP_power_app_type_t : uint8_t { HAP_POWER_UNKNOWN_CLIENT_CLASS = 0, HAP_POWER_COMPUTE_CLIENT_CLASS = 4 };
enum HAP_Power_request_type : uint8_t {
    HAP_power_set_HVX = 2,
    HAP_power_set_apptype = 3,
    HAP_power_set_DCVS_v2 = 7,
    HAP_power_set_DCVS_v3 = 12,
    HAP_power_set_HMX = 13,
    HAP_power_set_HMX_v2 = 14,
};

struct HAP_core_params_t {
    HAP_dcvs_voltage_corner_t target_corner, min_corner, max_corner;
    uint32_t param1, param2, param3;
};
typedef HAP_core_params_t HAP_bus_params_t;
struct HAP_dcvs_v3_params_t {
    uint32_t param1, param2, param3, param4, param5, param6;
};
struct HAP_power_dcvs_v3_payload {
    hap_bool set_dcvs_enable, dcvs_enable;
    HAP_dcvs_v2_option_t dcvs_option;
    hap_bool set_latency;
    uint32_t latency;
    hap_bool set_core_params;
    HAP_core_params_t core_params;
    hap_bool set_bus_params;
    HAP_bus_params_t bus_params;
    hap_bool set_dcvs_v3_params;
    HAP_dcvs_v3_params_t dcvs_v3_params;
    hap_bool set_sleep_disable;
    unsigned char sleep_disable;
};
struct HAP_power_hvx_payload {
    hap_bool power_up;
};
typedef HAP_power_hvx_payload HAP_power_hmx_payload;
struct HAP_power_hmx_payload_v2 {
    hap_bool set_power, power_up, set_clock, pick_default;
    HAP_dcvs_exp_voltage_corner_t target_corner, min_corner, max_corner;
    HAP_clk_perf_mode_t perf_mode;
    uint32_t freq_mhz, floor_freq_mhz, param1, param2, param3;
};
struct HAP_power_request_t {
    HAP_Power_request_type type;
    union {
        HAP_power_app_type_t apptype;
        HAP_power_dcvs_v3_payload dcvs_v3;
        HAP_power_hvx_payload hvx;
        HAP_power_hmx_payload hmx;
        HAP_power_hmx_payload_v2 hmx_v2;
        uint64_t align_;
        unsigned char pad_[112];
    };
};
static_assert(sizeof(HAP_power_request_t) == 120 && offsetof(HAP_power_request_t, dcvs_v3) == 8);
static_assert(sizeof(HAP_core_params_t) == 16 && sizeof(HAP_power_dcvs_v3_payload) == 80 &&
              sizeof(HAP_power_hmx_payload_v2) == 32);
static_assert(offsetof(HAP_power_dcvs_v3_payload, core_params) == 12 &&
              offsetof(HAP_power_dcvs_v3_payload, set_bus_params) == 28 &&
              offsetof(HAP_power_dcvs_v3_payload, bus_params) == 32 &&
              offsetof(HAP_power_dcvs_v3_payload, set_dcvs_v3_params) == 48 &&
              offsetof(HAP_power_dcvs_v3_payload, set_sleep_disable) == 76);
static_assert(offsetof(HAP_power_hmx_payload_v2, target_corner) == 4 &&
              offsetof(HAP_power_hmx_payload_v2, perf_mode) == 10 &&
              offsetof(HAP_power_hmx_payload_v2, freq_mhz) == 12);

// `context` is any unique non-null pointer per client. HMX_v2 fails on images that do not know it: vote with plain HMX then.
int HAP_power_set(void *context, HAP_power_request_t *request);
// v79 and later.
int sysmon_set_dcvs_v3_protected_bus_corners(HAP_power_request_t *request, unsigned int on) __attribute__((weak));
int HAP_power_destroy_client(void *context) __attribute__((weak));

}  // extern "C"

#endif  // HEXANE_WITH_SDK
