#include "launch/compare/sweep_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/cost.hpp"
#include "launch/json/event_json.hpp"
#include "launch/view/results.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;
using analysis::Curve;

/// A trial's training time in seconds at its last report. Reports of older versions have no training clock, so the time
/// that the trial held slots replaces it.
double training_seconds(const TrialHistory& trial) {
    return trial.reports.empty() ? 0 : trial.reports.back().seconds.value_or(trial.running_seconds);
}

/// Collects the improvements of the metric from the reports of a journal.
class ImprovementReader {
  public:
    ImprovementReader(const SweepSpec& spec, ClockOf clock) : history_(spec), clock_(clock) {}

    void read(const fs::path& journal, const std::function<void(std::size_t)>& num_bytes) {
        history_.replay(journal, History::Purpose::look, [&](const Journal::Line& line) {
            take(line);
            num_bytes(line.members().size());
        });
    }

    const History& history() const { return history_; }
    std::vector<Curve> curves() && { return std::move(curves_); }

  private:
    void take(const Journal::Line& line) {
        const auto reported = report_in(line);
        const auto before = reported ? last_report(reported->trial) : Resource{0};
        history_.apply(line);
        if (counts_configurations()) {
            add_configuration(reported ? reported->trial : trial_in(line));
        } else if (reported && last_report(reported->trial) > before) {  // neither repeated nor after the end
            add(reported->trial, reported->loss);
        }
    }

    static std::optional<TrialReported> report_in(const Journal::Line& line) {
        if (const auto report = report_from(line.members())) {
            return report->event();
        }
        if (line.members().find(R"("trial_reported")") == std::string_view::npos) {
            return std::nullopt;
        }
        const auto record = line.json();
        return record.value("event", "") == "trial_reported"
                   ? std::optional(std::get<TrialReported>(event_from_json(record)))
                   : std::nullopt;
    }

    /// The trial of a record; -1 if it has none.
    static TrialId trial_in(const Journal::Line& line) {
        const auto record = line.json();
        const auto trial = record.find("trial");
        return trial != record.end() && trial->is_number_integer() ? TrialId{trial->get<std::int32_t>()} : TrialId{-1};
    }

    Resource last_report(TrialId trial) const {
        return knows(trial) && !history_.of(trial).reports.empty() ? history_.of(trial).reports.back().resource
                                                                   : Resource{0};
    }

    bool counts_configurations() const { return clock_ == ClockOf::sweeps && history_.sweep().spec().repeat.is_on(); }

    /// With repetitions, a sweep's curve has the values by which configurations were judged, so that a value that is
    /// luck with one seed does not count. That value may change with any event of a trial, such as its end.
    void add_configuration(TrialId trial) {
        const auto loss = knows(trial) ? history_.sweep().candidate_of(trial).loss : std::nullopt;
        if (loss) {
            add(trial, *loss);
        }
    }

    bool knows(TrialId trial) const { return history_.sweep().has(trial); }

    /// Adds a point if the loss improves the trial's curve, which is the whole sweep's for ClockOf::sweeps.
    void add(TrialId id, double loss) {
        const auto& trial = history_.of(id);
        const auto index = clock_ == ClockOf::sweeps ? 0 : static_cast<std::size_t>(id.value);
        if (index >= curves_.size()) {
            curves_.resize(index + 1);
        }
        auto& curve = curves_[index];
        if (!std::isfinite(loss) || (!curve.points().empty() && loss >= curve.points().back().loss)) {
            return;
        }
        const bool whole = clock_ == ClockOf::sweeps;
        const auto before = curve.points().empty() ? analysis::Point{} : curve.points().back();
        const double slot_seconds = whole ? history_.slot_seconds() : history_.slot_seconds_of(id);
        // The machine's clock may have been set back.
        curve.add({.seconds = std::max(before.seconds, whole ? history_.elapsed() : training_seconds(trial)),
                   .cost = std::max(before.cost, slot_seconds / 3600),
                   .resource = static_cast<double>(history_.sweep().trial(id).resource.value),
                   .loss = loss});
    }

    History history_;
    ClockOf clock_;
    std::vector<Curve> curves_;
};

bool holds_sweep(const fs::path& directory) {
    std::error_code ignored;
    return fs::exists(SweepDirectory(directory).journal(), ignored);
}

}  // namespace

SweepRun read_sweep_run(const fs::path& path, ClockOf clock, const std::function<void(std::size_t)>& num_bytes) {
    const auto directory = SweepDirectory::open(path);
    auto file = read_first_file(directory, FrozenFile::recorded_in(directory.journal()));
    ImprovementReader reader(file.spec, clock);
    reader.read(directory.journal(), num_bytes);
    const auto& history = reader.history();
    auto keys = flat_keys(parse_yaml(file.text, directory.sweep_file().string()).root);
    for (const auto& change : history.limits_changes()) {
        for (const auto& setting : change.settings) {
            keys.erase(setting.key);
            if (setting.value) {
                keys[setting.key] = *setting.value;
            }
        }
    }
    const bool is_over = history.sweep().state() != SweepState::running;
    const bool has_lost_sampler = num_without_sampler(file, history.sweep()) > 0;
    const auto price = price_of_slot_hour(file.price, history);
    const double idle_slot_hours = history.idle_slot_seconds() / 3600;
    return {path,    std::move(file),  std::move(keys), price,
            is_over, has_lost_sampler, idle_slot_hours, std::move(reader).curves()};
}

std::vector<fs::path> sweeps_in(const fs::path& directory) {
    if (is_there(SweepDirectory(directory).journal()) || !fs::is_directory(directory)) {
        return {SweepDirectory::open(directory.has_filename() ? directory : directory.parent_path()).path()};
    }
    std::vector<fs::path> sweeps;
    for (const auto& entry : fs::directory_iterator(directory)) {
        if (holds_sweep(entry.path())) {
            sweeps.push_back(entry.path());
        }
    }
    std::ranges::sort(sweeps);
    CRESCENDO_VALIDATE(!sweeps.empty(), "",
                       "{}: neither this folder nor any folder in it holds a sweep; name the directory of a sweep, or "
                       "a folder of such directories",
                       directory.string());
    return sweeps;
}

}  // namespace crescendo::launch
