#include "launch/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.hpp"
#include "launch/command_macros.hpp"
#include "launch/event_json.hpp"
#include "launch/node_resources.hpp"
#include "launch/value_json.hpp"
#include "launch/wall_clock.hpp"

namespace crescendo::launch {
namespace {

constexpr std::chrono::milliseconds patience_to_save{60'000};
constexpr std::chrono::milliseconds patience_to_evaluate{600'000};

const char* name_of(FailureKind kind) {
    switch (kind) {
        case FailureKind::crash:
            return "crashed";
        case FailureKind::error:
            return "gave up";
        case FailureKind::out_of_memory:
            return "ran out of memory";
    }
    return "";
}

/// 31 bits, which every program's generator takes. A stream apart from that of the configurations.
std::uint64_t trial_seed(std::uint64_t sweep_seed, TrialId trial) {
    constexpr std::uint64_t domain = std::uint64_t{1} << 32;
    return CounterRandom(sweep_seed, domain + static_cast<std::uint64_t>(trial.value)).next() >> 33;
}

template <class ActionKind>
bool concerns(const Action& action, TrialId trial) {
    const auto* found = std::get_if<ActionKind>(&action);
    return found != nullptr && found->trial == trial;
}

}  // namespace

Coordinator::Coordinator(const SweepFile& file, const SweepDirectory& directory, Journal& journal, History& history,
                         Transport& transport, LiveView& view)
    : file_(file), directory_(directory), journal_(journal), history_(history), transport_(transport), view_(view) {
    for (const auto& slot : transport.slots()) {
        node_of_slot_[slot.id] = slot.node;
    }
}

Outcome Coordinator::run(const StopSignals& signals) {
    begin_session();
    while (history_.sweep().state() == SweepState::running) {
        if (stop_requested(signals)) {
            drain();
            return Outcome::interrupted;
        }
        turn();
        view_.update(history_, wall_clock());
    }
    finish();
    return history_.sweep().state() == SweepState::failed ? Outcome::failed : Outcome::finished;
}

void Coordinator::begin_session() {
    batch_.push_back({session_note(wall_clock(), host_name(), static_cast<int>(node_of_slot_.size())), {}});
    if (history_.sweep().state() != SweepState::running) {
        commit();
        return;
    }
    // What the last session's slots were doing is waiting to be taken up on ours.
    if (history_.sweep().num_slots() > 0) {
        record(SlotsLost{history_.sweep().slots()});
    }
    record(SlotsJoined{transport_.slots()});
    commit();
}

void Coordinator::turn() {
    for (auto& notice : transport_.receive(view_.period())) {
        std::visit([this](auto& each) { take(each); }, notice);
    }
    if (file_.time_budget && history_.elapsed() + (wall_clock() - history_.last_time()) >=
                                 std::chrono::duration<double>(*file_.time_budget).count()) {
        record(TimeUp{});
    }
    commit();
}

bool Coordinator::stop_requested(const StopSignals& signals) {
    if (signals.requested() != nullptr) {
        view_.say(fmt::format("{}: saving what runs", signals.requested()));
        return true;
    }
    if (std::filesystem::exists(directory_.stop_request())) {
        view_.say("asked to stop: saving what runs");
        return true;
    }
    return false;
}

void Coordinator::take(TrialMetrics& notice) {
    if (!members_.contains(notice.trial)) {
        return;  // its group has failed in this very turn
    }
    const auto& spec = history_.sweep().spec();
    const auto metric = notice.metrics.find(spec.metric);
    if (notice.resource.value < 1) {
        fail(notice.trial, FailureKind::error,
             fmt::format("it reported the resource {}, but resources count from 1", notice.resource.value));
    } else if (metric == notice.metrics.end()) {
        fail(notice.trial, FailureKind::error,
             fmt::format("it reported {} without '{}', which is the sweep's metric.name",
                         to_json(notice.metrics).dump(), spec.metric));
    } else if (notice.resource <= last_resource(notice.trial)) {
        tell_to_go_on(notice.trial);  // a resumed trial repeats what its checkpoint holds: known already
    } else {
        reported_[notice.trial] = notice.resource;
        const TrialReported event{notice.trial, notice.resource, to_loss(spec.goal, metric->second)};
        batch_.push_back({{}, ReportRecord{event, wall_clock(), std::move(notice.metrics)}});
    }
}

/// Of the trial's reports, with those of this turn.
Resource Coordinator::last_resource(TrialId trial) const {
    const auto reported = reported_.find(trial);
    return reported == reported_.end() ? history_.sweep().trial(trial).resource : reported->second;
}

void Coordinator::take(const ProgramEnded& notice) {
    members_.erase(notice.trial);  // whatever its last report leads to: there is nobody left to be told
    record(TrialFinished{notice.trial});
}

void Coordinator::take(const WorkerFailed& notice) {
    if (is_current(notice.trial, notice.slot)) {
        fail(notice.trial, notice.kind, notice.message);
    }
    note_departure(notice.trial, notice.slot);  // it has gone already
}

/// One failure ends the whole group; what its other members have to say about it is not counted again.
void Coordinator::fail(TrialId trial, FailureKind kind, const std::string& message) {
    view_.say(fmt::format("trial {} {}: {}", trial.value, name_of(kind), message));
    dismiss(trial, /*save=*/false);
    members_.erase(trial);
    record(TrialFailed{trial, kind}, {{"message", message}});
}

void Coordinator::take(const StoreRequest& notice) {
    for (const auto& each : rendezvous_.handle(notice)) {
        transport_.send(node_of(each.slot), each);
    }
}

void Coordinator::take(const GroupFormed& notice) {
    if (regrouping_.erase(notice.trial) > 0) {
        batch_.push_back({regroup_note(wall_clock(), notice.trial, notice.generation, notice.seconds), {}});
    }
}

void Coordinator::take(const LeftTrial& notice) { note_departure(notice.trial, notice.slot); }

void Coordinator::take(const TrialEvaluated& notice) { evaluated_ = notice; }

/// What it trained goes on elsewhere, from its checkpoints; members on other nodes are let go.
void Coordinator::take(const AgentLost& notice) {
    view_.say(fmt::format("node {} is lost: {}", notice.node.value, notice.reason));
    SlotsLost lost;
    for (const auto& [slot, node] : node_of_slot_) {
        if (node == notice.node) {
            lost.slots.push_back(slot);
        }
    }
    const auto is_hit = [&](const auto& slots) { return nodes_of(slots).contains(notice.node); };
    std::erase_if(held_back_, [&](const auto& each) { return is_hit(each.second.slots); });
    for (const auto& [trial, slots] : members_) {
        if (is_hit(slots)) {
            dismiss(trial, /*save=*/false);
        }
    }
    std::erase_if(members_, [&](const auto& each) { return is_hit(each.second); });
    for (const auto& [trial, slot] : std::set(leaving_)) {
        if (node_of(slot) == notice.node) {
            note_departure(trial, slot);
        }
    }
    record(lost);
}

bool Coordinator::is_current(TrialId trial, SlotId slot) const {
    const auto members = members_.find(trial);
    return members != members_.end() &&
           std::find(members->second.begin(), members->second.end(), slot) != members->second.end();
}

void Coordinator::record(const Event& event, const Json& details) {
    auto content = launch::to_json(event);
    content["time"] = wall_clock();
    content.update(details);
    batch_.push_back({std::move(content), {}});
}

/// Journal first, then decide: what was answered is on disk.
void Coordinator::commit() {
    if (batch_.empty()) {
        return;
    }
    for (const auto& each : batch_) {
        if (each.report) {
            journal_.append_members(members_of(*each.report));
        } else {
            journal_.append(each.content);
        }
    }
    journal_.sync();
    reported_.clear();
    for (auto& each : std::exchange(batch_, {})) {
        if (each.report) {
            const auto report = each.report->event;
            const auto actions = history_.apply_report(std::move(*each.report));
            perform_all(actions);
            answer(report, actions);
        } else {
            perform_all(history_.apply(each.content));
        }
    }
}

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
    for (const auto node : nodes_of(group.slots)) {
        transport_.send(node, order);
    }
}

void Coordinator::perform(const StartTrial& action) {
    prepare_directory(action.trial);
    join(action.trial, action.group, StateSource::fresh);
}

/// The configuration follows from the sweep's seed, so that no disk has to be waited for here: thousands of trials may
/// start at once. What a crash of the machine spoils is written again when the trial is resumed.
void Coordinator::prepare_directory(TrialId trial) const {
    const auto directory = directory_.trial(trial);
    std::filesystem::create_directories(directory);
    write_atomically(directory / "params.json", launch::to_json(history_.sweep().trial(trial).config).dump(2) + "\n",
                     Durability::none);
}

void Coordinator::perform(const ResumeTrial& action) {
    prepare_directory(action.trial);
    if (is_leaving(action.trial)) {
        held_back_[action.trial] = action.group;
    } else {
        join(action.trial, action.group, StateSource::checkpoint);
    }
}

void Coordinator::perform(const Regroup& action) {
    const auto members = members_.find(action.trial);
    if (members == members_.end()) {
        return;  // its group has failed in this very turn
    }
    regrouping_.insert(action.trial);
    // On a node that keeps a member the agent sees itself who is one no longer.
    const auto staying = nodes_of(action.group.slots);
    for (const auto slot : members->second) {
        if (std::find(action.group.slots.begin(), action.group.slots.end(), slot) == action.group.slots.end()) {
            leaving_.insert({action.trial, slot});
            if (!staying.contains(node_of(slot))) {
                transport_.send(node_of(slot), LeaveTrial{action.trial, /*save=*/false});
            }
        }
    }
    join(action.trial, action.group, StateSource::memory);
}

/// The checkpoint of this report is there already: it was written before the report was sent.
void Coordinator::perform(const PauseTrial& action) {
    dismiss(action.trial, /*save=*/false);
    members_.erase(action.trial);
}

/// Only the winner's latest state is worth writing: whoever else is stopped has no use for it.
void Coordinator::perform(const StopTrial& action) {
    dismiss(action.trial, action.reason == StopReason::swept && history_.sweep().best() == action.trial);
    members_.erase(action.trial);
}

void Coordinator::perform(const DropCheckpoint& action) {
    std::error_code ignored;  // it may never have had one
    std::filesystem::remove(directory_.checkpoint(action.trial), ignored);
}

void Coordinator::perform(const FinishSweep&) {}

void Coordinator::join(TrialId trial, const Group& group, StateSource state) {
    rendezvous_.forget(trial);
    members_[trial] = group.slots;
    for (const auto node : nodes_of(group.slots)) {
        JoinGroup order{work_of(trial), group.generation,     static_cast<int>(group.slots.size()),  {},
                        state,          group.batch_multiple, history_.sweep().next_milestone(trial)};
        for (std::size_t rank = 0; rank < group.slots.size(); ++rank) {
            if (node_of(group.slots[rank]) == node) {
                order.members.push_back({group.slots[rank], static_cast<int>(rank)});
            }
        }
        transport_.send(node, order);
    }
}

void Coordinator::dismiss(TrialId trial, bool save) {
    regrouping_.erase(trial);
    rendezvous_.forget(trial);
    held_back_.erase(trial);
    const auto members = members_.find(trial);
    if (members == members_.end()) {
        return;
    }
    send_leave(trial, members->second, save);
}

void Coordinator::send_leave(TrialId trial, const std::vector<SlotId>& slots, bool save) {
    for (const auto slot : slots) {
        leaving_.insert({trial, slot});
    }
    for (const auto node : nodes_of(slots)) {
        transport_.send(node, LeaveTrial{trial, save});
    }
}

bool Coordinator::is_leaving(TrialId trial) const {
    const auto first = leaving_.lower_bound({trial, SlotId{0}});
    return first != leaving_.end() && first->first == trial;
}

/// A trial that is resumed never meets its former self, which might still write its files.
void Coordinator::note_departure(TrialId trial, SlotId slot) {
    leaving_.erase({trial, slot});
    if (const auto held_back = held_back_.find(trial); held_back != held_back_.end() && !is_leaving(trial)) {
        join(trial, held_back->second, StateSource::checkpoint);
        held_back_.erase(trial);
    }
}

TrialWork Coordinator::work_of(TrialId trial) const {
    const auto& config = history_.sweep().trial(trial).config;
    TrialWork work;
    work.trial = trial;
    work.seed = trial_seed(file_.spec.seed, trial);
    work.directory = std::filesystem::absolute(directory_.trial(trial)).string();
    work.max_resource = file_.spec.scheduler.max;
    if (file_.trainer) {
        work.settings = *file_.trainer;
        for (const auto& [name, value] : config) {
            work.settings[name] = launch::to_json(value);
        }
    } else {
        work.command = expand_command(*file_.command, file_.program, config);
    }
    return work;
}

std::set<NodeId> Coordinator::nodes_of(const std::vector<SlotId>& slots) const {
    std::set<NodeId> nodes;
    for (const auto slot : slots) {
        nodes.insert(node_of(slot));
    }
    return nodes;
}

/// Everything that runs writes its checkpoint and leaves. The journal needs no word of it: resuming
/// begins with the loss of this session's slots. Groups that still form keep their rendezvous: to save, they
/// have to come together first.
void Coordinator::drain() {
    held_back_.clear();
    for (const auto& [trial, slots] : members_) {
        send_leave(trial, slots, /*save=*/true);
    }
    await_departures(patience_to_save);
}

void Coordinator::await_departures(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!leaving_.empty() && std::chrono::steady_clock::now() < deadline) {
        for (const auto& notice : transport_.receive(std::chrono::milliseconds(100))) {
            if (const auto* left = std::get_if<LeftTrial>(&notice)) {
                take(*left);
            } else if (const auto* failed = std::get_if<WorkerFailed>(&notice)) {
                leaving_.erase({failed->trial, failed->slot});
            } else if (const auto* request = std::get_if<StoreRequest>(&notice)) {
                take(*request);  // a group that was still forming may have to come together before it can leave
            }
        }
    }
}

void Coordinator::finish() {
    await_departures(patience_to_save);
    const auto best = history_.sweep().best();
    const bool has_test_data =
        file_.trainer && file_.trainer->contains("data") && file_.trainer->at("data").contains("test");
    if (best && has_test_data && !history_.test()) {
        evaluate(*best);
    }
}

/// The test data are read once in a sweep: for the trial that won on the validation data.
void Coordinator::evaluate(TrialId best) {
    view_.say(fmt::format("measuring trial {} on the test data", best.value));
    const auto work = work_of(best);
    const auto slot = node_of_slot_.begin();
    transport_.send(slot->second, EvaluateTrial{work, slot->first, work.directory + "/checkpoint.pt", "test"});
    const auto deadline = std::chrono::steady_clock::now() + patience_to_evaluate;
    while (!evaluated_ && std::chrono::steady_clock::now() < deadline) {
        for (const auto& notice : transport_.receive(view_.period())) {
            if (const auto* evaluated = std::get_if<TrialEvaluated>(&notice)) {
                take(*evaluated);
            }
        }
    }
    if (evaluated_ && evaluated_->error.empty()) {
        batch_.push_back({test_note(wall_clock(), best, evaluated_->metrics), {}});
        commit();
    } else {
        view_.say(fmt::format("the test data could not be read: {}",
                              evaluated_ ? evaluated_->error : "no answer from the trainer"));
    }
}

}  // namespace crescendo::launch
