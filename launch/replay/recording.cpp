#include "launch/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/median.hpp"
#include "launch/files/csv_file.hpp"

namespace crescendo::launch {
namespace {

using simulator::Interval;
using simulator::RecordedCurves;
using simulator::RecordedRegroup;
using simulator::RecordedTrial;

bool tells_steps(const TrialHistory& trial) {
    return std::ranges::any_of(trial.reports, [](const auto& report) { return report.step_seconds.has_value(); }) ||
           std::ranges::any_of(trial.groups, [](const auto& group) { return group.timed.has_value(); });
}

/// Makes a recording. With measured epoch times, the simulation varies them in no other way, and they already include
/// checkpoints.
Recording make_recording(RecordedCurves curves, const std::vector<RecordedTrial>& trials) {
    Recording recording{
        .curves = std::move(curves), .times = simulator::fit(trials), .simulation = {}, .expected_regroup = {}};
    if (recording.times.trials.empty()) {
        return recording;
    }
    recording.simulation = {{"simulate.straggler_share", "0"},
                            {"simulate.serial", "0"},
                            {"simulate.communication", "0"},
                            {"simulate.checkpoint", "0"},
                            {"simulate.start", fmt::format("{}", recording.times.start)}};
    const auto set = [&](const char* key, const std::optional<double>& value) {
        if (value) {
            recording.simulation.push_back({key, fmt::format("{}", *value)});
        }
    };
    set("simulate.loss_per_doubling", recording.times.loss_per_doubling);
    set("simulate.batch", recording.times.batch);
    set("simulate.samples", recording.times.samples);
    return recording;
}

/// A time of the journal, which has milliseconds. Events in the same millisecond are separated by their order.
double moment(double time, int num_events) {
    constexpr double apart = 1e-9;
    return time + num_events * apart;
}

/// Reads the times of one trial, report by report.
class TrialTimes {
  public:
    /// `regroup` is the seconds to assume for a regroup that no trainer reported.
    TrialTimes(const TrialHistory& trial, double regroup) : trial_(trial), usual_regroup_(regroup) {}

    RecordedTrial read() {
        const TrialReport* previous = nullptr;
        for (const auto& report : trial_.reports) {
            read_interval(report, previous);
            previous = &report;
        }
        read_last_groups();
        auto& first_steps = times_.first_steps.emplace();
        for (const auto& group : trial_.groups) {
            if (group.timed) {
                first_steps[group.generation] = {told_after(group), group.timed->steps,
                                                 group.timed->samples_per_resource};
            }
        }
        return std::move(times_);
    }

  private:
    void read_interval(const TrialReport& report, const TrialReport* previous) {
        Interval interval{.end = report.resource, .stretches = {}, .start = 0.0};
        interval.steps = Steps{report.step_seconds, report.group_batch, report.noise_scale};
        interval.trained = difference(previous, report, [](const TrialReport& each) { return each.seconds; });
        double held = 0;  // seconds for which the trial had slots
        bool was_interrupted = false;
        const auto hold_until = [&](double until) {
            if (workers_ > 0 && until > now_) {
                held += until - now_;
                interval.stretches.push_back({until - now_ - regroup_until(until), workers_});
            }
            now_ = until;
        };
        for (; next_ < trial_.groups.size() && trial_.groups[next_].num_events < report.num_events; ++next_) {
            const auto& group = trial_.groups[next_];
            hold_until(moment(group.time, group.num_events));
            if (workers_ > 0 && group.workers() > 0) {
                regroup_ = &group;
            } else if (group.workers() > 0 && interval.stretches.empty()) {
                interval.start.reset();
            } else if (group.workers() > 0) {
                was_interrupted = true;
            }
            workers_ = group.workers();
        }
        hold_until(moment(report.time, report.num_events));
        if (interval.stretches.empty()) {
            interval.stretches.push_back({0, std::max(workers_, 1)});
        }
        const auto evaluated = difference(previous, report, [](const TrialReport& each) { return each.evaluated; });
        if (!interval.start && interval.trained && evaluated && !was_interrupted) {
            const double start = held - *interval.trained - *evaluated;
            interval.start = std::clamp(start, 0.0, interval.stretches.front().seconds);
        }
        times_.intervals.push_back(std::move(interval));
    }

    /// Reads the times that the trial reported for groups that no report followed.
    void read_last_groups() {
        for (const auto& group : std::span(trial_.groups).subspan(next_)) {
            if (const auto& told = group.regrouped) {
                times_.regroups[group.generation] = {told->seconds, told_of(group)};
            }
        }
    }

    /// Seconds until `until` for which the trial stood still because of its last regroup.
    double regroup_until(double until) {
        const auto* group = std::exchange(regroup_, nullptr);
        if (group == nullptr) {
            return 0;
        }
        auto& regroup = times_.regroups[group->generation];
        regroup.seconds = std::min(usual_regroup_, 0.99 * (until - now_));  // it trained as well
        if (const auto& told = group->regrouped) {
            regroup.seconds = std::min(told->seconds, until - now_);
            regroup.told = told_of(*group);
        }
        return regroup.seconds;
    }

    /// The times that the trial reported for its regroup.
    static RecordedRegroup::Told told_of(const GroupRecord& group) {
        return {told_after(group), group.regrouped->seconds, group.regrouped->step_seconds};
    }

    /// Seconds from the decision to form the group until the trial reported that it was formed.
    static double told_after(const GroupRecord& group) {
        return moment(group.told, group.num_events_told) - moment(group.time, group.num_events);
    }

    /// Advance of a trial's clock from one report to the next; none if the trainer does not report the clock.
    static std::optional<double> difference(const TrialReport* previous, const TrialReport& report, const auto& clock) {
        const auto before = previous == nullptr ? std::optional(0.0) : clock(*previous);
        const auto now = clock(report);
        return before && now ? std::optional(*now - *before) : std::nullopt;
    }

    const TrialHistory& trial_;
    double usual_regroup_;
    RecordedTrial times_;
    std::size_t next_ = 0;                  // index into trial_.groups
    double now_ = 0;                        // time up to which the trial has been read
    int workers_ = 0;                       // number of workers since then
    const GroupRecord* regroup_ = nullptr;  // regroup that the trial waits for since then; none if it trains
};

}  // namespace

Recording record(const History& history) {
    const auto& spec = history.sweep().spec();
    const auto& regroups = history.regroup_seconds();
    const double regroup = regroups.empty() ? 0 : median(regroups);
    std::vector<RecordedCurves::Curve> curves;
    std::vector<RecordedTrial> trials;
    bool do_tell_steps = false;
    for (const auto& trial : history.sweep().trials()) {
        const auto& seen = history.of(trial.id);
        do_tell_steps = do_tell_steps || tells_steps(seen);
        auto& curve = curves.emplace_back();
        for (const auto& report : seen.reports) {
            curve[report.resource] = to_loss(spec.goal, report.metrics.at(spec.metric));
        }
        trials.push_back(TrialTimes(seen, regroup).read());
        if (!spec.scheduler.grows_early()) {
            trials.back().first_steps.reset();  // the trials may have reported it, but the journal lacks it
        }
    }
    auto recording = make_recording(RecordedCurves(std::move(curves), simulator::Reporting::as_recorded), trials);
    if (!regroups.empty()) {
        recording.simulation.push_back({"simulate.regroup", fmt::format("{}", regroup)});
    }
    recording.expected_regroup = spec.scheduler.expected_regroup;
    recording.tells_steps = do_tell_steps;
    recording.simulation.push_back({"simulate.evaluation", fmt::format("{}", history.evaluation_seconds())});
    return recording;
}

Recording read_recording(const std::filesystem::path& path, const SweepSpec& spec) {
    constexpr std::int64_t most_trials = 10'000'000;
    CsvFile file(path);
    const auto trial_column = file.column("trial");
    const auto resource_column = file.column("resource");
    const auto metric_column = file.column("metrics", spec.metric);
    const auto seconds_column = file.find_column("seconds");
    std::vector<RecordedCurves::Curve> curves;
    std::vector<RecordedTrial> trials;
    std::vector<double> clocks;
    while (file.next()) {
        const auto id = file.whole_number(trial_column);
        const Resource resource{file.whole_number(resource_column)};
        if (id < 0 || id >= most_trials || resource.value < 1) {
            file.fail("trials count from 0, resources from 1; correct the line");
        }
        const auto trial = static_cast<std::size_t>(id);
        if (trial >= curves.size()) {
            curves.resize(trial + 1);
            trials.resize(trial + 1);
            clocks.resize(trial + 1);
        }
        const auto before = curves[trial].empty() ? Resource{0} : curves[trial].rbegin()->first;
        if (resource <= before) {
            file.fail("a trial's resources must grow from line to line; sort the file");
        }
        curves[trial][resource] = to_loss(spec.goal, file.number(metric_column));
        if (seconds_column) {
            const auto seconds = file.number(*seconds_column);
            const auto start = before.value > 0 ? std::optional(0.0) : std::nullopt;  // the file does not have it
            trials[trial].intervals.push_back({resource, {{seconds - clocks[trial], 1}}, start});
            clocks[trial] = seconds;
        }
    }
    return make_recording(RecordedCurves(std::move(curves)), trials);
}

}  // namespace crescendo::launch
