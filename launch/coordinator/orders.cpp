#include "launch/coordinator/orders.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/files/durable_file.hpp"
#include "launch/files/remove_files.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/sweep_file/command/nested_config.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/trainers/trial_work.hpp"

namespace crescendo::launch {
namespace {

template <class ActionKind>
bool concerns(const Action& action, TrialId trial) {
    const auto* found = std::get_if<ActionKind>(&action);
    return found != nullptr && found->trial == trial;
}

/// Whether a trial that ends for this reason may be between two milestones. It may turn out to be the best.
bool ends_between_milestones(StopReason reason) {
    using enum StopReason;
    return reason == reached || reason == requested || reason == timed_out || reason == no_progress;
}

}  // namespace

Orders::Orders(const SweepFile& file, const SweepDirectory& directory, const Sweep& sweep, Transport& transport)
    : file_(file),
      directory_(directory),
      sweep_(sweep),
      transport_(transport),
      slots_(transport.slots()),
      kept_(file.keep, file.has_warm_trainers()),
      obsolete_(kept_.note_all(sweep)) {}

void Orders::carry_out(const std::vector<Action>& actions) {
    for (const auto& action : actions) {
        std::visit([this](const auto& each) { carry_out(each); }, action);
    }
}

/// Answers a trial that has reported and waits. Stopping and regrouping are answers too; otherwise it is told to
/// continue.
void Orders::answer(TrialId trial, const std::vector<Action>& actions) {
    const bool is_answered = std::ranges::any_of(actions, [&](const Action& action) {
        return concerns<StopTrial>(action, trial) || concerns<PauseTrial>(action, trial) ||
               concerns<Regroup>(action, trial);
    });
    if (!is_answered && sweep_.trial(trial).status == TrialStatus::running) {
        go_on(trial);
    }
}

void Orders::go_on(TrialId trial) {
    const auto& group = sweep_.trial(trial).group;
    const protocol::Decision order{trial, group.batch.multiple, sweep_.next_milestone(trial)};
    for (const auto node : slots_.nodes_of(group.slots)) {
        transport_.send(node, order);
    }
}

void Orders::answer(const StoreRequest& request) {
    if (!is_at_work(TrialId{request.request.at("trial")})) {
        return;
    }
    for (const auto& each : rendezvous_.handle(request)) {
        transport_.send(slots_.node_of(each.slot), each);
    }
}

void Orders::carry_out(const StartTrial& action) {
    empty_directory(action.trial);  // even if nothing starts now, because it is resumed later
    if (starts_no_more_) {
        return;
    }
    prepare_directory(action.trial);
    join(action.trial, action.group, protocol::StateSource::fresh);
}

void Orders::carry_out(const ResumeTrial& action) {
    if (starts_no_more_) {
        return;
    }
    prepare_directory(action.trial);
    if (groups_.is_leaving(action.trial)) {
        groups_.hold_back(action.trial, action.group);
    } else {
        join(action.trial, action.group, protocol::StateSource::checkpoint);
    }
}

/// A program cannot regroup in memory: it saves and leaves, and is started again in the new group.
void Orders::carry_out(const Regroup& action) {
    if (groups_.is_held_back(action.trial)) {
        groups_.hold_back(action.trial, action.group);  // it lost workers before the group formed
    } else if (!groups_.has(action.trial)) {
        return;  // the trial has ended meanwhile
    } else if (file_.has_warm_trainers()) {
        join(action.trial, action.group, protocol::StateSource::memory);
        groups_.note_regrouping(action.trial);
    } else {
        dismiss(action.trial, /*save=*/true);
        if (!starts_no_more_) {
            groups_.hold_back(action.trial, action.group, journal_clock());
        }
    }
}

/// At a rung, the checkpoint of this report exists already, because it was written before the report was sent. A trial
/// that its user pauses may be between two milestones, so it must save.
void Orders::carry_out(const PauseTrial& action) { dismiss(action.trial, /*save=*/sweep_.trial(action.trial).is_held); }

/// Other stopped trials have their checkpoint, or need none. When the sweep ends, only the winner's latest state is
/// worth saving.
void Orders::carry_out(const StopTrial& action) {
    dismiss(action.trial, ends_between_milestones(action.reason) ||
                              (action.reason == StopReason::swept && sweep_.best() == action.trial));
}

void Orders::carry_out(const DropCheckpoint& action) {
    if (const auto trial = kept_.note_beaten(sweep_.trial(action.trial))) {
        obsolete_.insert(*trial);
    }
}

/// Empties the folder of a trial that starts, which happens once. Files in it come from another trial with this number,
/// known to a journal that was truncated or to the original of a copied sweep. The new trial would continue from that
/// one's checkpoint.
void Orders::empty_directory(TrialId trial) const {
    remove_files(directory_.trial(trial), [](std::string_view) { return true; });
}

/// Does not wait for the disk, because thousands of trials may start at once. Files that a machine crash damages are
/// written again when the trial is resumed.
void Orders::prepare_directory(TrialId trial) const {
    const auto parameters =
        launch::to_json(nested(with_whole_numbers(sweep_.trial(trial).config, file_.spec.space), file_.groups));
    try {
        std::filesystem::create_directories(directory_.trial(trial));
        replace_file(directory_.parameters(trial), parameters.dump(2) + "\n", Durability::none);
    } catch (const std::system_error& error) {
        throw DirectoryError(error);
    }
}

void Orders::join(TrialId trial, const Group& group, protocol::StateSource state) {
    rendezvous_.forget(trial);
    to_save_.erase(trial);  // members that leave now do not save
    const auto leavers = groups_.form(trial, group);
    const auto nodes = slots_.nodes_of(group.slots);
    for (const auto node : slots_.nodes_of(leavers)) {
        if (!nodes.contains(node)) {  // else the agent sees for itself which members leave
            transport_.send(node, LeaveTrial{trial, /*save=*/false});
        }
    }
    auto order = work_of(trial, sweep_, file_, directory_);
    order.join.generation = group.generation;
    order.join.size = static_cast<int>(group.slots.size());
    order.join.state = state;
    order.join.batch = group.batch;
    order.join.checkpoint_at = sweep_.next_milestone(trial);
    order.join.reported = sweep_.trial(trial).resource;
    if (!file_.has_warm_trainers()) {
        order.slots = group.slots;
    }
    for (const auto node : nodes) {
        order.members.clear();
        for (std::size_t rank = 0; rank < group.slots.size(); ++rank) {
            if (slots_.node_of(group.slots[rank]) == node) {
                order.members.push_back({group.slots[rank], static_cast<int>(rank)});
            }
        }
        transport_.send(node, order);
    }
}

void Orders::dismiss(TrialId trial, bool save) {
    rendezvous_.forget(trial);
    leave(trial, save);
}

/// Groups that are still forming keep their store entries, because they must meet before they can save.
void Orders::dismiss_all() {
    for (const auto trial : groups_.trials()) {
        leave(trial, /*save=*/true);
    }
}

void Orders::leave(TrialId trial, bool save) {
    if (save) {
        to_save_.insert(trial);
    } else {
        to_save_.erase(trial);
    }
    const bool is_complete = sweep_.trial(trial).status == TrialStatus::finished;
    for (const auto node : slots_.nodes_of(groups_.dismiss(trial))) {
        transport_.send(node, LeaveTrial{trial, save, is_complete});
    }
}

void Orders::resume_held_back() {
    rendezvous_.forget_if([this](TrialId trial) { return !is_at_work(trial); });
    while (const auto ready = groups_.take_ready()) {
        join(ready->trial, ready->group, protocol::StateSource::checkpoint);
        if (ready->decided) {
            groups_.note_restart(ready->trial, {*ready->decided, journal_clock()});
        }
    }
}

void Orders::lose(const std::set<SlotId>& slots) {
    groups_.lose(slots);
    lost_.insert(slots.begin(), slots.end());
}

/// Slots that were left out have workers as well, which are used if there are no others.
std::optional<SlotId> Orders::test(TrialId trial) {
    auto candidates = sweep_.slots();
    for (const auto& slot : slots_.slots()) {
        candidates.push_back(slot.id);
    }
    const auto slot = std::ranges::find_if(candidates, [&](SlotId each) { return !lost_.contains(each); });
    if (slot == candidates.end()) {
        return std::nullopt;
    }
    transport_.send(slots_.node_of(*slot),
                    EvaluateTrial{*slot, evaluation_of(trial, "test", sweep_, file_, directory_)});
    return *slot;
}

bool Orders::clean_up(std::chrono::steady_clock::time_point end) {
    for (auto each = obsolete_.begin(); each != obsolete_.end();) {
        if (is_at_work(*each)) {
            ++each;
            continue;
        }
        const auto waste = kept_.waste_of(sweep_.trial(*each));
        if (!remove_waste(waste, *each, directory_, Removal::perform, end).is_done) {
            return true;
        }
        each = obsolete_.erase(each);
        if (waste != Waste::nothing && std::chrono::steady_clock::now() >= end) {
            return each != obsolete_.end();
        }
    }
    return false;
}

}  // namespace crescendo::launch
