#include "simulator/learning_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"

namespace crescendo::simulator {
namespace {

/// A random number with mean 0 and variance 1, about normal and never beyond 3.5: the sum of four uniform numbers.
double deviate(CounterRandom random) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum += random.uniform();
    }
    return (sum - 2.0) * std::sqrt(3.0);
}

}  // namespace

ParametricCurves::ParametricCurves(std::uint64_t seed, Goal goal, Resource max, double noise, const Repeat& repeat)
    : seed_(seed), goal_(goal), max_(max), noise_(noise), repeat_(repeat) {}

double ParametricCurves::error(TrialId trial, double worth) const {
    auto random = draws(seed_, Purpose::curve, repeat_.configuration_of(trial), /*step=*/0);
    const double end = 0.05 + 0.45 * random.uniform();
    const double begin = 0.9 + 0.1 * random.uniform();
    const double rate = 0.4 * std::pow(4.0, random.uniform());
    const double scale = 0.01 * std::pow(10.0, random.uniform()) * static_cast<double>(max_.value);
    return end + (begin - end) * std::pow(1.0 + worth / scale, -rate);
}

double ParametricCurves::loss(TrialId trial, Resource resource, double worth) const {
    const double noise = noise_ * deviate(draws(seed_, Purpose::noise, trial, resource.value));
    const double observed = std::max(0.0, error(trial, worth) + noise);
    return to_loss(goal_, goal_ == Goal::maximize ? 1.0 - observed : observed);
}

RecordedCurves::RecordedCurves(std::vector<Curve> curves, Reporting reporting)
    : curves_(std::move(curves)), reporting_(reporting) {
    const auto has_reports = [](const Curve& curve) { return !curve.empty(); };
    const auto first = std::find_if(curves_.begin(), curves_.end(), has_reports);
    CRESCENDO_VALIDATE(first != curves_.end(), "",
                       "no trial has reported, so there is no learning curve to replay; give a sweep or file that has "
                       "reports of the metric");
    const Curve* lender = &*first;
    for (auto& curve : curves_) {
        if (curve.empty()) {
            curve = *lender;
        }
        lender = &curve;
    }
}

double RecordedCurves::loss(TrialId trial, Resource, double worth) const {
    const auto& recorded = curve(trial);
    const auto next = recorded.upper_bound(Resource{static_cast<std::int64_t>(worth)});
    return next == recorded.begin() ? next->second : std::prev(next)->second;
}

bool RecordedCurves::has_report(TrialId trial, Resource resource) const {
    const auto& recorded = curve(trial);
    const auto last = recorded.rbegin()->first.value;
    if (reporting_ == Reporting::always || resource.value <= last) {
        return reporting_ == Reporting::always || recorded.contains(resource);
    }
    const auto before = recorded.size() > 1 ? std::next(recorded.rbegin())->first.value : 0;
    return (resource.value - last) % (last - before) == 0;
}

}  // namespace crescendo::simulator
