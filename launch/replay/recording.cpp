#include "launch/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/check.hpp"
#include "core/median.hpp"
#include "launch/system/read_file.hpp"

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

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line.substr(0, line.find_last_not_of("\r\n") + 1));
    for (std::string field; std::getline(stream, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

/// The lines of a CSV file of numbers.
class NumberFile {
  public:
    explicit NumberFile(const std::filesystem::path& path) : path_(path), lines_(read_file(path)) {
        advance();
        names_ = fields_;
    }

    bool advance() {
        std::string line;
        do {
            if (!std::getline(lines_, line)) {
                return false;
            }
            ++number_;
            fields_ = split(line);
        } while (fields_.empty());
        return true;
    }

    bool has(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

    template <class Number>
    Number at(const std::string& name) const {
        const auto column = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
        if (column == names_.size()) {
            fail(1, fmt::format("there is no column '{}'; the first line names the columns", name));
        }
        const auto text = column < fields_.size() ? fields_[column] : "";
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) {
            fail(number_, fmt::format("'{}' in the column '{}' is no number of its kind; mend it", text, name));
        }
        return value;
    }

    [[noreturn]] void fail_here(const std::string& message) const { fail(number_, message); }

  private:
    [[noreturn]] void fail(int line, const std::string& message) const {
        throw InvalidInput(fmt::format("{}:{}: {}", path_.string(), line, message));
    }

    std::filesystem::path path_;
    std::istringstream lines_;
    int number_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> fields_;
};

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
    NumberFile file(path);
    std::vector<RecordedCurves::Curve> curves;
    std::vector<RecordedTrial> trials;
    std::vector<double> clocks;
    while (file.advance()) {
        const auto id = file.at<std::int64_t>("trial");
        const Resource resource{file.at<std::int64_t>("resource")};
        if (id < 0 || id >= most_trials || resource.value < 1) {
            file.fail_here("trials count from 0, resources from 1; mend the line");
        }
        const auto trial = static_cast<std::size_t>(id);
        if (trial >= curves.size()) {
            curves.resize(trial + 1);
            trials.resize(trial + 1);
            clocks.resize(trial + 1);
        }
        const auto before = curves[trial].empty() ? Resource{0} : curves[trial].rbegin()->first;
        if (resource <= before) {
            file.fail_here("the resources of a trial have to grow from line to line; sort the file");
        }
        curves[trial][resource] = to_loss(spec.goal, file.at<double>(spec.metric));
        if (file.has("seconds")) {
            const auto seconds = file.at<double>("seconds");
            trials[trial].intervals.push_back(
                {seconds - clocks[trial], static_cast<double>(resource.value - before.value), 1});
            clocks[trial] = seconds;
        }
    }
    return make_recording(std::move(curves), trials);
}

}  // namespace crescendo::launch
