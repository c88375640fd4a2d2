#include "scheduler/growth/step_times.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace crescendo {
namespace {

/// Least relative error of one time: a few times do not show all scatter.
constexpr double error_of_one = 0.05;

/// Relative error of the model, for each doubling beyond the workers that were measured.
constexpr double error_of_doubling = 0.1;

double samples_per_second(const Setting& at, double seconds) { return at.batch / seconds; }

template <std::size_t most>
double relative_error(const Recent<most>& times) {
    // The square root is exact in IEEE arithmetic, so equal everywhere.
    return std::max(error_of_one, times.scatter()) / std::sqrt(static_cast<double>(times.count()));
}

}  // namespace

void StepTimes::note(TrialId trial, const Setting& at, double seconds) {
    const auto index = static_cast<std::size_t>(trial.value);
    own_.resize(std::max(own_.size(), index + 1));
    auto& own = own_[index];
    if (own.times.empty()) {
        own.shape = shape_of(seconds, at.workers);
    }
    auto found = std::find_if(own.times.begin(), own.times.end(), [&](const auto& each) { return each.at == at; });
    if (found == own.times.end()) {
        found = own.times.insert(own.times.end(), {at, {}});
    }
    found->seconds.add(seconds);

    auto& shape = shapes_[own.shape];
    shape.times[relative(own, at)].add(seconds / own.times.front().seconds.median());
    shape.model.reset();
}

/// The nearest shape that fits, or a new one.
std::size_t StepTimes::shape_of(double seconds, int workers) {
    constexpr double most = 2;
    auto nearest = shapes_.size();
    double least = most;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
        const double apart = std::max(seconds, shapes_[i].seconds) / std::min(seconds, shapes_[i].seconds);
        if (shapes_[i].workers == workers && apart < least) {
            nearest = i;
            least = apart;
        }
    }
    if (nearest == shapes_.size()) {
        shapes_.push_back({seconds, workers});
    }
    return nearest;
}

bool StepTimes::Shape::is_single(int num_workers) const {
    const auto first = times.lower_bound({num_workers, 0});
    const auto end = times.lower_bound({num_workers + 1, 0});
    return first != end && std::next(first) == end && first->second.count() == 1;
}

/// The widest groups count most, because predictions are for wider ones.
StepModel StepTimes::fit(const Shape& shape) {
    std::vector<StepTime> times;
    times.reserve(shape.times.size());
    for (const auto& [at, recent] : shape.times) {
        times.push_back({at, recent.median(), static_cast<double>(at.workers)});
    }
    return StepModel::fit(times);
}

std::optional<double> StepTimes::seconds(TrialId trial, const Setting& at) const {
    const auto* own = find(trial);
    if (own == nullptr) {
        return std::nullopt;
    }
    if (const auto* measured = find(*own, at)) {
        return measured->seconds.median();
    }
    return own->times.front().seconds.median() * shared_time(shapes_[own->shape], relative(*own, at)).time;
}

std::optional<Speedup> StepTimes::speedup(TrialId trial, const Setting& from, const Setting& to) const {
    const auto* own = find(trial);
    if (own == nullptr) {
        return std::nullopt;
    }
    const auto* own_from = find(*own, from);
    const auto* own_to = find(*own, to);
    const auto is_sure = [](const OwnTimes* times) { return times != nullptr && times->seconds.count() > 1; };
    if (is_sure(own_from) && is_sure(own_to)) {
        const double ratio = samples_per_second(to, own_to->seconds.median()) /
                             samples_per_second(from, own_from->seconds.median());
        return Speedup{ratio, ratio * (relative_error(own_from->seconds) + relative_error(own_to->seconds))};
    }
    const auto& shape = shapes_[own->shape];
    if (shape.most_workers() == shape.fewest_workers()) {
        return std::nullopt;
    }
    const auto before = shared_time(shape, relative(*own, from));
    const auto after = shared_time(shape, relative(*own, to));
    const double ratio = samples_per_second(to, after.time) / samples_per_second(from, before.time);
    const bool is_measured = std::max(from.workers, to.workers) <= shape.most_workers();
    const bool is_next = from.workers == shape.most_workers() && shape.most_workers() < to.workers;
    return Speedup{ratio, ratio * (before.error + after.error), is_measured, is_next, shape.is_single(to.workers)};
}

std::vector<int> StepTimes::narrower(TrialId trial, int workers) const {
    std::vector<int> narrower;
    const auto* own = find(trial);
    if (own == nullptr) {
        return narrower;
    }
    const auto& times = shapes_[own->shape].times;
    for (auto each = times.rbegin(); each != times.rend(); ++each) {
        const int width = each->first.workers;
        if (width < workers && (narrower.empty() || width < narrower.back())) {
            narrower.push_back(width);
        }
    }
    return narrower;
}

std::optional<double> StepTimes::measured_speedup(TrialId trial) const {
    const auto* own = find(trial);
    if (own == nullptr) {
        return std::nullopt;
    }
    const auto& first = own->times.front();
    const auto widest = std::max_element(own->times.begin(), own->times.end(), [](const auto& a, const auto& b) {
        return a.at.workers < b.at.workers;
    });
    if (widest->at.workers == first.at.workers) {
        return std::nullopt;
    }
    return samples_per_second(widest->at, widest->seconds.median()) /
           samples_per_second(first.at, first.seconds.median());
}

const StepTimes::Own* StepTimes::find(TrialId trial) const {
    const auto index = static_cast<std::size_t>(trial.value);
    return index < own_.size() && !own_[index].times.empty() ? &own_[index] : nullptr;
}

const StepTimes::OwnTimes* StepTimes::find(const Own& own, const Setting& at) {
    const auto found =
        std::find_if(own.times.begin(), own.times.end(), [&](const auto& each) { return each.at == at; });
    return found == own.times.end() ? nullptr : &*found;
}

Setting StepTimes::relative(const Own& own, const Setting& at) {
    return {at.workers, at.batch / own.times.front().at.batch};
}

/// The measured time at a setting or, between and beyond the measured settings, a prediction.
StepTimes::Relative StepTimes::shared_time(const Shape& shape, const Setting& at) {
    if (const auto found = shape.times.find(at); found != shape.times.end()) {
        return {found->second.median(), relative_error(found->second)};
    }
    if (!shape.model) {
        shape.model = fit(shape);
    }
    const double beyond = std::max(0.0, doublings(at.workers) - doublings(shape.most_workers()));
    return {shape.model->seconds(at), error_of_one + error_of_doubling * beyond};
}

}  // namespace crescendo
