// ops/binary/plan.cpp -- one plan for ADD, SUB, MUL and DIV: src1 repeats through loops of stride 0.
#include "ops/binary/binary.h"
#include "plan/row_plan.h"

namespace hexane::plan {

namespace {

plan_or<op::binary_params> plan_binary(const node &n, const hardware &hw) {
    const tensor_shape &a = n.src[0], &b = n.src[1], &dst = n.dst;
    if (auto r = check_operands({&a, &b}, dst, hw)) return *r;
    if (!is_float(a) || dst.type != a.type)
        return reject{"types of src0 and destination are not one of f32, f16, bf16"};
    if (b.type != a.type && !b.is(data_type::f32)) return reject{"src1 is neither of the type of src0 nor f32"};
    if (!a.same_shape(dst)) return reject{"src0 and destination differ in shape"};
    if (!repeats_to(b, dst)) return reject{"src1 does not repeat to the shape of src0"};
    const rows::shape shapes[] = {shape_of(dst), shape_of(a), shape_of(b)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const auto blocks = cut(nest, rows::row_kind::free, hw);
    if (!blocks) return reject{"VTCM is too small"};
    return {{*blocks}, vtcm_bytes_of(nest, *blocks)};
}

}  // namespace

template <> plan_or<op::binary_params> plan<op::add>(const node &n, const hardware &hw) { return plan_binary(n, hw); }
template <> plan_or<op::binary_params> plan<op::sub>(const node &n, const hardware &hw) { return plan_binary(n, hw); }
template <> plan_or<op::binary_params> plan<op::mul>(const node &n, const hardware &hw) { return plan_binary(n, hw); }
template <> plan_or<op::binary_params> plan<op::div>(const node &n, const hardware &hw) { return plan_binary(n, hw); }

template <> std::string describe<op::add>(const op::binary_params &p) { return to_string(p.blocks); }
template <> std::string describe<op::sub>(const op::binary_params &p) { return to_string(p.blocks); }
template <> std::string describe<op::mul>(const op::binary_params &p) { return to_string(p.blocks); }
template <> std::string describe<op::div>(const op::binary_params &p) { return to_string(p.blocks); }

}  // namespace hexane::plan
