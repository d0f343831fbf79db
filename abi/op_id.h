// abi/op_id.h -- wire value of an op. Which op has which stands in the op's header, ops/<op>/<op>.h, and nowhere else;
// ops/op_list.h sees to it that no two have the same. A value is never renumbered and never reused.
#pragma once

#include <stdint.h>

namespace hexane {

enum class op_id : uint32_t {};

}  // namespace hexane
