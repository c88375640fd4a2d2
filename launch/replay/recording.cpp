#include "launch/replay/recording.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/median.hpp"
#include "launch/system/csv_file.hpp"

namespace crescendo::launch {
namespace {

using simulator::Interval;
using simulator::RecordedCurves;
using simulator::RecordedTrial;

/// Where epochs are measured, nothing else varies them, and they include their checkpoints.
Recording make_recording(std::vector<RecordedCurves::Curve> curves, const std::vector<RecordedTrial>& trials) {
    Recording recording{RecordedCurves(std::move(curves)), simulator::fit(trials), {}};
    if (recording.times.epoch.empty()) {
        return recording;
    }
    recording.simulation = {{"simulate.straggler_share", "0"},
                            {"simulate.serial", "0"},
                            {"simulate.communication", "0"},
                            {"simulate.checkpoint", "0"},
                            {"simulate.start", fmt::format("{:.6f}", recording.times.start)}};
    if (recording.times.loss_per_doubling) {
        recording.simulation.push_back(
            {"simulate.loss_per_doubling", fmt::format("{:.6f}", *recording.times.loss_per_doubling)});
    }
    return recording;
}

RecordedTrial times_of(const TrialHistory& trial) {
    RecordedTrial times;
    double since = trial.started.value_or(0);
    std::int64_t consumed = 0;
    for (const auto& report : trial.reports) {
        times.intervals.push_back(
            {report.time - since, static_cast<double>(report.resource.value - consumed), report.workers});
        since = report.time;
        consumed = report.resource.value;
    }
    return times;
}

}  // namespace

Recording record(const History& history) {
    const auto& spec = history.sweep().spec();
    std::vector<RecordedCurves::Curve> curves;
    std::vector<RecordedTrial> trials;
    for (const auto& trial : history.sweep().trials()) {
        const auto& seen = history.of(trial.id);
        auto& curve = curves.emplace_back();
        for (const auto& report : seen.reports) {
            curve[report.resource] = to_loss(spec.goal, report.metrics.at(spec.metric));
        }
        trials.push_back(times_of(seen));
    }
    auto recording = make_recording(std::move(curves), trials);
    if (!history.regroup_seconds().empty()) {
        recording.simulation.push_back(
            {"simulate.regroup", fmt::format("{:.6f}", median(history.regroup_seconds()))});
    }
    recording.simulation.push_back({"simulate.evaluation", fmt::format("{:.6f}", history.evaluation_seconds())});
    return recording;
}

Recording read_recording(const std::filesystem::path& path, const SweepSpec& spec) {
    constexpr std::int64_t most_trials = 10'000'000;
    CsvFile file(path);
    const auto trial_column = file.column("trial");
    const auto resource_column = file.column("resource");
    const auto metric_column = file.column(spec.metric);
    const auto seconds_column = file.find_column("seconds");
    std::vector<RecordedCurves::Curve> curves;
    std::vector<RecordedTrial> trials;
    std::vector<double> clocks;
    while (file.next()) {
        const auto id = file.whole_number(trial_column);
        const Resource resource{file.whole_number(resource_column)};
        if (id < 0 || id >= most_trials || resource.value < 1) {
            file.fail("trials count from 0, resources from 1; mend the line");
        }
        const auto trial = static_cast<std::size_t>(id);
        if (trial >= curves.size()) {
            curves.resize(trial + 1);
            trials.resize(trial + 1);
            clocks.resize(trial + 1);
        }
        const auto before = curves[trial].empty() ? Resource{0} : curves[trial].rbegin()->first;
        if (resource <= before) {
            file.fail("the resources of a trial have to grow from line to line; sort the file");
        }
        curves[trial][resource] = to_loss(spec.goal, file.number(metric_column));
        if (seconds_column) {
            const auto seconds = file.number(*seconds_column);
            trials[trial].intervals.push_back(
                {seconds - clocks[trial], static_cast<double>(resource.value - before.value), 1});
            clocks[trial] = seconds;
        }
    }
    return make_recording(std::move(curves), trials);
}

}  // namespace crescendo::launch
