// abi/op_id.h -- wire value of an op. Which op has which stands in the op's header, ops/<op>/<op>.h, and nowhere else;
// ops/op_list.h sees to it that no two have the same. A value is never renumbered and never reused.
#pragma once

#include <stdint.h>

namespace hexane {

enum class op_id : uint32_t {};

// Ops that differ in little more than a function of elements are rows of a family: it has their planner, their kernel and
// their test, each with a table. An op names it as its `family`; the family has the kernel_params, and its `members`.
template <class... Ops> struct op_members {};
template <class Op>
concept family_member = requires { typename Op::family; };

// What has the plan and the kernel of an op: the op itself or its family.
template <class Op> struct op_owner {
    using type = Op;
};
template <family_member Op> struct op_owner<Op> {
    using type = typename Op::family;
};
template <class Op> using owner_of = typename op_owner<Op>::type;

}  // namespace hexane
