// tests/harness/kernel_sweep.cpp -- one case over many kinds of hardware, in this process.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "formats/tiled_tensor.h"
#include "tests/harness/npu/npu_run.h"
#include "tests/harness/planner.h"
#include "tests/harness/sweep.h"

namespace hexane::testing {

namespace {

constexpr uint64_t window_bytes = 3500ull << 20;

struct setting {
    hardware hw;
    engine_mode engine;
};

std::string text_of(const setting &s) {
    return "v" + std::to_string(static_cast<uint32_t>(s.hw.arch)) + ", " + std::to_string(s.hw.n_threads) +
           " threads, " + std::to_string(s.hw.vtcm_bytes >> 10) + " KiB VTCM, " +
           std::to_string(s.hw.scratch_bytes >> 10) + " KiB scratch, transfers " +
           (s.engine == engine_mode::late ? "late" : "in place");
}

setting with(arch a, uint32_t threads, uint32_t vtcm_kib, engine_mode e, uint32_t scratch_kib = 4096) {
    return {{a, threads, 0, vtcm_kib << 10, scratch_kib << 10, window_bytes}, e};
}

// HEXANE_TEST_SETTINGS=few, for sanitizers: whole rows and pieces, one thread and several, little scratch.
std::vector<setting> few_settings() {
    constexpr auto late = engine_mode::late, in_place = engine_mode::in_place;
    return {with(arch::v75, 1, 8192, late), with(arch::v79, 3, 1024, in_place, 64), with(arch::v81, 1, 16, late),
            with(arch::v73, 2, 64, in_place)};
}

// The first one is the reference for the bits of all others.
std::vector<setting> settings() {
    constexpr auto late = engine_mode::late, in_place = engine_mode::in_place;
    const char *wanted = std::getenv("HEXANE_TEST_SETTINGS");
    if (wanted && std::strcmp(wanted, "few") == 0) return few_settings();
    std::vector<setting> list{with(arch::v75, 1, 8192, late), with(arch::v75, 1, 8192, late)};
    for (arch a : {arch::v73, arch::v75, arch::v79, arch::v81}) {
        list.push_back(with(a, 2, 1024, late));
        list.push_back(with(a, 6, 8192, in_place));
    }
    for (uint32_t threads : {2, 3, 6}) list.push_back(with(arch::v75, threads, 2048, late));
    for (uint32_t scratch : {64, 256, 1024}) list.push_back(with(arch::v79, 2, 1024, in_place, scratch));
    uint32_t turn = 0;
    for (uint32_t vtcm : {4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256, 320, 512, 1024}) {
        const arch a = turn % 2 ? arch::v73 : arch::v81;
        list.push_back(with(a, 1, vtcm, turn % 2 ? in_place : late));
        list.push_back(with(a, turn % 3 ? 6 : 2, vtcm, turn % 2 ? late : in_place));
        ++turn;
    }
    return list;
}

// The problem's blocks in guarded memory that a kernel can reach.
class stage {
  public:
    stage(problem &p, bool tile_weights) : problem_(p), tile_weights_(tile_weights) {
        for (const memory_block &b : p.blocks()) {
            std::vector<uint8_t> bytes = b.bytes;
            if (p.is_tiled(b.root, tile_weights)) bytes = tiled(b);
            places_.emplace_back(bytes.size());
            start_.push_back(std::move(bytes));
        }
    }

    // All blocks as before the op.
    void reset() {
        for (size_t i = 0; i < places_.size(); ++i) {
            std::memset(places_[i].data(), 0xa5, places_[i].range().end - places_[i].range().begin);
            std::memcpy(places_[i].data(), start_[i].data(), start_[i].size());
        }
    }

    npu_job job(const planned &plan, const setting &s) const {
        npu_job j{};
        j.op = plan.op;
        j.params = plan.params.data();
        j.vtcm_bytes = plan.vtcm_bytes;
        const ggml_tensor *node = problem_.node();
        for (int i = 0; i < GGML_MAX_SRC && node->src[i]; ++i) j.src[i] = tensor(node->src[i]);
        j.dst = tensor(node);
        j.hw = s.hw;
        j.engine = s.engine;
        for (const guarded_memory &m : places_) j.memory.push_back(m.range());
        return j;
    }

    std::vector<uint8_t> result_block() const {
        const guarded_memory &m = places_[index_of(problem_.node())];
        return {m.data(), m.data() + m.size()};
    }

    std::string verdict_on_neighbours() const {
        for (size_t i = 0; i < places_.size(); ++i) {
            const guarded_memory &m = places_[i];
            for (const uint8_t *tail = m.data() + m.size(); tail < m.data() + (m.range().end - m.range().begin);
                 ++tail) {
                if (*tail != 0xa5)
                    return "bytes behind the end of " + std::string(problem_.blocks()[i].root->name) + " were written";
            }
            if (problem_.is_tiled(problem_.blocks()[i].root, tile_weights_)) {
                if (std::memcmp(m.data(), start_[i].data(), start_[i].size()) != 0) return "tiled weights were written";
                continue;
            }
            const std::string wrong =
                problem_.verdict_on_neighbours(problem_.blocks()[i], {m.data(), m.data() + m.size()});
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

  private:
    static std::vector<uint8_t> tiled(const memory_block &b) {
        const formats::tiled_shape shape{static_cast<data_type>(b.root->type), static_cast<uint64_t>(b.root->ne[0]),
                                         static_cast<uint64_t>(b.root->ne[1]),
                                         static_cast<uint64_t>(b.root->ne[2] * b.root->ne[3])};
        std::vector<uint8_t> bytes(shape.tiled_bytes());
        formats::tiled_tensor t(shape, bytes.data());
        t.clear_padding();
        t.set(b.bytes.data(), 0, b.bytes.size());
        return bytes;
    }

    size_t index_of(const ggml_tensor *t) const {
        return static_cast<size_t>(&problem_.block_of(t) - problem_.blocks().data());
    }

    npu_tensor tensor(const ggml_tensor *t) const {
        const guarded_memory &m = places_[index_of(t)];
        npu_tensor out;
        out.tiled = problem_.is_tiled(t, tile_weights_);
        out.address = reinterpret_cast<uint64_t>(m.data()) + offset_of(t);
        out.bytes = out.tiled ? m.size() : extent_bytes(t);
        out.type = static_cast<data_type>(t->type);
        for (int i = 0; i < 4; ++i) {
            out.ne[i] = static_cast<uint32_t>(t->ne[i]);
            out.nb[i] = static_cast<uint32_t>(t->nb[i]);
        }
        return out;
    }

    problem &problem_;
    bool tile_weights_;
    std::vector<guarded_memory> places_;
    std::vector<std::vector<uint8_t>> start_;
};

class sweep {
  public:
    sweep(problem &p, bool tile_weights) : problem_(p), node_(p.plan_node(tile_weights)), stage_(p, tile_weights) {}

    std::string run() {
        bool first = true;
        for (const setting &s : settings()) {
            const planned plan = plan_for(problem_.op_name(), node_, s.hw);
            if (!plan.known) return "no op is called " + problem_.op_name();
            if (!plan.accepted) {
                // The first setting is a large one: what it refuses, all do (plans are monotone).
                if (first && problem_.of().may_be_refused) return {};
                if (s.hw.vtcm_bytes >= min_vtcm_bytes && s.hw.scratch_bytes >= session_scratch_bytes)
                    return text_of(s) + ": rejected: " + plan.text;
                continue;
            }
            const std::string wrong = run_one(s, plan, first);
            if (!wrong.empty()) return text_of(s) + "\n  plan: " + plan.text + "\n  " + wrong;
            first = false;
        }
        return {};
    }

  private:
    std::string run_one(const setting &s, const planned &plan, bool first) {
        stage_.reset();
        note_running(problem_.of().name + ", " + text_of(s) + ", plan: " + plan.text);
        const npu_outcome out = run_on_npu(stage_.job(plan, s));
        if (!out.discipline.empty()) return out.discipline;
        if (problem_.of().fails_with) return check_failure(out);
        if (out.code != status_code::ok)
            return "the kernel failed: " + out.reason + " (" + std::to_string(out.value) + ")";
        const std::string touched = stage_.verdict_on_neighbours();
        if (!touched.empty()) return touched;
        const std::vector<uint8_t> bits = problem_.result_bytes(stage_.result_block());
        if (first) {
            reference_ = bits;
            return problem_.verdict(stage_.result_block());
        }
        return bits == reference_
                   ? std::string()
                   : "the bits differ from those of the first run; " + problem_.verdict(stage_.result_block());
    }

    std::string check_failure(const npu_outcome &out) const {
        if (out.code == status_code::ok) return "the op should have failed";
        if (out.reason.find(problem_.of().fails_with) != std::string::npos) return {};
        return "the op failed for another reason: " + out.reason;
    }

    problem &problem_;
    plan::node node_;
    stage stage_;
    std::vector<uint8_t> reference_;
};

// Read by a signal handler: a fixed buffer.
char running[1000];

}  // namespace

void note_running(const std::string &what) { std::snprintf(running, sizeof running, "%s", what.c_str()); }
const char *now_running() { return running; }

std::string check_kernel(problem &p) {
    if (p.of().rejected) return {};
    std::string wrong = sweep(p, true).run();
    bool has_tiles = false;
    for (const memory_block &b : p.blocks()) has_tiles = has_tiles || p.is_tiled(b.root, true);
    if (wrong.empty() && has_tiles) {
        wrong = sweep(p, false).run();
        if (!wrong.empty()) wrong = "weights as plain blocks: " + wrong;
    }
    return wrong;
}

}  // namespace hexane::testing
