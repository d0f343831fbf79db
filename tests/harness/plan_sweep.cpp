// tests/harness/plan_sweep.cpp -- acceptance and monotony of planners.
#include "abi/arch.h"
#include "tests/harness/planner.h"
#include "tests/harness/sweep.h"

namespace hexane::testing {

namespace {

constexpr uint32_t vtcm_sizes[] = {2u << 10,   4u << 10,  8u << 10,  12u << 10, 16u << 10,  24u << 10,
                                   32u << 10,  48u << 10, 64u << 10, 96u << 10, 128u << 10, 256u << 10,
                                   512u << 10, 1u << 20,  2u << 20,  4u << 20,  8u << 20};
constexpr uint32_t thread_counts[] = {1, 2, 3, 4, 6, 8, 16};
constexpr uint32_t scratch_sizes[] = {64u << 10, 1u << 20, 4u << 20};
constexpr uint64_t windows[] = {1ull << 30, 3500ull << 20};

std::string text_of(const hardware &hw) {
    return "v" + std::to_string(static_cast<uint32_t>(hw.arch)) + ", " + std::to_string(hw.n_threads) + " threads, " +
           std::to_string(hw.vtcm_bytes >> 10) + " KiB VTCM, " + std::to_string(hw.scratch_bytes >> 10) +
           " KiB scratch";
}

// Walks one field upwards and looks for an accept that is followed by a reject.
template <class Values, class Field>
std::string walk(problem &p, const plan::node &n, hardware hw, const Values &list, Field field) {
    bool accepted = false;
    std::string where;
    for (const auto &value : list) {
        hw.*field = value;
        const planned plan = plan_for(p.op_name(), n, hw);
        if (accepted && !plan.accepted)
            return "accepted with " + where + " but rejected with " + text_of(hw) + ": " + plan.text;
        if (plan.accepted && plan.vtcm_bytes > hw.vtcm_bytes)
            return "uses " + std::to_string(plan.vtcm_bytes) + " bytes of VTCM with " + text_of(hw) + ": " + plan.text;
        accepted = plan.accepted;
        where = text_of(hw);
    }
    return {};
}

std::string check_monotone(problem &p, const plan::node &n) {
    for (uint32_t scratch : scratch_sizes) {
        for (uint32_t threads : thread_counts) {
            const hardware hw{arch::v75, threads, 0, 0, scratch, windows[1]};
            if (const std::string s = walk(p, n, hw, vtcm_sizes, &hardware::vtcm_bytes); !s.empty()) return s;
        }
        for (uint32_t vtcm : vtcm_sizes) {
            const hardware hw{arch::v75, 1, 0, vtcm, scratch, windows[1]};
            if (const std::string s = walk(p, n, hw, thread_counts, &hardware::n_threads); !s.empty()) return s;
        }
    }
    for (uint32_t vtcm : vtcm_sizes) {
        const hardware hw{arch::v75, 6, 0, vtcm, 0, windows[1]};
        if (const std::string s = walk(p, n, hw, scratch_sizes, &hardware::scratch_bytes); !s.empty()) return s;
    }
    const hardware hw{arch::v75, 1, 0, min_vtcm_bytes, session_scratch_bytes, 0};
    return walk(p, n, hw, windows, &hardware::window_bytes);
}

std::string check_acceptance(problem &p, const plan::node &n) {
    for (arch a : {arch::v73, arch::v75, arch::v79, arch::v81}) {
        const hardware least{a, 1, 0, min_vtcm_bytes, session_scratch_bytes, windows[0]};
        const planned plan = plan_for(p.op_name(), n, least);
        if (!plan.known) return "no op is called " + p.op_name();
        if (p.of().may_be_refused) continue;
        if (p.of().rejected && plan.accepted) return "should be rejected, but is planned as: " + plan.text;
        if (!p.of().rejected && !plan.accepted) return "rejected with " + text_of(least) + ": " + plan.text;
    }
    return {};
}

}  // namespace

std::string check_plans(problem &p) {
    for (const bool tiled : {true, false}) {
        const plan::node n = p.plan_node(tiled);
        if (const std::string s = check_acceptance(p, n); !s.empty()) return s;
        if (const std::string s = check_monotone(p, n); !s.empty()) return s;
    }
    return {};
}

bool is_planned(problem &p) {
    const hardware large{arch::v79, 1, 0, 8u << 20, session_scratch_bytes, windows[1]};
    return plan_for(p.op_name(), p.plan_node(false), large).accepted;
}

std::string text_of(const ggml_tensor *node) {
    const auto one = [](const ggml_tensor *t) {
        std::string text = ggml_type_name(t->type);
        for (int i = 0; i < 4; ++i) text += (i ? "," : " [") + std::to_string(t->ne[i]);
        for (int i = 0; i < 4; ++i) text += (i ? "," : "] nb [") + std::to_string(t->nb[i]);
        return text + "]";
    };
    std::string text = std::string(ggml_op_desc(node)) + " of";
    for (int i = 0; i < GGML_MAX_SRC && node->src[i]; ++i) text += (i ? "; " : " ") + one(node->src[i]);
    text += " -> " + one(node) + ", params";
    for (int i = 0; i < 16; ++i) text += " " + std::to_string(node->op_params[i]);
    return text;
}

}  // namespace hexane::testing
