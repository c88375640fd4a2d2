#include "launch/directory/recorded_sweep.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/files/read_file.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/yaml/yaml_document.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* wandb_target = "metric.target";  // W&B's name for budget.target, which the file may use

/// The sweep's file, which could be read before, with the journal's changes.
SweepFile changed_file(const SweepDirectory& directory, const std::vector<Override>& changes) {
    try {
        return directory.read_sweep(changes);
    } catch (const InvalidInput& error) {
        throw InvalidInput(
            fmt::format("{}: changes a setting in a way that this crescendo does not know: {}; if a newer crescendo "
                        "wrote it, use that one, else restore the file from a copy",
                        directory.journal().string(), error.what()));
    }
}

}  // namespace

RecordedSweep::RecordedSweep(const std::filesystem::path& path, Reports kept, JobWatch* watch)
    : RecordedSweep(SweepDirectory::open(path), History::Purpose::look, kept, watch) {
    history.look(wall_clock(), holder.has_value());
}

RecordedSweep RecordedSweep::recover(const SweepDirectory& directory) {
    return {directory, History::Purpose::go_on, Reports::last, nullptr};
}

RecordedSweep::RecordedSweep(SweepDirectory of, History::Purpose purpose, Reports kept, JobWatch* watch)
    : directory(std::move(of)),
      holder(purpose == History::Purpose::look ? SweepLock::holder(directory, watch) : std::nullopt),
      frozen(FrozenFile::recorded_in(directory.journal())),
      file(read_first_file(directory, frozen)),
      history(file.spec, kept) {
    end = history.replay(directory.journal(), purpose);
    if (!history.limits_changes().empty()) {
        file = changed_file(directory, limits_after(frozen, history.limits_changes()));
    }
}

SweepFile read_first_file(const SweepDirectory& directory, const std::optional<FrozenFile>& frozen) {
    if (frozen) {
        frozen->require_same(read_regular_file(directory.sweep_file()), directory.sweep_file());
    }
    return directory.read_sweep(limits_after(frozen, {}));
}

std::vector<Override> limits_after(const std::optional<FrozenFile>& frozen, const std::vector<LimitsChange>& changes) {
    auto overrides = frozen ? frozen->beginning() : earlier_defaults(1);
    for (const auto& change : changes) {
        for (const auto& setting : change.settings) {
            if (setting.key == "budget.target") {
                overrides.push_back({wandb_target, {}});
            }
            overrides.push_back(setting);
        }
    }
    return overrides;
}

OrderedJson RecordedSweep::limits() const {
    auto document = parse_yaml(file.text, directory.sweep_file().string()).root;
    for (const auto& each : limits_after(frozen, history.limits_changes())) {
        apply_override(each, document);
    }
    OrderedJson limits = OrderedJson::object();
    for (const auto& [key, value] : flat_keys(document)) {
        if (is_changeable(key) || key == wandb_target) {
            limits[key] = Json::parse(value);
        }
    }
    return limits;
}

TrialId chosen_trial(const RecordedSweep& sweep, std::optional<int> number, std::string_view otherwise) {
    const auto where = sweep.directory.path().string();
    const auto trial = number ? std::optional(TrialId{*number}) : sweep.history.sweep().best();
    CRESCENDO_VALIDATE(trial, "", "{}: {}, so {}", where, sweep.history.why_no_best(), otherwise);
    CRESCENDO_VALIDATE(sweep.history.sweep().has(*trial), "--trial",
                       "{} has no trial {}; `crescendo trials {}` lists them", where, trial->value,
                       shell_quoted(where));
    return *trial;
}

const Trial& known_trial(const Sweep& sweep, TrialId id) {
    CRESCENDO_VALIDATE(sweep.has(id), "",
                       "trial {} has not started: the sweep has started {} trials, numbered from 0; `crescendo trials` "
                       "lists them",
                       id.value, sweep.trials().size());
    return sweep.trial(id);
}

}  // namespace crescendo::launch
