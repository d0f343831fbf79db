// host/self_test.cpp
#include "host/self_test.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "base/align.h"
#include "host/aee_text.h"
#include "host/node.h"
#include "host/op_table.h"
#include "host/session.h"
#include "ops/binary/binary.h"
#include "ops/mul_mat/mul_mat.h"
#include "ops/noop/noop.h"

namespace hexane::host {

namespace {

constexpr int64_t wide = 300;  // more than two lines of f32, not a multiple of a vector
constexpr int64_t mm_k = 64, mm_n = 40, mm_m = 2;
constexpr uint64_t test_bytes = 64u << 10;

// Small whole numbers: every sum is exact in f32, whatever its order.
float pattern(int64_t i) { return static_cast<float>((i * 7) % 23 - 11); }

tensor_shape f32_matrix(int64_t ne0, int64_t ne1) {
    const auto row = static_cast<uint64_t>(ne0) * 4;
    const uint64_t all = row * static_cast<uint64_t>(ne1);
    return {{ne0, ne1, 1, 1}, {4, row, all, all}, static_cast<uint32_t>(data_type::f32), 0};
}

// One op of the test: its operands in the test buffer and the results that are right.
struct known_op {
    const op_entry *entry;
    node n;
    std::vector<uint64_t> source_offsets;
    uint64_t result_offset;
    std::vector<float> expected;
};

class known_answers {
  public:
    known_answers(const fastrpc &rpc, session &s)
        : rpc_(rpc), session_(s), table_(options{}), builder_(s.queue_limits()) {}
    ~known_answers() { (void)session_.forget(memory_view_); }  // the session remembers a failure

    std::string run() {
        if (!memory_.allocate(rpc_, test_bytes)) return "no shared memory for the test";
        memory_view_.fd = memory_.fd();
        memory_view_.base = memory_.base();
        memory_view_.bytes = memory_.bytes();
        std::memset(memory_.base(), 0xff, test_bytes);  // NaN where nothing is written
        // NOOP leaves a line in the session's cache. Others then read that line by DMA, write it by DMA, or it is the last op's.
        const uint64_t copied = add_noop();
        add_sum(copied, 0, place(wide, 5), 5, place_result(wide));
        add_sum(place(wide, 3), 3, place(wide, 5), 5, add_unread_noop());
        add_product();
        add_noop();
        if (const std::string problem = plan_all(); !problem.empty()) return problem;
        if (builder_.empty()) return {};
        if (const std::string problem = send_and_wait(); !problem.empty()) return problem;
        return compare_all();
    }

  private:
    float *at(uint64_t offset) { return reinterpret_cast<float *>(memory_.base() + offset); }

    // Room for `n` floats, filled with the pattern from `first` on.
    uint64_t place(int64_t n, int64_t first) {
        const uint64_t offset = used_;
        used_ = base::align_up<uint64_t>(used_ + static_cast<uint64_t>(n) * 4, line_bytes);
        for (int64_t i = 0; i < n; ++i) at(offset)[i] = pattern(first + i);
        return offset;
    }
    uint64_t place_result(int64_t n) {
        const uint64_t offset = place(n, 0);
        std::memset(at(offset), 0xff, static_cast<size_t>(n) * 4);
        return offset;
    }

    // No expected values: somebody else writes there afterwards.
    void add(op_id id, const tensor_shape &dst, const std::vector<tensor_shape> &sources, std::vector<uint64_t> offsets,
             uint64_t result_offset, std::vector<float> expected) {
        known_op k{table_.find(id), {}, std::move(offsets), result_offset, std::move(expected)};
        if (!k.entry) return;
        std::fill(std::begin(k.n.src), std::end(k.n.src), absent_shape);
        k.n.op = id;
        k.n.n_src = static_cast<uint32_t>(sources.size());
        std::memset(k.n.params, 0, sizeof k.n.params);
        k.n.dst = dst;
        std::copy(sources.begin(), sources.end(), k.n.src);
        ops_.push_back(std::move(k));
    }

    // Returns where the result is: the pattern from 0 on.
    uint64_t add_noop() {
        std::vector<float> expected(wide);
        for (int64_t i = 0; i < wide; ++i) expected[static_cast<size_t>(i)] = pattern(i);
        const uint64_t result = place_result(wide);
        add(op::noop::id, f32_matrix(wide, 1), {f32_matrix(wide, 1)}, {place(wide, 0)}, result, std::move(expected));
        return result;
    }
    uint64_t add_unread_noop() {
        const uint64_t result = place_result(wide);
        add(op::noop::id, f32_matrix(wide, 1), {f32_matrix(wide, 1)}, {place(wide, 0)}, result, {});
        return result;
    }
    // Of two patterns, which begin with pattern(first_a) and pattern(first_b).
    void add_sum(uint64_t a, int64_t first_a, uint64_t b, int64_t first_b, uint64_t result) {
        std::vector<float> expected(wide);
        for (int64_t i = 0; i < wide; ++i)
            expected[static_cast<size_t>(i)] = pattern(i + first_a) + pattern(i + first_b);
        add(op::add::id, f32_matrix(wide, 1), {f32_matrix(wide, 1), f32_matrix(wide, 1)}, {a, b}, result,
            std::move(expected));
    }
    void add_product() {
        std::vector<float> expected;
        for (int64_t m = 0; m < mm_m; ++m) {
            for (int64_t n = 0; n < mm_n; ++n) {
                float sum = 0;
                for (int64_t k = 0; k < mm_k; ++k) sum += pattern(n * mm_k + k) * pattern(1 + m * mm_k + k);
                expected.push_back(sum);
            }
        }
        add(op::mul_mat::id, f32_matrix(mm_n, mm_m), {f32_matrix(mm_k, mm_n), f32_matrix(mm_k, mm_m)},
            {place(mm_k * mm_n, 0), place(mm_k * mm_m, 1)}, place_result(mm_n * mm_m), std::move(expected));
    }

    static tensor_desc describe(const tensor_shape &s) {
        tensor_desc t{};
        t.bytes = s.extent_bytes();
        for (int i = 0; i < 4; ++i) {
            t.ne[i] = static_cast<uint32_t>(s.ne[i]);
            t.nb[i] = static_cast<uint32_t>(s.nb[i]);
        }
        t.type = s.type;
        return t;
    }

    std::string plan_all() {
        for (const known_op &k : ops_) {
            const erased_plan p = k.entry->plan(k.n, session_.hw());
            if (!p.accepted) return std::string(k.entry->name) + " was not planned: " + p.reason;
            op_desc d = descriptor_of(p.op);
            std::vector<tensor_desc> operands;
            std::vector<operand_place> places;
            for (uint32_t i = 0; i < k.n.n_src; ++i) {
                d.src[i] = static_cast<uint16_t>(i);
                operands.push_back(describe(k.n.src[i]));
                places.push_back({&memory_view_, k.source_offsets[i], false});
            }
            d.dst[0] = static_cast<uint16_t>(k.n.n_src);
            operands.push_back(describe(k.n.dst));
            places.push_back({&memory_view_, k.result_offset, false});
            // With a GGML_HEXAGON_OPBATCH of a few ops the rest of the test is left out.
            (void)builder_.add(d, operands.data(), places.data(), static_cast<uint32_t>(operands.size()));
        }
        return {};
    }

    std::string send_and_wait() {
        if (const int error = session_.map(memory_view_)) return "mapping the test buffer: " + aee_text(error);
        batch_queue &q = session_.queue();
        const uint64_t bytes = builder_.write(q.next_slot(), q.next_sequence(), session_.hw().n_threads);
        if (const int error = q.send(bytes, 0, builder_.n_ops())) return "sending the test batch: " + aee_text(error);
        const wait_result r = session_.wait();
        if (r.end == wait_end::stuck || r.end == wait_end::silent) return "no answer within the deadline";
        if (r.end == wait_end::garbled) return "a garbled answer";
        if (r.end == wait_end::died || r.end == wait_end::unheard) return aee_text(r.code);
        if (r.response.code == status_code::ok) return {};
        const uint32_t i = r.response.op_index;
        return std::string(i < ops_.size() ? ops_[i].entry->name : "batch") + ": " + text(r.response.code) + ", " +
               r.response.reason + " (" + std::to_string(r.response.value) + ")";
    }

    std::string compare_all() {
        for (size_t op = 0; op < builder_.n_ops(); ++op) {
            const known_op &k = ops_[op];
            for (size_t i = 0; i < k.expected.size(); ++i) {
                const float got = at(k.result_offset)[i];
                if (std::fabs(got - k.expected[i]) <= 1e-3f) continue;
                return std::string(k.entry->name) + ": result " + std::to_string(i) + " is " + std::to_string(got) +
                       ", expected " + std::to_string(k.expected[i]);
            }
        }
        return {};
    }

    const fastrpc &rpc_;
    session &session_;
    op_table table_;
    batch_builder builder_;
    shared_memory memory_;
    mappable memory_view_;
    uint64_t used_ = 0;
    std::vector<known_op> ops_;
};

}  // namespace

std::string run_known_answers(const fastrpc &rpc, session &s) { return known_answers(rpc, s).run(); }

}  // namespace hexane::host
