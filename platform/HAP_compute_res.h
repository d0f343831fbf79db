// platform/HAP_compute_res.h -- VTCM and the matrix unit, granted by the NPU's resource manager.
//
// Images export compute_resource_*; older ones lack some, so they are weak, and the HAP_compute_res_* wrappers answer
// 0x80000404 (or nothing) for a missing one.
#pragma once

#if defined(HEXANE_WITH_SDK)
#include <HAP_compute_res.h>
#else

#include <stddef.h>
#include <stdint.h>

#include "platform/npu_side.h"

extern "C" {

// Opaque; filled by the attr functions only.
struct compute_res_attr_t {
    unsigned long long opaque[20];
};
static_assert(sizeof(compute_res_attr_t) == 160);

struct compute_res_vtcm_page_t {
    unsigned int page_list_len;
    struct {
        unsigned int page_size, num_pages;
    } page_list[16];
};

#define HEX_WEAK __attribute__((weak))
HEX_WEAK int compute_resource_attr_init_v2(compute_res_attr_t *attr, unsigned int attr_bytes, unsigned int version);
HEX_WEAK int compute_resource_attr_init(compute_res_attr_t *attr);
HEX_WEAK int compute_resource_attr_set_serialize(compute_res_attr_t *attr, unsigned char on);
HEX_WEAK int compute_resource_attr_set_cache_mode(compute_res_attr_t *attr, unsigned char on);
HEX_WEAK int compute_resource_attr_set_vtcm_param(compute_res_attr_t *attr, unsigned int bytes,
                                                  unsigned char single_page);
HEX_WEAK int compute_resource_attr_set_vtcm_param_v2(compute_res_attr_t *attr, unsigned int bytes,
                                                     unsigned int min_page, unsigned int min_bytes);
HEX_WEAK int compute_resource_attr_set_hmx_param(compute_res_attr_t *attr, unsigned char on);
HEX_WEAK int compute_resource_attr_set_release_callback(compute_res_attr_t *attr,
                                                        int (*callback)(unsigned int context_id, void *client),
                                                        void *client);
HEX_WEAK void *compute_resource_attr_get_vtcm_ptr(compute_res_attr_t *attr);
HEX_WEAK int compute_resource_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **pointer, unsigned int *bytes);
HEX_WEAK unsigned int compute_resource_acquire(compute_res_attr_t *attr, unsigned int timeout_us);
HEX_WEAK int compute_resource_release(unsigned int context_id);
HEX_WEAK int compute_resource_acquire_cached(unsigned int context_id, unsigned int timeout_us);
HEX_WEAK int compute_resource_release_cached(unsigned int context_id);
HEX_WEAK int compute_resource_check_release_request(unsigned int context_id);
HEX_WEAK int compute_resource_update_priority(unsigned int context_id, unsigned short priority);
HEX_WEAK int compute_resource_hmx_lock(unsigned int context_id);
HEX_WEAK int compute_resource_hmx_unlock(unsigned int context_id);
HEX_WEAK int compute_resource_query_VTCM(unsigned int application_id, unsigned int *total_bytes,
                                         compute_res_vtcm_page_t *total_layout, unsigned int *available_bytes,
                                         compute_res_vtcm_page_t *available_layout);
#undef HEX_WEAK

}  // extern "C"

inline constexpr int HAP_COMPUTE_RES_NOT_SUPPORTED = AEE_EVERSIONNOTSUPPORT;
inline constexpr unsigned int HAP_COMPUTE_RES_ATTR_VERSION = 0x300;

// The newest form that the image has.
inline int HAP_compute_res_attr_init(compute_res_attr_t *attr) {
    if (compute_resource_attr_init_v2 &&
        compute_resource_attr_init_v2(attr, sizeof(*attr), HAP_COMPUTE_RES_ATTR_VERSION) == 0)
        return 0;
    return compute_resource_attr_init ? compute_resource_attr_init(attr) : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// One client at a time gets resources that are asked for with serialize.
inline int HAP_compute_res_attr_set_serialize(compute_res_attr_t *attr, bool on) {
    return compute_resource_attr_set_serialize ? compute_resource_attr_set_serialize(attr, on)
                                               : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// Cached mode: acquire() reserves, acquire_cached() and release_cached() surround the work.
inline int HAP_compute_res_attr_set_cache_mode(compute_res_attr_t *attr, bool on) {
    return compute_resource_attr_set_cache_mode ? compute_resource_attr_set_cache_mode(attr, on)
                                                : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_attr_set_vtcm_param_v2(compute_res_attr_t *attr, unsigned int bytes, unsigned int min_page,
                                                  unsigned int min_bytes) {
    return compute_resource_attr_set_vtcm_param_v2
               ? compute_resource_attr_set_vtcm_param_v2(attr, bytes, min_page, min_bytes)
               : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_attr_set_hmx_param(compute_res_attr_t *attr, bool on) {
    return compute_resource_attr_set_hmx_param ? compute_resource_attr_set_hmx_param(attr, on)
                                               : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// `callback` runs on a foreign thread when another client wants the resource; finish and release_cached().
inline int HAP_compute_res_attr_set_release_callback(compute_res_attr_t *attr, int (*callback)(unsigned int, void *),
                                                     void *client) {
    return compute_resource_attr_set_release_callback
               ? compute_resource_attr_set_release_callback(attr, callback, client)
               : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// REQUIRES: acquired. 128-byte aligned, valid until release.
inline int HAP_compute_res_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **pointer, unsigned int *bytes) {
    return compute_resource_attr_get_vtcm_ptr_v2 ? compute_resource_attr_get_vtcm_ptr_v2(attr, pointer, bytes)
                                                 : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// Context id, 0 on failure.
inline unsigned int HAP_compute_res_acquire(compute_res_attr_t *attr, unsigned int timeout_us) {
    return compute_resource_acquire ? compute_resource_acquire(attr, timeout_us) : 0;
}
inline int HAP_compute_res_release(unsigned int context_id) {
    return compute_resource_release ? compute_resource_release(context_id) : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_acquire_cached(unsigned int context_id, unsigned int timeout_us) {
    return compute_resource_acquire_cached ? compute_resource_acquire_cached(context_id, timeout_us)
                                           : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_release_cached(unsigned int context_id) {
    return compute_resource_release_cached ? compute_resource_release_cached(context_id)
                                           : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_update_priority(unsigned int context_id, unsigned short priority) {
    return compute_resource_update_priority ? compute_resource_update_priority(context_id, priority)
                                            : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// By the thread that issues matrix instructions, once before the first.
inline int HAP_compute_res_hmx_lock(unsigned int context_id) {
    return compute_resource_hmx_lock ? compute_resource_hmx_lock(context_id) : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
inline int HAP_compute_res_hmx_unlock(unsigned int context_id) {
    return compute_resource_hmx_unlock ? compute_resource_hmx_unlock(context_id) : HAP_COMPUTE_RES_NOT_SUPPORTED;
}
// Layouts may be null.
inline int HAP_compute_res_query_VTCM(unsigned int application_id, unsigned int *total_bytes,
                                      compute_res_vtcm_page_t *total_layout, unsigned int *available_bytes,
                                      compute_res_vtcm_page_t *available_layout) {
    return compute_resource_query_VTCM ? compute_resource_query_VTCM(application_id, total_bytes, total_layout,
                                                                     available_bytes, available_layout)
                                       : HAP_COMPUTE_RES_NOT_SUPPORTED;
}

#endif  // HEXANE_WITH_SDK
