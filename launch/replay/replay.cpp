#include "launch/replay/replay.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "core/check.hpp"
#include "launch/files/csv_file.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/journal.hpp"
#include "launch/sweep_file/command/nested_config.hpp"

namespace crescendo::launch {
namespace {

class Comparer {
  public:
    Comparer(const SweepFile& file, const SweepDirectory& directory)
        : directory_(directory),
          waits_for_decisions_(!file.supervision.report),
          replay_{History(file.spec, Reports::curves), 0, 0, {}} {}

    Replay run() {
        bool is_too_far = false;
        replay_.history.replay(directory_.journal(), History::Purpose::look,
                               [&](const Journal::Line& line) { is_too_far = is_too_far || !take(line.json()); });
        check_configs();
        check_results();
        return std::move(replay_);
    }

  private:
    /// Returns false if this sweep differs so much from the recorded one that the rest of the journal is useless.
    bool take(const Json& record) {
        check_alive(record);
        check_regroup(record);
        replay_.num_events += record.contains("event") ? 1 : 0;
        try {
            for (const auto& action : replay_.history.apply(record)) {
                ++replay_.num_actions;
                if (const auto* regroup = std::get_if<Regroup>(&action)) {
                    regroups_.insert({regroup->trial, regroup->group.generation});
                }
            }
        } catch (const InvalidInput& error) {
            differ(record, error.what());
            return false;
        }
        return true;
    }

    void differ(const Json& record, const std::string& what) {
        replay_.differences.push_back(
            fmt::format("{}:{}: {}", directory_.journal().string(), record.at("n").get<int>() + 1, what));
    }

    /// Checks that the record's trial was running: only a trial that was told to continue can report, unless the
    /// sweep's end crossed its message. A program that gets no decisions may have printed more before it was ended.
    void check_alive(const Json& record) {
        const auto& sweep = replay_.history.sweep();
        const auto event = record.value("event", "");
        const bool is_from_trial = event == "trial_finished" || event == "trial_failed" || event == "trial_timed" ||
                                   (event == "trial_reported" && waits_for_decisions_);
        if (!is_from_trial || sweep.state() != SweepState::running) {
            return;
        }
        const TrialId trial{record.at("trial")};
        const bool is_known = sweep.has(trial);
        if (!is_known || sweep.trial(trial).status != TrialStatus::running) {
            const auto* status = is_known ? to_string(sweep.trial(trial).status) : "unknown";
            differ(record, fmt::format("trial {} was running, but is {} now", trial.value, status));
        }
    }

    void check_regroup(const Json& record) {
        const bool is_regroup =
            record.value("event", "") == "trial_regrouped" || record.value("note", "") == "regrouped";
        if (is_regroup && !regroups_.contains({TrialId{record.at("trial")}, record.at("generation")})) {
            differ(record, fmt::format("trial {} got group {}, but no decision orders it now",
                                       record.at("trial").dump(), record.at("generation").dump()));
        }
    }

    void check_configs() {
        for (const auto& trial : replay_.history.sweep().trials()) {
            const auto path = directory_.parameters(trial.id);
            if (is_there(path) && !has_values(Json::parse(read_regular_file(path)), trial.config)) {
                replay_.differences.push_back(
                    fmt::format("{}: the trial has a different configuration now", path.string()));
            }
        }
    }

    void check_results() {
        const auto path = directory_.results();
        if (replay_.history.sweep().state() == SweepState::running || !is_there(path)) {
            return;
        }
        try {
            if (!has_same_results(path)) {
                replay_.differences.push_back(fmt::format("{}: the sweep has different results now", path.string()));
            }
        } catch (const InvalidInput& error) {
            replay_.differences.emplace_back(error.what());
        }
    }

    /// Whether trials ended in the same way and at the same resource, which are the first columns. Costs are no
    /// decisions.
    bool has_same_results(const std::filesystem::path& path) const {
        CsvFile rows(path);
        for (const auto& trial : replay_.history.sweep().trials()) {
            if (!rows.next() || rows.text(0) != std::to_string(trial.id.value) ||
                rows.text(1) != to_string(trial.status) || rows.text(2) != std::to_string(trial.resource.value)) {
                return false;
            }
        }
        return !rows.next();
    }

    const SweepDirectory& directory_;
    bool waits_for_decisions_;  ///< whether trials wait after a report until they are told to continue
    Replay replay_;
    std::set<std::pair<TrialId, int>> regroups_;  // regroups that were ordered
};

}  // namespace

Replay replay(const SweepFile& file, const SweepDirectory& directory) { return Comparer(file, directory).run(); }

}  // namespace crescendo::launch
