// plan/nest.h -- the loop nest of a row-wise op, made from the shapes of its operands.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "abi/row_blocks.h"
#include "plan/plan.h"

namespace hexane::plan {

// Whether loop 0 must be dimension 0 as it is, because the op looks at whole rows.
enum class row_kind : uint8_t { free, whole };

// The tensor as abi/row_blocks.h wants it. REQUIRES: check_operands() found nothing.
rows::shape shape_of(const tensor_shape &t);
std::vector<rows::shape> shapes_of(std::initializer_list<const tensor_shape *> operands);

// The nest of 2 to rows::max_operands operands, destination first, not cut yet (rows::set_units()). It goes over the longest extent of
// each dimension: the sources' where a destination is shorter, as that of a reduction. Shorter operands repeat.
// Nothing where the extents of a dimension do not divide each other, or there are more loops than the wire has.
std::optional<rows::loops> make_loops(const std::vector<rows::shape> &operands, row_kind kind);

// The nest with its strides.
rows::nest nest_of(const rows::loops &l, const std::vector<rows::shape> &operands);

}  // namespace hexane::plan
