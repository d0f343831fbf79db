// ops/binary/plan.cpp -- one plan for ADD, SUB, MUL and DIV: src1 repeats through loops of stride 0.
#include "ops/binary/binary.h"
#include "plan/row_plan.h"

namespace hexane::plan {

template <> plan_or<op::binary_params> plan<op::binary>(const node &n, const hardware &hw) {
    const tensor_shape &a = n.src[0], &b = n.src[1], &dst = n.dst;
    if (auto r = check_operands({&a, &b}, dst, hw)) return *r;
    if (!is_float(a) || dst.type != a.type)
        return reject{"types of src0 and destination are not one of f32, f16, bf16"};
    if (b.type != a.type && !b.is(data_type::f32)) return reject{"src1 is neither of the type of src0 nor f32"};
    if (!a.same_shape(dst)) return reject{"src0 and destination differ in shape"};
    if (!repeats_to(b, dst)) return reject{"src1 does not repeat to the shape of src0"};
    const auto cut = plan_rows({&dst, &a, &b}, row_kind::free, hw);
    if (!cut.accepted()) return reject{cut.reason()};
    return {{cut.params().blocks, cut.params().loops}, cut.vtcm_bytes()};
}

template <> std::string describe<op::binary>(const op::binary_params &p) { return to_string(p.blocks); }

}  // namespace hexane::plan
