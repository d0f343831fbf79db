// tests/replay/report.cpp
#include "tests/replay/report.h"

#include <cstring>
#include <sstream>

#include "host/node_text.h"
#include "tests/harness/verdict.h"

namespace hexane::testing {

namespace {

std::string text_of(const hardware &hw) {
    std::ostringstream s;
    s << "v" << static_cast<uint32_t>(hw.arch) << ", " << hw.n_threads << " threads, " << hw.n_hmx << " hmx, "
      << (hw.vtcm_bytes >> 10) << " KiB VTCM, " << (hw.window_bytes >> 20) << " MiB window";
    return s.str();
}

// Operands beyond what node_text() tells: tiles, weights, and which ones share memory.
std::string memory_text(const host::op_record &r) {
    std::ostringstream s;
    const auto one = [&](const std::string &name, const host::op_record::operand &o) {
        if (!o.present) return;
        s << (s.tellp() > 0 ? ", " : "") << name;
        if (o.shape.tiled) s << " tiled";
        if (o.weight) s << " weight";
        s << " at " << static_cast<char>('A' + o.region) << "+" << o.offset;
    };
    for (size_t i = 0; i < r.sources.size(); ++i) one("src" + std::to_string(i), r.sources[i]);
    one("dst", r.result);
    uint64_t bytes = 0;
    for (const host::op_record::region &g : r.regions) bytes += g.bytes;
    s << "; " << bytes << " bytes";
    return s.str();
}

std::string params_text(const host::op_record &r) {
    std::ostringstream s;
    int last = 15;
    while (last >= 0 && r.params[last] == 0) --last;
    for (int i = 0; i <= last; ++i) s << (i ? " " : "") << std::hex << "0x" << static_cast<uint32_t>(r.params[i]);
    return last < 0 ? "none" : s.str();
}

std::string header(const host::op_record &r, const rebuilt_op &op) {
    std::ostringstream s;
    s << "  op        " << host::node_text(*op.node()) << "\n"
      << "  params    " << params_text(r) << "\n"
      << "  memory    " << memory_text(r) << "\n"
      << "  recorded  op " << r.number << " of " << r.device << ", " << text_of(r.hw) << ", " << r.driver << ", ggml "
      << r.ggml_version << "\n"
      << "  plan      " << r.plan << "\n";
    return s.str();
}

// What all expectations of the op's rule say of a result.
struct judgement {
    bool right = true;
    std::string wrong;     // the first thing that is
    std::string measured;  // how far it is from each oracle
    std::string text() const { return (right ? "right" : "WRONG: " + wrong) + measured; }
};

class oracles {
  public:
    oracles(const host::op_record &r, const rebuilt_op &op) : node_(op.node()) {
        const rule of_op = find_rule(r.op);
        if (!of_op) return;
        expectations_ = of_op(node_);
        const std::vector<values> sources = op.sources();
        for (const expectation &e : expectations_) wanted_.push_back(e.result(sources, node_));
    }

    judgement of(const std::vector<uint8_t> &result) const {
        judgement j;
        if (wanted_.empty()) return {false, "there is no rule for this op", ""};
        const values got = decoded_dense(node_, result.data());
        for (size_t i = 0; i < wanted_.size(); ++i) {
            const comparison c = compare(node_, got, wanted_[i], expectations_[i].within);
            if (!c.wrong.empty() && j.right) j.wrong = c.wrong;
            j.right = j.right && c.wrong.empty();
            j.measured += measured(c, i);
        }
        return j;
    }

  private:
    std::string measured(const comparison &c, size_t i) const {
        std::ostringstream s;
        s.precision(3);
        s << "; ";
        if (wanted_.size() > 1) s << "oracle " << i + 1 << ": ";
        s << "NMSE " << c.nmse << ", largest error " << c.worst;
        if (c.worst == 0) return s.str();
        s.precision(9);
        s << " at " << place_of(node_, c.worst_at) << ": " << c.worst_got << " for " << c.worst_want;
        return s.str();
    }

    const ggml_tensor *node_;
    std::vector<expectation> expectations_;
    std::vector<values> wanted_;
};

// Empty when all bits are the same.
std::string other_bits(const host::op_record &r, const ggml_tensor *node, const std::vector<uint8_t> &here) {
    const size_t unit = ggml_type_size(node->type), per_unit = static_cast<size_t>(ggml_blck_size(node->type));
    size_t count = 0, first = 0;
    for (size_t i = 0; i * unit < here.size(); ++i) {
        if (std::memcmp(&here[i * unit], &r.result_bytes[i * unit], unit) == 0) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0) return {};
    std::ostringstream s;
    s << "other bits than recorded in " << count << " of " << here.size() / unit
      << (per_unit > 1 ? " blocks" : " elements") << ", first " << place_of(node, first * per_unit);
    if (per_unit == 1) {
        double now = 0, then = 0;
        decode(node->type, &here[first * unit], 1, &now);
        decode(node->type, &r.result_bytes[first * unit], 1, &then);
        s.precision(9);
        s << ": " << now << ", recorded " << then;
    }
    return s.str();
}

std::string no_result(const host::op_record &r, const replayed &here) {
    const std::string what = here.how == replayed::end::refused ? "the planner refuses it: " : "it fails: ";
    return what + here.reason + (r.failure.empty() ? "" : "; recorded as failed: " + r.failure);
}

}  // namespace

report describe_only(const host::op_record &r, const rebuilt_op &op) {
    report out;
    out.right = r.failure.empty();
    out.verdict = "not run: recorded without its operands' bytes (GGML_HEXAGON_RECORD_MIB)";
    if (!r.failure.empty()) out.verdict += "; recorded as failed: " + r.failure;
    out.details = header(r, op);
    return out;
}

report judge(const host::op_record &r, const rebuilt_op &op, const replayed &here, bool same_bits) {
    report out;
    std::ostringstream s;
    s << header(r, op) << "  here      " << (here.hw.vtcm_bytes ? text_of(here.hw) : "no session") << "\n";
    if (!here.plan.empty()) s << "  plan      " << (here.same_plan ? "the same" : here.plan) << "\n";
    if (here.how != replayed::end::ran) {
        out.verdict = no_result(r, here);
        out.details = s.str();
        return out;
    }
    const oracles all(r, op);
    const judgement now = all.of(here.result);
    s << "  result    " << now.text() << "\n";
    out.right = now.right;
    out.verdict = now.right ? "right" : "WRONG: " + now.wrong;
    if (!r.failure.empty()) {
        s << "  then      failed: " << r.failure << "\n";
        out.verdict += ", but recorded as failed: " + r.failure;
        out.right = false;
    } else if (const std::string other = other_bits(r, op.node(), here.result); other.empty()) {
        s << "  then      the same bits\n";
        out.verdict += ", the same bits as recorded";
    } else {
        const judgement then = all.of(r.result_bytes);
        s << "  then      " << then.text() << "\n  bits      " << other << "\n";
        if (!then.right) out.verdict += ", but WRONG as recorded: " + then.wrong;
        out.verdict += "; " + other;
        out.right = now.right && then.right && !same_bits;
    }
    out.details = s.str();
    return out;
}

}  // namespace hexane::testing
