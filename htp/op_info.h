// htp/op_info.h -- what the runtime knows of an op besides its kernel.
#pragma once

#include <stdint.h>

namespace hexane::htp {

struct op_info {
    const char *name;
    uint32_t n_sources;  // that the kernel reads without asking whether they are there
};

}  // namespace hexane::htp
