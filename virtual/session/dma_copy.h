// virtual/session/dma_copy.h -- moving the bytes of a transfer.
#pragma once

#include "virtual/session/dma_descriptor_decode.h"

namespace hexane::virt {

// REQUIRES: both sides are mapped and do not overlap.
void copy_rows(const dma_work &work);

}  // namespace hexane::virt
