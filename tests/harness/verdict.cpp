// tests/harness/verdict.cpp
#include "tests/harness/verdict.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace hexane::testing {

namespace {

std::string describe_element(const ggml_tensor *t, size_t number, double got, double want) {
    std::ostringstream text;
    text.precision(9);
    text << "element " << place_of(t, number) << " is " << got << ", should be " << want;
    return text.str();
}

bool same_class(double got, double want) {
    if (std::isnan(want)) return std::isnan(got);
    return got == want || (std::isfinite(want) && std::isfinite(got));
}

// Values next to the overflow threshold may round either way.
bool is_borderline(ggml_type type, double want) {
    const double limit = type == GGML_TYPE_F16 ? 65504 : 3.38e38;
    return std::fabs(want) > 0.999 * limit && std::fabs(want) < 1.001 * limit;
}

bool same_value(double got, double want) {
    return std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want);
}

// Errors of all elements, and the first one that is wrong: not the same value (exact), of another class, or too far.
class judge {
  public:
    judge(const ggml_tensor *t, const values &got, const values &want, const tolerance &within)
        : t_(t), got_(got), want_(want), within_(within) {
        wanted_.reserve(want.v.size());
        for (const double w : want.v) wanted_.push_back(rounded(t->type, w));
    }

    comparison run() {
        sum_up();
        const double rms = finite_ > 0 ? std::sqrt(square_sum_ / finite_) : 0;
        for (size_t i = 0; i < got_.v.size(); ++i) look_at(i, rms);
        out_.nmse = square_sum_ > 0 ? error_sum_ / square_sum_ : error_sum_;
        if (out_.wrong.empty() && !is_exact(within_) && !(error_sum_ <= within_.nmse * square_sum_)) {
            std::ostringstream text;
            text << "NMSE " << error_sum_ / square_sum_ << " is over " << within_.nmse;
            out_.wrong = text.str();
        }
        return std::move(out_);
    }

  private:
    bool counts(size_t i) const {
        return std::isfinite(wanted_[i]) && std::isfinite(got_.v[i]) && !is_borderline(t_->type, want_.v[i]);
    }

    void sum_up() {
        for (size_t i = 0; i < got_.v.size(); ++i) {
            if (!counts(i)) continue;
            const double w = wanted_[i];
            error_sum_ += (got_.v[i] - w) * (got_.v[i] - w);
            square_sum_ += w * w;
            ++finite_;
        }
    }

    void look_at(size_t i, double rms) {
        const double w = wanted_[i], got = got_.v[i];
        bool wrong = false;
        if (is_exact(within_))
            wrong = !same_value(got, w);
        else if (!is_borderline(t_->type, want_.v[i]))
            wrong = !same_class(got, w);
        if (counts(i)) {
            const double scale = std::max(std::fabs(w), rms), error = std::fabs(got - w);
            wrong = wrong || (!is_exact(within_) && error > within_.worst * scale);
            const double relative = scale > 0 ? error / scale : error;
            if (relative > out_.worst) {
                out_.worst = relative;
                out_.worst_at = i;
                out_.worst_got = got;
                out_.worst_want = w;
            }
        }
        if (wrong && out_.wrong.empty()) out_.wrong = describe_element(t_, i, got, w);
    }

    const ggml_tensor *t_;
    const values &got_, &want_;
    std::vector<double> wanted_;  // as the type of the result can hold them
    const tolerance &within_;
    comparison out_;
    double error_sum_ = 0, square_sum_ = 0, finite_ = 0;
};

}  // namespace

values decoded(const ggml_tensor *t, const uint8_t *first) {
    values out(extents_of(t));
    const auto unit = static_cast<size_t>(ggml_blck_size(t->type));
    for_each_block(t,
                   [&](size_t offset, size_t number) { decode(t->type, first + offset, unit, &out.v[number * unit]); });
    return out;
}

values decoded_dense(const ggml_tensor *t, const uint8_t *bytes) {
    values out(extents_of(t));
    decode(t->type, bytes, out.v.size(), out.v.data());
    return out;
}

std::string place_of(const ggml_tensor *t, size_t number) {
    const auto n = static_cast<int64_t>(number);
    const int64_t i1 = n / t->ne[0], i2 = i1 / t->ne[1], i3 = i2 / t->ne[2];
    std::ostringstream text;
    text << "[" << n % t->ne[0] << ", " << i1 % t->ne[1] << ", " << i2 % t->ne[2] << ", " << i3 << "]";
    return text.str();
}

comparison compare(const ggml_tensor *t, const values &got, const values &want, const tolerance &within) {
    return judge(t, got, want, within).run();
}

}  // namespace hexane::testing
