// platform/npu_side.h -- included by the headers of functions that exist on the NPU only.
#pragma once

#include "platform/AEEStdErr.h"

#if !defined(HEXANE_NPU_SIDE)
#error "this header is for code of the NPU side: compile it with HEXANE_NPU_SIDE defined (AEE error codes depend on it)"
#endif
