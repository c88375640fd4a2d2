#include "launch/directory/reopening.hpp"

#include <utility>

#include "core/check.hpp"
#include "launch/json/event_json.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

Reopening::Reopening(const RecordedSweep& recorded)
    : recorded_(recorded),
      changes_(recorded.history.limits_changes()),
      file_(recorded.file),
      sweep_(recorded.history.sweep()) {
    sweep_.apply(SlotsLost{sweep_.slots()});
    if (!recorded.frozen) {
        records_.push_back(
            file_note(journal_clock(), FrozenFile(file_.text, recorded.directory.sweep_file(), /*defaults=*/1)));
        return;
    }
    auto edits = recorded.frozen->edits(changes_, file_.text, recorded.directory.sweep_file());
    if (!edits.empty()) {
        change({std::move(edits), LimitsChange::Source::file});
    }
}

void Reopening::set(const std::vector<Override>& settings) {
    if (!settings.empty()) {
        change({settings, LimitsChange::Source::command});
    }
}

void Reopening::change(const LimitsChange& change) {
    changes_.push_back(change);
    file_ = recorded_.directory.read_sweep(limits_after(recorded_.frozen, changes_));
    try {
        apply(limits_record(change, file_, recorded_.history.elapsed(), journal_clock()));
    } catch (const InvalidInput& error) {
        throw InvalidInput(file_.source.located(error.key(), error.what()), error.key());
    }
}

int Reopening::retry_failed() {
    const auto where = recorded_.directory.path().string();
    const auto time_budget = file_.time_budget_seconds();
    CRESCENDO_VALIDATE(!time_budget || recorded_.history.elapsed() < *time_budget, "",
                       "{}: the time budget is used up, so no trial can be retried; raise it: --set budget.time=12h",
                       where);
    int num_failed = 0;
    int num_retried = 0;
    for (const auto& trial : recorded_.history.sweep().trials()) {
        if (trial.status == TrialStatus::failed) {
            ++num_failed;
            if (sweep_.can_retry(trial.id)) {
                ++num_retried;
                apply(record_of(TrialRetried{trial.id}, journal_clock()));
            }
        }
    }
    CRESCENDO_VALIDATE(num_failed > 0, "", "{}: no trial has failed, so there is none to retry", where);
    CRESCENDO_VALIDATE(num_retried > 0, "",
                       "{}: none of the {} failed trials can be retried: the other trials of their rungs were ranked "
                       "without them, and have continued or stopped; raise run_cap to train new ones",
                       where, num_failed);
    return num_failed - num_retried;
}

void Reopening::apply(Json record) {
    sweep_.apply(event_from_json(record));
    records_.push_back(std::move(record));
}

}  // namespace crescendo::launch
