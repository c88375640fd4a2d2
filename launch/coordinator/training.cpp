#include "launch/coordinator/training.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "launch/directory/metric_note.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/messages/likely_metric.hpp"
#include "launch/steering/steering.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

/// Rounds to four digits, which are exact enough and take few bytes in the journal. A result that is not a normal
/// number counts as not measured.
std::optional<double> rounded(std::optional<double> measure) {
    if (!measure) {
        return std::nullopt;
    }
    const auto text = fmt::format("{:.4g}", *measure);
    double number = 0;
    const auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
    const bool is_measure = error == std::errc{} && (number == 0 || std::isnormal(number));
    return is_measure ? std::optional(number) : std::nullopt;
}

/// Rounds to milliseconds, which are exact enough and take few bytes in the journal. Times too large to round are
/// dropped.
std::optional<double> in_milliseconds(std::optional<double> seconds) {
    const double rounded = std::round(seconds.value_or(std::nan("")) * 1000) / 1000;
    return std::isfinite(rounded) ? std::optional(rounded) : std::nullopt;
}

}  // namespace

Training::Training(const SweepFile& file, const SweepDirectory& directory, Decisions& decisions, Orders& orders,
                   LiveView& view, SessionEnd& end)
    : file_(file),
      directory_(directory),
      decisions_(decisions),
      orders_(orders),
      groups_(orders.groups()),
      view_(view),
      end_(end),
      time_budget_(file.time_budget_seconds()),
      inbox_(directory.requests()),
      usable_slots_(decisions, orders, view),
      report_watch_(file, directory) {
    if (file.command) {
        overwritten_files_.emplace(directory.working_directory(), std::filesystem::absolute(directory.path()));
    }
}

bool Training::begin_turn() {
    if (sweep().state() != SweepState::running) {
        decisions_.propose();  // it proposes nothing, but a sampler learns how the last trials ended
        return false;
    }
    if (decisions_.is_hopeless() || is_stopped()) {
        return false;
    }
    look_ahead();
    decisions_.propose();
    view_.update(decisions_.history(), journal_clock());  // else it would show a wait for proposals that are ready
    return sweep().state() == SweepState::running;
}

bool Training::is_stopped() {
    auto reason = end_.reason();
    if (!reason && sweep().deadline_is_near() && groups_.empty()) {
        reason = time_is_up;  // every program has left
    }
    if (reason) {
        view_.say(*reason);
    }
    return reason.has_value();
}

/// Makes programs leave at their last report before the deadline. A warm trainer can save at any time, but a program
/// saves only at its own reports, so work between its last report and the deadline would be lost.
void Training::look_ahead() {
    if (file_.has_warm_trainers() || sweep().deadline_is_near()) {
        return;
    }
    if (const auto seconds = decisions_.history().seconds_per_report(); seconds && end_.comes_within(*seconds)) {
        view_.say("the job's time is nearly up: no program starts what it cannot finish");
        decisions_.record(DeadlineNear{});
        decisions_.commit();
    }
}

void Training::end_turn() {
    const auto& history = decisions_.history();
    const double now = journal_clock();
    if (now - history.last_time() >= longest_silence) {
        decisions_.append(time_note(now));
    }
    if (time_budget_ && history.elapsed_at(now) >= *time_budget_) {
        decisions_.record(TimeUp{});
    }
    decisions_.commit();
    end_trials_out_of_time(now);
    obey_requests();
    say_if_all_are_held();
    orders_.clean_up(std::chrono::steady_clock::now() + longest_cleaning);
}

/// Reports of this turn take effect first.
void Training::end_trials_out_of_time(double now) {
    if (!file_.trial_time || sweep().state() != SweepState::running) {
        return;
    }
    const auto most = std::chrono::duration<double>(*file_.trial_time).count();
    for (const auto trial : groups_.trials()) {
        if (sweep().trial(trial).status == TrialStatus::running &&
            decisions_.history().running_seconds_at(trial, now) >= most) {
            view_.say(fmt::format("trial {} stops after holding slots for {} s (trial_time)", trial.value, most));
            decisions_.record(TrialTimeUp{trial});
        }
    }
    decisions_.commit();
}

void Training::say_if_all_are_held() {
    const bool were_held = std::exchange(all_are_held_, sweep().waits_for_release());
    if (all_are_held_ && !were_held) {
        const auto directory = shell_quoted(directory_.path());
        view_.say(fmt::format("{}; `crescendo stop {}` ends the session", held_hint(sweep(), directory), directory));
    }
}

/// Requests take effect one by one. A flood of them gets only a part of the time, so that reports are still answered.
void Training::obey_requests() {
    constexpr std::chrono::milliseconds longest{20};
    const auto end = std::chrono::steady_clock::now() + longest;
    while (sweep().state() == SweepState::running && std::chrono::steady_clock::now() < end) {
        const auto arrived = inbox_.next();
        if (!arrived) {
            return;
        }
        inbox_.answer(arrived->name, answer_to(*arrived));
    }
}

Answer Training::answer_to(const RequestInbox::Arrived& arrived) {
    if (!arrived.request) {
        if (remarks_.insert(arrived.refusal).second) {
            view_.say(fmt::format("the request {} is refused: {}", arrived.name, arrived.refusal));
        }
        return {false, arrived.refusal};
    }
    if (decisions_.history().has_done(arrived.name)) {
        return {true, "already done"};
    }
    try {
        auto steered = steer(*arrived.request, directory_, decisions_.history(), journal_clock());
        const bool is_decision = !steered.records.empty() && steered.records.front().contains("event");
        for (auto& record : steered.records) {
            record["request"] = arrived.name;
            decisions_.append(std::move(record));
        }
        decisions_.commit();
        if (steered.file) {
            time_budget_ = steered.file->time_budget_seconds();
            view_.change_time_budget(time_budget_);
        }
        if (is_decision) {
            view_.say(fmt::format("requested: {}", steered.text));
        }
        return {true, steered.text};
    } catch (const InvalidInput& error) {
        return {false, error.what()};
    }
}

void Training::take(protocol::Report& notice) {
    if (sweep().spec().metric.empty()) {
        choose_metric(notice.metrics);
    }
    if (!groups_.has(notice.trial)) {
        return;  // its group has failed in this turn
    }
    const auto& spec = sweep().spec();
    if (notice.resource.value < 1) {
        fail_by_report(notice.trial,
                       fmt::format("it reported resource {}, but resources count from 1; report the number of finished "
                                   "epochs, for example",
                                   notice.resource.value));
        return;
    }
    if (const auto metric = protocol::find_metric(notice.metrics, spec.metric); spec.metric.empty()) {
        fail_by_report(notice.trial,
                       "its report has no number, so there is nothing to optimize; report one, as in {\"resource\": 3, "
                       "\"metrics\": {\"val_loss\": 0.31}}");
    } else if (!metric) {
        fail({notice.trial, FailureKind::repeated_error}, problem_of(notice.metrics, spec.metric));
    } else if (notice.resource <= decisions_.last_resource(notice.trial)) {
        note_restart(notice.trial, /*is_repeated=*/true);
        orders_.go_on(notice.trial);  // a resumed trial repeats reports up to its checkpoint
    } else {
        record_report(notice, to_loss(spec.goal, *metric));
    }
}

void Training::record_report(protocol::Report& notice, double loss) {
    note_restart(notice.trial, /*is_repeated=*/false);
    groups_.note_report(notice.trial);
    usable_slots_.note_progress(notice.trial);
    for (const auto& remark : report_watch_.note(notice, loss, decisions_.last_resource(notice.trial), sweep())) {
        view_.say(remark);
    }
    const double now = journal_clock();
    notice.seconds = in_milliseconds(notice.seconds);
    if (!notice.seconds) {
        notice.seconds = in_milliseconds(decisions_.history().clock_at(notice.trial, now));
    }
    notice.evaluated = in_milliseconds(notice.evaluated);
    notice.step_seconds = rounded(notice.step_seconds);
    notice.noise_scale = rounded(notice.noise_scale);
    decisions_.record(ReportRecord{std::move(notice), loss, now});
}

/// Chooses the metric if the file names none. The choice is on disk before any report is. From then on it is part of
/// the file, for this session and for resumed ones.
void Training::choose_metric(const protocol::Metrics& reported) {
    const auto names = mapped(reported, [](const auto& each) { return each.first; });
    if (names.empty()) {
        return;
    }
    const auto& name = likely_metric(names);
    const auto goal = likely_goal(name);
    directory_.require_writable();
    directory_.write_run(with_metric(directory_.read_run(), name, goal));
    const auto frozen = FrozenFile::recorded_in(directory_.journal());
    decisions_.read_again(read_first_file(directory_, frozen).spec, directory_.journal());
    view_.say(fmt::format("the sweep {}s {}, chosen from the first report ({}), because its file names no metric",
                          goals.of(goal), name, fmt::join(names, ", ")));
}

/// Notes the first report of a program that was restarted with another group. The restart ends with the report that the
/// program repeats. If it repeats none, only the start of its process is known.
void Training::note_restart(TrialId trial, bool is_repeated) {
    if (const auto restart = groups_.take_restart(trial)) {
        const double now = journal_clock();
        const double end = is_repeated ? now : restart->started;
        record_regroup({trial, sweep().trial(trial).group.generation, end - restart->decided});
    }
}

/// The trial's rank 0 has ended with success; the other members, if any, have a few seconds to do the same.
void Training::take(const ProgramEnded& notice) {
    decisions_.commit();  // an earlier report may have completed the trial
    if (sweep().trial(notice.trial).status != TrialStatus::running) {
        return;  // its last report has paused it, or the user has stopped it
    }
    if (const auto members = groups_.members(notice.trial); !members.empty()) {
        groups_.note_death(notice.trial, members.front());
    }
    orders_.dismiss(notice.trial, /*save=*/false);  // also drops a group from its last report that has not begun
    decisions_.record(TrialFinished{notice.trial});
    look_at_files(notice.trial);
}

void Training::look_at_files(TrialId ended) {
    if (!overwritten_files_) {
        return;
    }
    if (const auto remark = overwritten_files_->note_end(ended, groups_.at_work())) {
        view_.say(*remark);
    }
}

/// The text after the first semicolon is specific to the trial: its last words.
void Training::take(const ProgramRemark& notice) {
    if (remarks_.insert(notice.message.substr(0, notice.message.find(';'))).second) {
        view_.say(fmt::format("trial {}: {}", notice.trial.value, notice.message));
    }
}

void Training::take(const WorkerFailed& notice) {
    directory_.require_writable();  // an unwritable disk is a likely cause, and the next workers would fail too
    decisions_.commit();            // earlier notices may have changed the trial's group
    const bool is_member = groups_.is_member(notice.trial, notice.slot);
    groups_.note_death(notice.trial, notice.slot);
    if (is_member) {
        const auto lost = file_.grow == GrowMode::none && file_.command ? std::nullopt : std::optional(notice.slot);
        const TrialFailed told{.trial = notice.trial, .kind = notice.kind, .slot = lost, .suspect = notice.slot};
        fail(failure_after(decisions_.history(), told, notice.message), notice.message, notice.fault);
        usable_slots_.note_failure(notice);
    }
    orders_.resume_held_back();
}

/// Decides at once, because the next notice may come from a group that has changed.
void Training::fail(const TrialFailed& failure, const std::string& message, ProgramFault fault) {
    view_.say(fmt::format("trial {} {}: {}", failure.trial.value, verb_of(failure.kind),
                          told_failures_.words_for(failure.trial, message)));
    if (!failure.slot) {
        orders_.dismiss(failure.trial, /*save=*/false);
    }
    decisions_.record(failure, message, fault);
    decisions_.commit();
}

/// Fails a trial whose report is unusable, whatever the slot.
void Training::fail_by_report(TrialId trial, const std::string& message) {
    fail(failure_after(decisions_.history(), {trial, FailureKind::error}, message), message);
}

/// Records the regroup as an event. The same record is also a note, with the phases, which the scheduler does not use.
void Training::record_regroup(const protocol::Regrouped& notice) {
    Json details{{"note", "regrouped"}};
    for (const auto& [phase, seconds] : notice.phases) {
        if (const auto digits = rounded(seconds)) {
            details["phases"][phase] = *digits;
        }
    }
    const double seconds = rounded(std::max(0.0, notice.seconds)).value_or(0);
    decisions_.record(TrialRegrouped{notice.trial, notice.generation, seconds, rounded(notice.step_seconds)}, details);
}

void Training::take(const protocol::Regrouped& notice) {
    if (groups_.note_formed(notice.trial, notice.generation)) {
        record_regroup(notice);
    }
}

/// Only schedulers that grow groups early use it. The batch is recorded exactly, as in reports, because times of equal
/// batches are compared.
void Training::take(const protocol::Timed& notice) {
    if (!sweep().spec().scheduler.grows_early() || !groups_.has(notice.trial)) {
        return;
    }
    const auto& trial = sweep().trial(notice.trial);
    const Steps steps{rounded(notice.step_seconds), notice.group_batch, {}};
    const bool is_measured = steps.seconds && std::isfinite(notice.group_batch) && notice.group_batch >= 1;
    if (trial.resource.value == 0 && trial.group.generation == notice.generation && is_measured) {
        const auto samples = notice.samples_per_resource.value_or(0);
        const bool are_known = std::isfinite(samples) && samples > 0;
        decisions_.record(
            TrialTimed{notice.trial, notice.generation, steps, are_known ? notice.samples_per_resource : std::nullopt});
    }
}

/// Trials that leave without saving, as at a rung, have a checkpoint already or need none.
void Training::take(const LeftTrial& notice) {
    if (!notice.problem.empty() && orders_.is_to_save(notice.trial)) {
        view_.say(problem_of(notice));
    }
    groups_.note_departure(notice.trial, notice.slot);
    orders_.resume_held_back();
    look_at_files(notice.trial);
}

/// If all members lost contact with each other and none is dead, they meet again.
void Training::take(const WorkerStranded& notice) {
    constexpr int most = 3;
    if (!groups_.note_stranded(notice.trial, notice.slot, notice.generation)) {
        return;  // the member that broke the group will be reported soon
    }
    if (groups_.num_strandings(notice.trial) > most) {
        fail({notice.trial, FailureKind::crash},
             fmt::format("its workers lost contact with each other {} times without a report, and none has died; the "
                         "network between them may be broken, a firewall may block it (--interface names another "
                         "network), or one of them may do something alone, between two steps, for longer than a minute "
                         "or half of hang_timeout; trial {}'s trainer.log has their messages",
                         groups_.num_strandings(notice.trial), notice.trial.value));
        return;
    }
    view_.say(fmt::format("trial {}: its workers lost contact with each other, and reconnect", notice.trial.value));
    orders_.form_again(notice.trial);
}

/// On a full disk, all trials would fail in turn. Ending the session avoids that: none has failed when the sweep is
/// resumed after the cleanup.
void Training::take(const CheckpointFailed& notice) { throw DirectoryError(problem_of(notice)); }

}  // namespace crescendo::launch
