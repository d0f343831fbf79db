// htp/vtcm.cpp -- VTCM through the resource manager.
#include "htp/vtcm.h"

#include "platform/HAP_compute_res.h"

namespace hexane::htp {

namespace {
constexpr uint32_t reserve_timeout_us = 1'000'000;
constexpr uint32_t take_timeout_us = 10'000'000;
}  // namespace

uint32_t vtcm_holder::query_bytes() {
    unsigned int total = 0;
    return HAP_compute_res_query_VTCM(0, &total, nullptr, nullptr, nullptr) == 0 ? total : 0;
}

int vtcm_holder::release_requested(unsigned int, void *holder) {
    __atomic_store_n(&static_cast<vtcm_holder *>(holder)->release_requested_, 1u, __ATOMIC_RELAXED);
    return 0;
}

status vtcm_holder::reserve(uint32_t bytes) {
    compute_res_attr_t attr{};
    if (HAP_compute_res_attr_init(&attr) != 0 || HAP_compute_res_attr_set_serialize(&attr, false) != 0 ||
        HAP_compute_res_attr_set_cache_mode(&attr, true) != 0 ||
        HAP_compute_res_attr_set_vtcm_param_v2(&attr, bytes, bytes, bytes) != 0 ||
        HAP_compute_res_attr_set_release_callback(&attr, release_requested, this) != 0) {
        return status::failure(status_code::vtcm_unavailable, "the resource manager refused the VTCM attributes",
                               bytes);
    }
    context_id_ = HAP_compute_res_acquire(&attr, reserve_timeout_us);
    if (!context_id_) return status::failure(status_code::vtcm_unavailable, "VTCM could not be reserved", bytes);
    void *pointer = nullptr;
    unsigned int granted = 0;
    if (HAP_compute_res_attr_get_vtcm_ptr_v2(&attr, &pointer, &granted) != 0 || !pointer || granted < bytes) {
        release();
        return status::failure(status_code::vtcm_unavailable, "less VTCM was granted than asked for", granted);
    }
    pointer_ = static_cast<vtcm_byte *>(pointer);
    bytes_ = bytes;
    return status::ok();
}

void vtcm_holder::release() {
    give_back();
    if (context_id_) HAP_compute_res_release(context_id_);
    context_id_ = 0;
}

status vtcm_holder::take() {
    if (taken_) return status::ok();
    __atomic_store_n(&release_requested_, 0u, __ATOMIC_RELAXED);
    if (HAP_compute_res_acquire_cached(context_id_, take_timeout_us) != 0) {
        return status::failure(status_code::vtcm_unavailable, "VTCM is held by another client", bytes_);
    }
    taken_ = true;
    return status::ok();
}

void vtcm_holder::give_back() {
    if (taken_) HAP_compute_res_release_cached(context_id_);
    taken_ = false;
}

}  // namespace hexane::htp
