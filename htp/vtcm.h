// htp/vtcm.h -- the session's hold on VTCM.
#pragma once

#include <stdint.h>

#include "base/span.h"
#include "htp/status.h"
#include "htp/vtcm_byte.h"

namespace hexane::htp {

// All of VTCM in one page, held in cached mode: reserved when the session starts, taken for a burst of batches, given back when the
// queue runs dry or another client asks. Nothing is assumed about its contents after take().
class vtcm_holder {
  public:
    // Bytes that the core has, 0 if it does not tell.
    static uint32_t query_bytes();

    status reserve(uint32_t bytes);
    void release();

    status take();
    void give_back();
    bool wanted_by_others() const { return __atomic_load_n(&release_requested_, __ATOMIC_RELAXED) != 0; }

    base::span<vtcm_byte> bytes() const { return {pointer_, bytes_}; }

  private:
    static int release_requested(unsigned int context_id, void *holder);

    vtcm_byte *pointer_ = nullptr;
    uint32_t bytes_ = 0;
    uint32_t context_id_ = 0;
    uint32_t release_requested_ = 0;
    bool taken_ = false;
};

}  // namespace hexane::htp
