#include "scheduler/samplers/ascent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

#include "scheduler/samplers/dot.hpp"

namespace crescendo {
namespace {

using Vector = std::vector<double>;

void add(Vector& to, double factor, const Vector& what) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] += factor * what[i];
    }
}

/// What L-BFGS has learned about the curvature.
class Curvature {
  public:
    /// The step uphill that a Newton method would take.
    Vector direction(const Vector& gradient) const {
        Vector result = gradient;
        Vector factors(changes_.size());
        for (std::size_t i = changes_.size(); i-- > 0;) {
            const auto& [step, change, scale] = changes_[i];
            factors[i] = dot(step, result) / scale;
            add(result, -factors[i], change);
        }
        if (!changes_.empty()) {
            const auto& [step, change, scale] = changes_.back();
            const double factor = scale / dot(change, change);
            std::ranges::for_each(result, [&](double& each) { each *= factor; });
        }
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            const auto& [step, change, scale] = changes_[i];
            add(result, factors[i] - dot(change, result) / scale, step);
        }
        return result;
    }

    /// After `step`, the gradient of the function to maximize changed from `before` to `after`.
    void note(Vector step, const Vector& before, const Vector& after) {
        Vector change = before;
        add(change, -1, after);
        const double scale = dot(step, change);
        if (scale > 1e-10) {  // positive if the function is concave along the step
            changes_.push_back({std::move(step), std::move(change), scale});
        }
        if (changes_.size() > most) {
            changes_.pop_front();
        }
    }

    bool is_unknown() const { return changes_.empty(); }

  private:
    static constexpr std::size_t most = 8;
    struct Change {
        Vector step;
        Vector gradient;
        double scale;
    };
    std::deque<Change> changes_;
};

/// The gradient without the components that point out of the box.
Vector inward(Vector gradient, const Vector& at, const Box& box) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        if ((at[i] <= box.low[i] && gradient[i] < 0) || (at[i] >= box.high[i] && gradient[i] > 0)) {
            gradient[i] = 0;
        }
    }
    return gradient;
}

Vector moved(Vector at, double factor, const Vector& step, const Box& box) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] = std::clamp(at[i] + factor * step[i], box.low[i], box.high[i]);
    }
    return at;
}

double longest_of(const Vector& step) {
    double longest = 0;
    for (const double each : step) {
        longest = std::max(longest, std::abs(each));
    }
    return longest;
}

}  // namespace

Vector ascend(const std::function<Height(const Vector&)>& function, Vector at, const Box& box, const Ascent& ascent) {
    constexpr int most_halvings = 10;
    auto here = function(at);
    Curvature curvature;
    for (int i = 0; i < ascent.most_steps; ++i) {
        const auto gradient = inward(here.gradient, at, box);
        auto step = inward(curvature.direction(gradient), at, box);
        if (dot(step, gradient) <= 0) {
            step = gradient;
        }
        const double longest = longest_of(step);
        if (!(longest >= ascent.least_step)) {
            break;
        }
        double factor = std::min(1.0, ascent.longest_step / longest);
        auto next = moved(at, factor, step, box);
        auto there = function(next);
        for (int half = 0; half < most_halvings && !(there.value > here.value); ++half) {
            factor /= 2;
            next = moved(at, factor, step, box);
            there = function(next);
        }
        if (!(there.value > here.value)) {
            if (curvature.is_unknown()) {
                break;
            }
            curvature = {};
            continue;
        }
        step = next;
        add(step, -1, at);
        curvature.note(std::move(step), here.gradient, there.gradient);
        at = std::move(next);
        here = std::move(there);
    }
    return at;
}

}  // namespace crescendo
