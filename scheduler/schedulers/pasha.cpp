#include "scheduler/schedulers/pasha.hpp"

#include <algorithm>
#include <cmath>

namespace crescendo {
namespace {

/// The rank, counted from 1, of the 90th percentile of n numbers.
std::size_t nearest_rank(std::size_t n) { return (n * 9 + 9) / 10; }

}  // namespace

Pasha::Pasha(const SweepSpec& spec)
    : asha_(spec), top_(std::min(1, static_cast<int>(milestones(spec.scheduler).size()) - 1)) {
    asha_.close_above(top_);
}

Judgement Pasha::report(const Trial& trial) {
    const auto index = static_cast<std::size_t>(trial.id.value);
    curves_.resize(std::max(curves_.size(), index + 1));
    auto& curve = curves_[index];
    if (curve.empty() || curve.back().resource < trial.resource) {
        curve.push_back({trial.resource, *trial.loss});
    }
    const auto judgement = asha_.report(trial);
    if (judgement.verdict == Verdict::pause && judgement.rungs_survived == top_) {
        const Contender newcomer{{*trial.loss, trial.id}, {loss_at(curve, next_milestone(0, top_ - 1)), trial.id}};
        measure_noise(newcomer.now);
        contenders_.push_back(newcomer);
        if (!is_stable()) {
            open_next_rung();
        }
    }
    return judgement;
}

/// The loss at the curve's first report at or beyond the milestone. There must be one.
double Pasha::loss_at(const Curve& curve, Resource milestone) {
    return std::lower_bound(curve.begin(), curve.end(), milestone,
                            [](const Point& point, Resource value) { return point.resource < value; })
        ->loss;
}

void Pasha::measure_noise(const Result& newcomer) {
    for (const auto& [now, before] : contenders_) {
        const double distance = std::abs(now.loss - newcomer.loss);
        if (std::isfinite(distance) && crosses_twice(curve_of(now.trial), curve_of(newcomer.trial))) {
            distances_.insert({distance, newcomer.trial}, nearest_rank(distances_.size() + 1));
        }
    }
    if (distances_.size() > 0) {
        epsilon_ = distances_.worst_of_best().loss;
    }
}

/// Whether the curves cross and cross back: at the resources where both trials reported, their order was once the same
/// as at the last of these resources, and the opposite in between.
bool Pasha::crosses_twice(const Curve& a, const Curve& b) {
    int last = 0;
    int crossings = 0;
    auto i = a.rbegin();
    auto j = b.rbegin();
    while (i != a.rend() && j != b.rend() && crossings < 2) {
        if (i->resource > j->resource) {
            ++i;
        } else if (j->resource > i->resource) {
            ++j;
        } else {
            const int order = (i->loss > j->loss) - (i->loss < j->loss);
            last = last == 0 ? order : last;
            const int awaited = crossings == 0 ? -last : last;
            crossings += order != 0 && order == awaited ? 1 : 0;
            ++i;
            ++j;
        }
    }
    return crossings == 2;
}

bool Pasha::is_stable() const {
    auto now = contenders_;
    std::sort(now.begin(), now.end(), [](const Contender& a, const Contender& b) { return a.now < b.now; });
    auto before = contenders_;
    std::sort(before.begin(), before.end(), [](const Contender& a, const Contender& b) { return a.before < b.before; });
    return std::equal(now.begin(), now.end(), before.begin(), [this](const Contender& here, const Contender& then) {
        return here.before == then.before || here.before.loss == then.before.loss ||
               std::abs(here.before.loss - then.before.loss) <= epsilon_;
    });
}

void Pasha::open_next_rung() {
    ++top_;
    asha_.close_above(top_);
    contenders_.clear();
    distances_ = {};
}

}  // namespace crescendo
