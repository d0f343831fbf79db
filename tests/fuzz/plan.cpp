// tests/fuzz/plan.cpp -- any node on any hardware: the planner answers, what it accepts fits, and more hardware is accepted too.
#include "tests/fuzz/expect.h"
#include "tests/fuzz/plan_fit.h"
#include "tests/fuzz/plan_input.h"

namespace hexane::fuzz {
namespace {

using plan::tensor_shape;

std::string text_of(const tensor_shape &t) {
    std::string s = " type " + std::to_string(t.type) + (t.tiled ? " tiled" : "") + " ne";
    for (const int64_t n : t.ne) s += " " + std::to_string(n);
    s += " nb";
    for (const uint64_t n : t.nb) s += " " + std::to_string(n);
    return s;
}

std::string text_of(const hardware &h) {
    return "v" + std::to_string(static_cast<uint32_t>(h.arch)) + ", " + std::to_string(h.n_threads) + " threads, " +
           std::to_string(h.vtcm_bytes) + " VTCM, " + std::to_string(h.scratch_bytes) + " scratch, " +
           std::to_string(h.window_bytes) + " window";
}

std::string text_of(const char *name, const plan_input &in) {
    std::string s = std::string(name) + "\n  dst " + text_of(in.node.dst);
    for (uint32_t i = 0; i < in.node.n_src; ++i) s += "\n  src " + text_of(in.node.src[i]);
    s += "\n  params";
    for (const int32_t p : in.node.params) s += " " + std::to_string(p);
    return s + "\n  on " + text_of(in.hw) + "\n  ";
}

template <class Op> void ask(const plan_input &in) {
    const auto p = plan::plan<owner_of<Op>>(in.node, in.hw);
    if (!p.accepted()) return expect(!p.reason().empty(), std::string(Op::name) + ": refused without a reason");
    const std::string plan_text = plan::describe<owner_of<Op>>(p.params());
    if (p.vtcm_bytes() > in.hw.vtcm_bytes)
        expect(false, text_of(Op::name, in) + plan_text + "\n  says " + std::to_string(p.vtcm_bytes()) + " VTCM");
    // The kernel gets what the plan says: enough, and not a byte more.
    hardware said = in.hw;
    said.vtcm_bytes = static_cast<uint32_t>(p.vtcm_bytes());
    const std::string wrong = misfit_of<Op>(p.params(), in.node, said);
    if (!wrong.empty()) expect(false, text_of(Op::name, in) + plan_text + "\n  " + wrong);
    --said.vtcm_bytes;
    if (misfit_of<Op>(p.params(), in.node, said).empty())
        expect(false, text_of(Op::name, in) + plan_text + "\n  says more VTCM than it uses");
    const auto larger = plan::plan<owner_of<Op>>(in.node, in.larger);
    if (!larger.accepted())
        expect(false,
               text_of(Op::name, in) + "accepted, but refused on " + text_of(in.larger) + ": " + larger.reason());
}

}  // namespace
}  // namespace hexane::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    using namespace hexane;
    const fuzz::plan_input in = fuzz::read_plan_input(bytes, n);
    uint32_t i = 0;
    all_ops::for_each([&]<class Op>() {
        if (i++ == in.op_index) fuzz::ask<Op>(in);
    });
    return 0;
}
