// host/planned.h -- the planners' words (plan/plan.h) as the plug-in uses them.
#pragma once

#include "plan/plan.h"

namespace hexane::host {

using plan::node;
using plan::planned_op;
using plan::tensor_shape;

}  // namespace hexane::host
