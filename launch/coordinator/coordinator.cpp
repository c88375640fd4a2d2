#include "launch/coordinator/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "launch/agent/agent_setup.hpp"
#include "launch/coordinator/trial_work.hpp"
#include "launch/messages/event_json.hpp"
#include "launch/messages/metrics_json.hpp"
#include "launch/messages/value_json.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {
namespace {

constexpr std::chrono::milliseconds patience_to_evaluate{600'000};

template <class ActionKind>
bool concerns(const Action& action, TrialId trial) {
    const auto* found = std::get_if<ActionKind>(&action);
    return found != nullptr && found->trial == trial;
}

/// Agents kill trainers that do not leave in time, and are to have the time to say so.
std::chrono::seconds patience_to_leave() { return save_timeout_of_environment() + std::chrono::seconds(10); }

std::string problem_of(const CheckpointFailed& notice) {
    return fmt::format("trial {}: {}", notice.trial.value, notice.message);
}

}  // namespace

Coordinator::Coordinator(const SweepFile& file, const SweepDirectory& directory, Journal& journal, History& history,
                         Transport& transport, LiveView& view, SweepLock* lock, std::vector<Json> opening)
    : file_(file),
      directory_(directory),
      journal_(journal),
      history_(history),
      transport_(transport),
      view_(view),
      lock_(lock),
      opening_(std::move(opening)),
      slots_(transport.slots()),
      health_(transport.slots()) {}

Outcome Coordinator::run(const StopSignals& signals, std::optional<Seconds> deadline) {
    begin_session();
    while (history_.sweep().state() == SweepState::running) {
        if (stop_requested(signals) || is_over(deadline)) {
            drain();
            return Outcome::interrupted;
        }
        if (deadline) {
            look_ahead(*deadline);
        }
        turn();
        view_.update(history_, wall_clock());
        if (hopeless_ && history_.sweep().state() == SweepState::running) {
            drain();
            return Outcome::hopeless;
        }
    }
    finish();
    return history_.sweep().state() == SweepState::failed ? Outcome::failed : Outcome::finished;
}

void Coordinator::begin_session() {
    batch_.emplace_back(session_note(wall_clock(), host_name(), slots_.size()));
    // What the last session's slots were doing is waiting to be taken up on ours.
    if (history_.sweep().num_slots() > 0) {
        record(SlotsLost{history_.sweep().slots()});
    }
    for (auto& record : std::exchange(opening_, {})) {
        batch_.emplace_back(std::move(record));
    }
    for (const auto& trial : history_.sweep().trials()) {
        if (!trial.is_proposed) {
            record_config(trial.id);  // a crash lost it, or the journal is old
        }
    }
    commit();
    if (history_.sweep().state() == SweepState::running) {
        record(SlotsJoined{transport_.slots()});
        commit();
    }
}

void Coordinator::turn() {
    auto notices = receive(view_.period());
    if (std::ranges::any_of(notices, [](const auto& each) { return std::holds_alternative<WorkerFailed>(each); })) {
        directory_.require_writable();  // else it may well be what they died of, and the next ones would too
    }
    for (auto& notice : notices) {
        std::visit([this](auto& each) { take(each); }, notice);
    }
    if (file_.time_budget && history_.elapsed() + (wall_clock() - history_.last_time()) >=
                                 std::chrono::duration<double>(*file_.time_budget).count()) {
        record(TimeUp{});
    }
    commit();
    drop_obsolete_checkpoints();
}

std::vector<Notice> Coordinator::receive(std::chrono::milliseconds timeout) {
    if (lock_ != nullptr) {
        lock_->beat();
    }
    return transport_.receive(timeout);
}

bool Coordinator::stop_requested(const StopSignals& signals) {
    if (signals.requested() != nullptr) {
        view_.say(fmt::format("{}: saving what runs", signals.requested()));
        return true;
    }
    // Not every turn: there may be thousands in a second, and metadata servers are slow.
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) {
        return false;
    }
    next_look_ = now + std::chrono::milliseconds(250);
    if (std::filesystem::exists(directory_.stop_request())) {
        view_.say("asked to stop: saving what runs");
        return true;
    }
    return false;
}

bool Coordinator::is_over(std::optional<Seconds> deadline) {
    const bool all_gave_way = history_.sweep().deadline_is_near() && groups_.empty();
    if (!deadline || (wall_clock() < *deadline && !all_gave_way)) {
        return false;
    }
    view_.say("the job's time is nearly up: saving what runs");
    return true;
}

/// A trainer saves at any moment, but a program's checkpoints are its own, at its reports: what it would do between the
/// last of them and the deadline is better not begun.
void Coordinator::look_ahead(Seconds deadline) {
    if (!file_.command || history_.sweep().deadline_is_near()) {
        return;
    }
    if (const auto seconds = history_.seconds_per_report(); seconds && wall_clock() + *seconds > deadline) {
        view_.say("the job's time is nearly up: no program begins what it could not finish");
        record(DeadlineNear{});
    }
}

void Coordinator::take(TrialMetrics& notice) {
    if (!groups_.has(notice.trial)) {
        return;  // its group has failed in this very turn
    }
    const auto& spec = history_.sweep().spec();
    const auto metric = notice.metrics.find(spec.metric);
    if (notice.resource.value < 1) {
        fail(notice.trial, FailureKind::error, {},
             fmt::format("it reported the resource {}, but resources count from 1", notice.resource.value));
    } else if (metric == notice.metrics.end()) {
        fail(notice.trial, FailureKind::error, {},
             fmt::format("it reported {} without '{}', which is the sweep's metric.name",
                         to_json(notice.metrics).dump(), spec.metric));
    } else if (notice.resource <= last_resource(notice.trial)) {
        tell_to_go_on(notice.trial);  // a resumed trial repeats what its checkpoint holds: known already
    } else {
        groups_.note_report(notice.trial);
        if (health_.has_doubts()) {
            health_.note_progress(groups_.members(notice.trial));
        }
        watch_for_identical_reports(notice);
        reported_[notice.trial] = notice.resource;
        const TrialReported event{notice.trial, notice.resource, to_loss(spec.goal, metric->second)};
        batch_.emplace_back(ReportRecord{event, wall_clock(), std::move(notice.metrics), notice.data_wait});
    }
}

void Coordinator::watch_for_identical_reports(const TrialMetrics& notice) {
    const auto& trial = history_.sweep().trial(notice.trial);
    if (identical_reports_.is_done() || trial.resource.value > 0 || reported_.contains(notice.trial)) {
        return;
    }
    if (identical_reports_.note(trial.config, notice.resource, notice.metrics)) {
        view_.say(
            "three trials with different parameters report the same numbers, to the last digit: does the program use "
            "its parameters?");
    }
}

/// Of the trial's reports, with those of this turn.
Resource Coordinator::last_resource(TrialId trial) const {
    const auto reported = reported_.find(trial);
    return reported == reported_.end() ? history_.sweep().trial(trial).resource : reported->second;
}

void Coordinator::take(const ProgramEnded& notice) {
    groups_.forget(notice.trial);  // whatever its last report leads to: there is nobody left to be told
    record(TrialFinished{notice.trial});
}

void Coordinator::take(const WorkerFailed& notice) {
    commit();  // what came before may have given its trial another group
    const bool is_member = groups_.is_member(notice.trial, notice.slot);
    groups_.note_death(notice.trial, notice.slot);
    if (is_member) {
        fail(notice.trial, notice.kind, notice.slot, notice.message, notice.fault);
        const auto& trials = history_.sweep().trials();
        const auto count = [&](const auto& fits) { return static_cast<int>(std::ranges::count_if(trials, fits)); };
        const SlotHealth::Record record{count([](const Trial& trial) { return trial.resource.value > 0; }),
                                        count([](const Trial& trial) { return trial.failures > 0; })};
        const auto bad = health_.note_failure(notice.slot, notice.trial, record);
        if (!bad.empty()) {
            leave_out(bad);
        }
    }
    resume_held_back();
}

/// For this session; their agent stays, with idle workers there.
void Coordinator::leave_out(const std::set<SlotId>& slots) {
    std::string list;
    for (const auto slot : slots) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", slot.value);
    }
    view_.say(fmt::format(
        "slot{} {} of node {} {} left out: one trial after the other failed there, and nothing else happened; look "
        "after the GPU or the node, a resumed sweep uses {} again",
        slots.size() == 1 ? "" : "s", list, slots_.node_of(*slots.begin()).value, slots.size() == 1 ? "is" : "are",
        slots.size() == 1 ? "it" : "them"));
    for (const auto& trial : history_.sweep().trials()) {
        const auto& group = trial.group.slots;
        if (!group.empty() && std::ranges::all_of(group, [&](SlotId slot) { return slots.contains(slot); })) {
            dismiss(trial.id, /*save=*/true);
        }
    }
    batch_.emplace_back(left_out_note(wall_clock(), slots));
    record(SlotsLost{{slots.begin(), slots.end()}});
    commit();
}

/// The one on `slot`, or the whole group. Decided at once: the next notice may come from a group that has changed.
void Coordinator::fail(TrialId trial, FailureKind kind, std::optional<SlotId> slot, const std::string& message,
                       ProgramFault fault) {
    prospects_.note(fault, history_.sweep());
    kind = kind_after(history_, trial, kind, message);
    view_.say(fmt::format("trial {} {}: {}", trial.value, verb_of(kind), message));
    if (!slot) {
        dismiss(trial, /*save=*/false);
    }
    record(TrialFailed{trial, kind, slot}, {{"message", message}});
    commit();
}

void Coordinator::take(const StoreRequest& notice) {
    for (const auto& each : rendezvous_.handle(notice)) {
        transport_.send(slots_.node_of(each.slot), each);
    }
}

void Coordinator::take(const GroupFormed& notice) {
    if (groups_.note_formed(notice.trial, notice.generation)) {
        batch_.emplace_back(regroup_note(wall_clock(), notice.trial, notice.generation, notice.seconds));
    }
}

void Coordinator::take(const LeftTrial& notice) {
    groups_.note_departure(notice.trial, notice.slot);
    resume_held_back();
}

void Coordinator::take(const TrialEvaluated& notice) { evaluated_ = notice; }

/// What it trained goes on elsewhere: in memory where a group has members on other nodes, else from its checkpoint.
void Coordinator::take(const AgentLost& notice) {
    view_.say(fmt::format("node {} is lost: {}", notice.node.value, notice.reason));
    const auto lost = slots_.slots_of(notice.node);
    std::erase_if(down_, [&](const auto& each) { return lost.contains(each.first); });
    lose(lost);
}

/// With the workers on them. What they trained goes on elsewhere.
void Coordinator::lose(const std::set<SlotId>& slots) {
    commit();
    groups_.lose(slots);
    health_.note_lost(slots);
    record(SlotsLost{{slots.begin(), slots.end()}});
    commit();
    resume_held_back();
    require_slots();
}

/// The slot is lost until a trainer can be started there. That is said once.
void Coordinator::take(const SlotDown& notice) {
    down_[notice.slot] = notice;
    if (notice.num_retries > 0) {
        require_slots();
        return;
    }
    view_.say(fmt::format("slot {} of node {} is out of use: {}; it is tried again, less and less often",
                          notice.slot.value, slots_.node_of(notice.slot).value, notice.message));
    lose({notice.slot});
}

void Coordinator::take(const SlotUp& notice) {
    if (down_.erase(notice.slot) == 0 || history_.left_out().contains(notice.slot)) {
        return;
    }
    view_.say(fmt::format("slot {} is in use again", notice.slot.value));
    const auto node = slots_.node_of(notice.slot);
    health_.note_joined(notice.slot, node);
    record(SlotsJoined{{{notice.slot, node}}});
}

/// While there are others, a slot may be tried for ever; once there is none, each has two more attempts.
void Coordinator::require_slots() const {
    constexpr int enough = 2;
    const bool may_come_back =
        std::ranges::any_of(down_, [](const auto& each) { return each.second.num_retries < enough; });
    if (history_.sweep().state() == SweepState::running && history_.sweep().num_slots() == 0 && !down_.empty() &&
        !may_come_back) {
        throw std::runtime_error(
            fmt::format("no trainer can be started on any slot, and nothing runs: {}; resume the "
                        "sweep once that is fixed",
                        down_.begin()->second.message));
    }
}

/// Where all members lost touch with each other and none is dead, they come together again.
void Coordinator::take(const WorkerStranded& notice) {
    constexpr int most = 3;
    if (!groups_.note_stranded(notice.trial, notice.slot, notice.generation)) {
        return;  // whoever broke the group is about to be known
    }
    if (groups_.num_strandings(notice.trial) > most) {
        fail(notice.trial, FailureKind::crash, {},
             fmt::format("its workers lost each other {} times without a report, and none has died; the network "
                         "between them may be broken",
                         groups_.num_strandings(notice.trial)));
        return;
    }
    view_.say(fmt::format("trial {}: its workers lost each other, and come together again", notice.trial.value));
    join(notice.trial, history_.sweep().trial(notice.trial).group, StateSource::memory);
}

/// On a full disk all would fail in turn; resumed once it is mended, none has.
void Coordinator::take(const CheckpointFailed& notice) { throw DirectoryError(problem_of(notice)); }

void Coordinator::record(const Event& event, const Json& details) {
    Json content = launch::to_json(event);
    content["time"] = wall_clock();
    content.update(details);
    batch_.emplace_back(std::move(content));
}

/// It waits for the next sync and makes none of its own: should a crash lose it, the sweep's file, which has to be the
/// same, gives the same configuration again.
void Coordinator::record_config(TrialId trial) {
    batch_.emplace_back(ProposalRecord{{trial, history_.sweep().trial(trial).config}, wall_clock()});
}

/// Journal first, then decide: what was answered is on disk.
void Coordinator::commit() {
    if (batch_.empty()) {
        return;
    }
    for (const auto& each : batch_) {
        if (const auto* content = std::get_if<Json>(&each)) {
            journal_.append(*content);
        } else if (const auto* report = std::get_if<ReportRecord>(&each)) {
            journal_.append_members(members_of(*report));
        } else {
            journal_.append_members(members_of(std::get<ProposalRecord>(each)));
        }
    }
    journal_.sync();
    reported_.clear();
    for (auto& each : std::exchange(batch_, {})) {
        std::visit([this](auto& record) { take_effect(record); }, each);
    }
}

void Coordinator::take_effect(const Json& record) {
    const auto actions = history_.apply(record);
    if (record.value("event", "") == "trial_failed") {
        hopeless_ = hopeless_ || prospects_.are_hopeless(history_.sweep());
    }
    perform_all(actions);
}

void Coordinator::take_effect(ReportRecord& record) {
    const auto report = record.event;
    const auto actions = history_.apply(std::move(record));
    perform_all(actions);
    answer(report, actions);
}

void Coordinator::take_effect(const ProposalRecord& record) { perform_all(history_.apply(record)); }

void Coordinator::perform_all(const std::vector<Action>& actions) {
    for (const auto& action : actions) {
        std::visit([this](const auto& each) { perform(each); }, action);
    }
}

/// Whoever reported waits for an answer. Stopping or regrouping is one; else it goes on.
void Coordinator::answer(const TrialReported& report, const std::vector<Action>& actions) {
    const bool answered = std::any_of(actions.begin(), actions.end(), [&](const Action& action) {
        return concerns<StopTrial>(action, report.trial) || concerns<PauseTrial>(action, report.trial) ||
               concerns<Regroup>(action, report.trial);
    });
    if (!answered && history_.sweep().trial(report.trial).status == TrialStatus::running) {
        tell_to_go_on(report.trial);
    }
}

void Coordinator::tell_to_go_on(TrialId id) {
    const auto& group = history_.sweep().trial(id).group;
    const GoOn order{id, group.batch_multiple, history_.sweep().next_milestone(id)};
    for (const auto node : slots_.nodes_of(group.slots)) {
        transport_.send(node, order);
    }
}

void Coordinator::perform(const StartTrial& action) {
    if (!history_.sweep().trial(action.trial).is_proposed) {
        record_config(action.trial);
    }
    if (hopeless_) {
        return;  // the next session resumes it
    }
    prepare_directory(action.trial);
    join(action.trial, action.group, StateSource::fresh);
}

/// No disk is waited for here, since thousands of trials may start at once. What a crash of the machine spoils is
/// written again when the trial is resumed.
void Coordinator::prepare_directory(TrialId trial) const {
    const auto directory = directory_.trial(trial);
    std::filesystem::create_directories(directory);
    write_atomically(directory / "params.json", launch::to_json(history_.sweep().trial(trial).config).dump(2) + "\n",
                     Durability::none);
}

void Coordinator::perform(const ResumeTrial& action) {
    if (hopeless_) {
        return;
    }
    prepare_directory(action.trial);
    if (groups_.is_leaving(action.trial)) {
        groups_.hold_back(action.trial, action.group);
    } else {
        join(action.trial, action.group, StateSource::checkpoint);
    }
}

void Coordinator::perform(const Regroup& action) {
    if (groups_.is_held_back(action.trial)) {
        groups_.hold_back(action.trial, action.group);  // it has lost workers before it came together
    } else if (groups_.has(action.trial)) {
        join(action.trial, action.group, StateSource::memory);
        groups_.note_regrouping(action.trial);
    }
}

/// The checkpoint of this report is there already: it was written before the report was sent.
void Coordinator::perform(const PauseTrial& action) { dismiss(action.trial, /*save=*/false); }

/// Only the winner's latest state is worth writing: whoever else is stopped has no use for it.
void Coordinator::perform(const StopTrial& action) {
    dismiss(action.trial, action.reason == StopReason::swept && history_.sweep().best() == action.trial);
}

void Coordinator::perform(const DropCheckpoint& action) { obsolete_.insert(action.trial); }

/// But those that a trainer may still be writing: it has not left the trial yet.
void Coordinator::drop_obsolete_checkpoints() {
    std::erase_if(obsolete_, [this](TrialId trial) {
        if (groups_.is_leaving(trial)) {
            return false;
        }
        std::error_code ignored;  // it may never have had one
        std::filesystem::remove(directory_.checkpoint(trial), ignored);
        return true;
    });
}

void Coordinator::perform(const FinishSweep&) {}

void Coordinator::resume_held_back() {
    while (const auto ready = groups_.take_ready()) {
        join(ready->first, ready->second, StateSource::checkpoint);
    }
}

void Coordinator::join(TrialId trial, const Group& group, StateSource state) {
    rendezvous_.forget(trial);
    const auto leavers = groups_.form(trial, group);
    const auto nodes = slots_.nodes_of(group.slots);
    for (const auto node : slots_.nodes_of(leavers)) {
        if (!nodes.contains(node)) {  // else the agent sees itself who is a member no longer
            transport_.send(node, LeaveTrial{trial, /*save=*/false});
        }
    }
    for (const auto node : nodes) {
        JoinGroup order;
        order.work = work_of(trial, history_.sweep(), file_, directory_);
        order.generation = group.generation;
        order.size = static_cast<int>(group.slots.size());
        order.state = state;
        order.batch_multiple = group.batch_multiple;
        order.accumulation = group.accumulation;
        order.checkpoint_at = history_.sweep().next_milestone(trial);
        order.reported = history_.sweep().trial(trial).resource;
        for (std::size_t rank = 0; rank < group.slots.size(); ++rank) {
            if (slots_.node_of(group.slots[rank]) == node) {
                order.members.push_back({group.slots[rank], static_cast<int>(rank)});
            }
        }
        transport_.send(node, order);
    }
}

void Coordinator::dismiss(TrialId trial, bool save) {
    rendezvous_.forget(trial);
    for (const auto node : slots_.nodes_of(groups_.dismiss(trial))) {
        transport_.send(node, LeaveTrial{trial, save});
    }
}

/// Everything that runs writes its checkpoint and leaves. The journal needs no word of it: resuming
/// begins with the loss of this session's slots. Groups that still form keep their rendezvous: to save, they
/// have to come together first.
void Coordinator::drain() {
    groups_.drop_held_back();
    for (const auto trial : groups_.trials()) {
        for (const auto node : slots_.nodes_of(groups_.dismiss(trial))) {
            transport_.send(node, LeaveTrial{trial, /*save=*/true});
        }
    }
    await_departures();
    commit();  // configurations that no sync has taken along yet
}

void Coordinator::await_departures() {
    const auto deadline = std::chrono::steady_clock::now() + patience_to_leave();
    std::optional<std::string> problem;
    while (groups_.is_anybody_leaving() && std::chrono::steady_clock::now() < deadline) {
        for (const auto& notice : receive(std::chrono::milliseconds(100))) {
            if (const auto* left = std::get_if<LeftTrial>(&notice)) {
                if (!left->problem.empty()) {
                    view_.say(
                        fmt::format("trial {}: {}; what it saved before is kept", left->trial.value, left->problem));
                }
                take(*left);
            } else if (const auto* failed = std::get_if<WorkerFailed>(&notice)) {
                groups_.note_death(failed->trial, failed->slot);
            } else if (const auto* unsaved = std::get_if<CheckpointFailed>(&notice)) {
                groups_.note_death(unsaved->trial, unsaved->slot);
                problem = problem_of(*unsaved);
            } else if (const auto* lost = std::get_if<AgentLost>(&notice)) {
                groups_.lose(slots_.slots_of(lost->node));
            } else if (const auto* down = std::get_if<SlotDown>(&notice)) {
                groups_.lose({down->slot});
            } else if (const auto* request = std::get_if<StoreRequest>(&notice)) {
                take(*request);  // a group that was still forming may have to come together before it can leave
            }
        }
    }
    drop_obsolete_checkpoints();
    if (groups_.is_anybody_leaving()) {
        view_.say("some workers did not leave in time; what they saved before is kept");
    }
    if (problem) {
        throw DirectoryError(*problem);  // not all is saved, and it is to be said
    }
}

void Coordinator::finish() {
    commit();
    await_departures();
    const auto best = history_.sweep().best();
    const bool has_test_data =
        file_.trainer && file_.trainer->contains("data") && file_.trainer->at("data").contains("test");
    const bool is_measured = history_.test() && history_.test()->trial == best;
    if (best && has_test_data && !is_measured) {
        evaluate(*best);
    }
}

/// The test data are read once, for the trial that won on the validation data; once more where a sweep is extended and
/// another one wins.
void Coordinator::evaluate(TrialId best) {
    view_.say(fmt::format("measuring trial {} on the test data", best.value));
    const auto work = work_of(best, history_.sweep(), file_, directory_);
    const auto there = history_.sweep().slots();
    const auto slot = there.empty() ? slots_.first() : there.front();
    transport_.send(slots_.node_of(slot), EvaluateTrial{work, slot, history_.sweep().trial(best).resource,
                                                        work.directory + "/checkpoint.pt", "test"});
    const auto deadline = std::chrono::steady_clock::now() + patience_to_evaluate;
    while (!evaluated_ && std::chrono::steady_clock::now() < deadline) {
        for (const auto& notice : receive(view_.period())) {
            if (const auto* evaluated = std::get_if<TrialEvaluated>(&notice)) {
                take(*evaluated);
            }
        }
    }
    if (evaluated_ && evaluated_->error.empty()) {
        batch_.emplace_back(test_note(wall_clock(), best, evaluated_->metrics));
        commit();
    } else {
        view_.say(fmt::format("the test data could not be read: {}",
                              evaluated_ ? evaluated_->error : "no answer from the trainer"));
    }
}

}  // namespace crescendo::launch
