// ops/rope/plan.cpp -- frequencies in exact terms, positions and heads over threads.
#include <algorithm>
#include <cmath>

#include "ops/rope/rope.h"
#include "plan/row_plan.h"

namespace hexane::plan {

namespace {

// What ggml's mode number stands for.
struct rope_mode {
    op::rope_order order;
    op::rope_sections sections;
};

std::optional<rope_mode> mode_of(int32_t number) {
    switch (number) {
        case 0: return rope_mode{op::rope_order::neighbours, op::rope_sections::none};      // GGML_ROPE_TYPE_NORMAL
        case 2: return rope_mode{op::rope_order::halves, op::rope_sections::none};          // NEOX
        case 8: return rope_mode{op::rope_order::halves, op::rope_sections::consecutive};   // MROPE
        case 24: return rope_mode{op::rope_order::halves, op::rope_sections::restarting};   // VISION
        case 40: return rope_mode{op::rope_order::halves, op::rope_sections::interleaved};  // IMROPE
        default: return std::nullopt;
    }
}

// A unit of this size amortises its transfers; a larger one only delays the first computation and the last store.
constexpr uint32_t wanted_unit_bytes = 64u << 10;
constexpr uint32_t least_unit_bytes = 8u << 10;
constexpr uint32_t units_per_thread = 4;
constexpr uint32_t deepest = 4;
// Positions of a unit that need a transfer each: 4 units with loads and stores stay below the queue's capacity.
constexpr int64_t most_transfers = 12;

// The operands' places in the params of ggml's node.
struct rope_numbers {
    int32_t n_dims, mode, n_ctx_orig, offset;
    float freq_base, freq_scale, ext_factor, attn_factor, beta_fast, beta_slow;
    int32_t section[4];

    explicit rope_numbers(const node &n)
        : n_dims(n.param_i32(1)),
          mode(n.param_i32(2)),
          n_ctx_orig(n.param_i32(4)),
          offset(n.param_i32(15)),
          freq_base(n.param_f32(5)),
          freq_scale(n.param_f32(6)),
          ext_factor(n.param_f32(7)),
          attn_factor(n.param_f32(8)),
          beta_fast(n.param_f32(9)),
          beta_slow(n.param_f32(10)),
          section{n.param_i32(11), n.param_i32(12), n.param_i32(13), n.param_i32(14)} {}
};

std::optional<reject> check_shapes(const node &n, const rope_numbers &r, const rope_mode &mode, const hardware &hw) {
    const tensor_shape &src = n.src[0], &positions = n.src[1], &dst = n.dst;
    if (auto bad = check_operands({&src, &positions}, dst, hw)) return bad;
    if (!is_float(src) || dst.type != src.type) return reject{"types are not both f32, f16 or bf16"};
    if (!src.same_shape(dst)) return reject{"source and destination differ in shape"};
    if (!src.rows_dense() || !dst.rows_dense()) return reject{"rows have gaps"};
    if (!positions.is(data_type::i32) || !positions.contiguous()) return reject{"positions are not packed i32"};
    if (positions.elements() < src.ne[2] * (mode.sections == op::rope_sections::none ? 1 : 4))
        return reject{"there are fewer positions than rows"};
    if (r.n_dims < 0 || r.n_dims % 2 != 0 || r.offset < 0 || r.offset > src.ne[0] - r.n_dims)
        return reject{"rotated dimensions are odd or not within the row"};
    if (mode.sections == op::rope_sections::restarting && (r.offset != 0 || src.ne[0] != 2 * r.n_dims))
        return reject{"VISION rotates half of the row's dimensions"};
    return std::nullopt;
}

std::optional<reject> check_factors(const node &n, uint32_t n_pairs, const hardware &hw) {
    const tensor_shape &factors = n.src[2];
    if (auto bad = check_operands({&n.src[0], &n.src[1], &factors}, n.dst, hw)) return bad;
    if (!factors.is(data_type::f32) || !factors.contiguous()) return reject{"frequency factors are not packed f32"};
    if (factors.elements() < n_pairs) return reject{"there are fewer frequency factors than pairs"};
    return std::nullopt;
}

std::optional<reject> check_sections(const rope_numbers &r, int64_t row_elements) {
    int64_t sum = 0;
    for (const int32_t s : r.section) {
        if (s < 0) return reject{"a section is negative"};
        sum += s;
    }
    if (r.section[0] + int64_t{r.section[1]} + r.section[2] == 0) return reject{"sections are empty"};
    if (sum > row_elements) return reject{"sections are longer than the row"};
    return std::nullopt;
}

// The dimension that turns `rotations` times over the original context, as ggml_rope_yarn_corr_dims() has it; in f32
// like there, because it is rounded to a whole number.
float dimension_of(const rope_numbers &r, float rotations) {
    const float context = static_cast<float>(r.n_ctx_orig) / (rotations * 2 * static_cast<float>(M_PI));
    return static_cast<float>(r.n_dims) * std::log(context) / (2 * std::log(r.freq_base));
}

constexpr double scale_one = 0x1p48;
constexpr double scale_limit = 0x1p14;

// Fills the scales and the ramp. Without YaRN every pair has freq_scale.
std::optional<reject> set_scales(const rope_numbers &r, op::rope_params *p) {
    const double interpolated = r.freq_scale;
    const double extrapolated = interpolated + double{r.ext_factor} * (1 - interpolated);
    if (!(std::fabs(interpolated) < scale_limit) || !(std::fabs(extrapolated) < scale_limit))
        return reject{"frequency scale is out of range"};
    p->scale_first = p->scale_last = std::llround(interpolated * scale_one);
    if (r.ext_factor == 0) return std::nullopt;
    const float low = std::floor(dimension_of(r, r.beta_fast)), high = std::ceil(dimension_of(r, r.beta_slow));
    if (std::isnan(low) || std::isnan(high)) return reject{"YaRN's dimensions are not numbers"};
    const auto last_dimension = static_cast<float>(r.n_dims - 1);
    const float begin = std::clamp(low, 0.0f, static_cast<float>(r.n_dims));  // no pair is beyond n_dims
    const float end = std::max(std::min(high, last_dimension), -1.0f);
    p->scale_first = std::llround(extrapolated * scale_one);
    p->ramp_begin = static_cast<int32_t>(begin);
    p->ramp_end = std::max(static_cast<int32_t>(end), p->ramp_begin + 1);
    if (end > std::max(low, 0.0f))
        p->scale_step = std::llround((interpolated - extrapolated) / (end - begin) * scale_one);
    return std::nullopt;
}

std::optional<reject> set_magnitude(const rope_numbers &r, op::rope_params *p) {
    p->magnitude = r.attn_factor;
    if (r.ext_factor != 0) p->magnitude *= 1.0f + 0.1f * std::log(1.0f / r.freq_scale);
    if (!std::isfinite(p->magnitude)) return reject{"magnitude is not a number"};
    return std::nullopt;
}

// Whether the rows of several positions follow each other with one stride.
bool one_stride(const tensor_shape &t) { return t.ne[1] == 1 || t.nb[2] == t.nb[1] * static_cast<uint64_t>(t.ne[1]); }

// Cuts heads and positions into units for p->n_threads workers. False: not even one row fits.
bool cut_units(const node &n, const hardware &hw, op::rope_params *p) {
    const tensor_shape &dst = n.dst;
    const auto n0 = static_cast<uint32_t>(dst.ne[0]);
    const uint32_t element_bytes = block_bytes(dst.dtype());
    const uint64_t budget = base::align_down(hw.vtcm_bytes / p->n_threads, line_bytes);
    const int64_t pitch = op::rope_layout::pitch_bytes(n0 * element_bytes);
    const int64_t balanced = base::ceil_div<int64_t>(dst.rows(), int64_t{p->n_threads} * units_per_thread);
    const int64_t rows = std::clamp<int64_t>(balanced, base::ceil_div<int64_t>(least_unit_bytes, pitch),
                                             std::max<int64_t>(wanted_unit_bytes / pitch, 1));
    const int64_t heads = std::min(rows, dst.ne[1]);
    int64_t positions = heads < dst.ne[1] ? 1 : std::min(rows / heads, dst.ne[2]);
    if (!one_stride(n.src[0]) || !one_stride(dst)) positions = std::min(positions, most_transfers);
    p->heads_per_unit = static_cast<uint32_t>(heads);
    p->positions_per_unit = static_cast<uint32_t>(positions);
    p->depth = 2;
    while (op::rope_layout::worker_bytes(*p, n0, element_bytes) > budget) {
        uint32_t &count = p->positions_per_unit > 1 ? p->positions_per_unit : p->heads_per_unit;
        if (count == 1) return false;
        count = (count + 1) / 2;
    }
    while (p->depth < deepest) {
        ++p->depth;
        if (op::rope_layout::worker_bytes(*p, n0, element_bytes) <= budget) continue;
        --p->depth;
        break;
    }
    return true;
}

std::optional<reject> cut_rows(const node &n, const hardware &hw, op::rope_params *p) {
    if (n.dst.row_bytes() >= hw.vtcm_bytes) return reject{"a row does not fit VTCM"};
    if (op::rope_layout::frequency_bytes(p->n_pairs) > hw.scratch_bytes)
        return reject{"frequencies do not fit scratch"};
    const uint64_t bytes = 2 * n.dst.row_bytes() * static_cast<uint64_t>(n.dst.rows());
    p->n_threads = threads_for(bytes, hw);
    while (p->n_threads > 0 && !cut_units(n, hw, p)) --p->n_threads;
    if (p->n_threads == 0) return reject{"a row does not fit VTCM"};
    const auto steps = [&](int d) { return static_cast<uint32_t>(n.dst.ne[d]); };
    p->head_blocks = base::fastdiv::by(base::ceil_div(steps(1), p->heads_per_unit));
    p->batches = base::fastdiv::by(steps(3));
    p->units = p->head_blocks.divisor * p->batches.divisor * base::ceil_div(steps(2), p->positions_per_unit);
    return std::nullopt;
}

plan_or<op::rope_params> plan_rope(const node &n, const hardware &hw, bool backward) {
    const rope_numbers r(n);
    const auto mode = mode_of(r.mode);
    if (!mode) return reject{"rope mode is not known"};
    if (auto bad = check_shapes(n, r, *mode, hw)) return *bad;
    op::rope_params p{};
    p.backward = backward;
    p.order = mode->order;
    p.sections = mode->sections;
    p.n_pairs = static_cast<uint32_t>(p.sections == op::rope_sections::restarting ? r.n_dims : r.n_dims / 2);
    p.offset = static_cast<uint32_t>(r.offset);
    if (n.has_src(2))
        if (auto bad = check_factors(n, p.n_pairs, hw)) return *bad;
    if (p.sections != op::rope_sections::none) {
        if (auto bad = check_sections(r, n.dst.ne[0])) return *bad;
        for (int i = 0; i < 4; ++i) p.section[i] = static_cast<uint32_t>(r.section[i]);
    }
    // Below 1 frequencies would grow from pair to pair, beyond the turn per position that their format ends at.
    if (p.n_pairs > 0 && (!(r.freq_base >= 1) || std::isinf(r.freq_base)))
        return reject{"frequency base is below 1 or not a number"};
    const double ratio = std::pow(double{r.freq_base}, -2.0 / r.n_dims);
    p.ratio = ratio < 1 ? static_cast<uint64_t>(std::ldexp(ratio, 64)) : ~uint64_t{0};
    if (auto bad = set_scales(r, &p)) return *bad;
    if (auto bad = set_magnitude(r, &p)) return *bad;
    if (auto bad = cut_rows(n, hw, &p)) return *bad;
    const auto n0 = static_cast<uint32_t>(n.dst.ne[0]);
    return {p, p.n_threads * op::rope_layout::worker_bytes(p, n0, block_bytes(n.dst.dtype()))};
}

std::string describe_rope(const op::rope_params &p) {
    static constexpr const char *sections[] = {"one position", "consecutive sections", "interleaved sections",
                                               "restarting sections"};
    return std::to_string(p.n_pairs) +
           (p.order == op::rope_order::halves ? " pairs of halves" : " pairs of neighbours") + " from element " +
           std::to_string(p.offset) + ", " + sections[static_cast<uint32_t>(p.sections)] + ", " +
           std::to_string(p.heads_per_unit) + " heads x " + std::to_string(p.positions_per_unit) +
           " positions per unit, " + std::to_string(p.depth) + " in flight, " + std::to_string(p.n_threads) +
           " threads";
}

}  // namespace

template <> plan_or<op::rope_params> plan<op::rope>(const node &n, const hardware &hw) {
    return plan_rope(n, hw, false);
}
template <> plan_or<op::rope_params> plan<op::rope_back>(const node &n, const hardware &hw) {
    return plan_rope(n, hw, true);
}

template <> std::string describe<op::rope>(const op::rope_params &p) { return describe_rope(p); }
template <> std::string describe<op::rope_back>(const op::rope_params &p) { return describe_rope(p); }

}  // namespace hexane::plan
