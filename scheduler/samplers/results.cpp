#include "scheduler/samplers/results.hpp"

#include <algorithm>
#include <iterator>

#include "scheduler/loss.hpp"

namespace crescendo {

void Results::Ranking::insert(Loss loss) {
    losses.push_back(loss);
    num_finite += loss.loss < worst_loss;
    if (best.size() < most_best || loss < best.back()) {
        best.insert(std::ranges::lower_bound(best, loss), loss);
        best.resize(std::min(best.size(), most_best));
    }
}

std::vector<Resource> Results::milestones_of(const SchedulerSpec& spec) {
    if (spec.kind == SchedulerKind::fifo) {
        return {spec.max};  // intermediate losses do not show how trials end
    }
    return spec.milestones();
}

Results::Results(const SweepSpec& spec)
    : space_(spec.space),
      num_dimensions_(static_cast<std::size_t>(space_.num_dimensions())),
      milestones_(milestones_of(spec.scheduler)),
      num_earlier_(spec.warm_start.size()) {
    for (std::size_t rung = 0; rung < milestones_.size(); ++rung) {
        rankings_.push_back({.rung = rung});
    }
    add_earlier(spec.warm_start, spec.scheduler.has_max());
}

/// Without a maximum, a trial is complete when its program ends. With one, an earlier trial counts as far as it
/// trained: its own sweep may have had a lower maximum.
void Results::add_earlier(const std::vector<EarlierResult>& results, bool has_max) {
    for (const auto& result : results) {
        Told told{.is_known = true, .has_ended = true, .ending = result.has_lost ? Ending::lost : Ending::none};
        std::ranges::copy(point_of(result.config), std::back_inserter(points_));
        for (std::size_t i = 0; i < result.reports.size(); ++i) {
            const auto& [resource, loss] = result.reports[i];
            const bool is_end = !has_max && result.is_complete && i + 1 == result.reports.size();
            for (; counts(told, resource, is_end); ++told.num_rungs) {
                auto& ranking = rankings_[told.num_rungs];
                ranking.insert({loss, static_cast<int>(trials_.size())});
            }
        }
        trials_.push_back(told);
    }
}

void Results::tell(const Trial& trial) {
    const auto index = num_earlier_ + static_cast<std::size_t>(trial.id.value);
    if (index >= trials_.size()) {
        trials_.resize(index + 1);
        points_.resize((index + 1) * num_dimensions_, absent);
    }
    auto& told = trials_[index];
    if (!told.is_known || told.is_proposed != trial.is_proposed) {
        std::ranges::copy(point_of(trial.config),
                          points_.begin() + static_cast<std::ptrdiff_t>(index * num_dimensions_));
    }
    told.is_known = true;
    told.is_proposed = trial.is_proposed;
    told.is_paused = trial.status == TrialStatus::paused;
    told.has_ended = trial.ended();
    told.ending = ending_of(trial.reason, trial.loss.has_value(), milestones_.size() > 1);
    count(trial, static_cast<int>(index), told);
}

/// Whether a trial with this resource counts at the next rung.
bool Results::counts(const Told& told, Resource resource, bool is_complete) const {
    return told.num_rungs < milestones_.size() && (is_complete || resource >= milestones_[told.num_rungs]);
}

void Results::count(const Trial& trial, int number, Told& told) {
    for (; trial.loss && counts(told, trial.resource, told.ending == Ending::complete); ++told.num_rungs) {
        auto& ranking = rankings_[told.num_rungs];
        ranking.insert({*trial.loss, number});
        ++ranking.num_own;
    }
}

Results::Point Results::point(int trial) const {
    return Point(points_).subspan(static_cast<std::size_t>(trial) * num_dimensions_, num_dimensions_);
}

std::vector<double> Results::point_of(const Config& config) const {
    std::vector<double> point;
    point.reserve(num_dimensions_);
    for (const auto& coordinate : space_.point_of(config)) {
        point.push_back(coordinate.value_or(absent));
    }
    return point;
}

const Results::Ranking* Results::highest_ranking(int enough) const {
    const auto found = std::find_if(rankings_.rbegin(), rankings_.rend(),
                                    [&](const Ranking& ranking) { return ranking.num_finite >= enough; });
    return found == rankings_.rend() ? nullptr : &*found;
}

bool Results::is_running(int trial) const {
    const auto& told = trials_[static_cast<std::size_t>(trial)];
    return told.is_known && !told.has_ended;
}

bool Results::is_pending(int trial) const {
    return is_running(trial) && trials_[static_cast<std::size_t>(trial)].num_rungs == 0;
}

bool Results::is_settled(int trial, const Ranking& ranking) const {
    const auto& told = trials_[static_cast<std::size_t>(trial)];
    return told.is_known && (told.num_rungs > ranking.rung || told.ending == Ending::lost);
}

}  // namespace crescendo
