#include "launch/coordinator/usable_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "launch/journal/history.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

UsableSlots::UsableSlots(Decisions& decisions, Orders& orders, LiveView& view)
    : decisions_(decisions), orders_(orders), view_(view), health_(orders.slots().slots()) {}

/// The node's trials continue elsewhere: in memory if the group has members on other nodes, else from the checkpoint.
void UsableSlots::lose(const AgentLost& notice) {
    view_.say(fmt::format("node {} is lost: {}", notice.node.value, notice.reason));
    const auto lost = orders_.slots().slots_of(notice.node);
    std::erase_if(down_, [&](const auto& each) { return lost.contains(each.first); });
    drop(lost);
}

/// The slot is lost until a trainer starts on it. The user is told once. A slot that was left out stays out.
void UsableSlots::lose(const SlotDown& notice) {
    if (decisions_.history().left_out().contains(notice.slot)) {
        orders_.lose({notice.slot});
        return;
    }
    const bool is_known = !down_.insert_or_assign(notice.slot, notice).second;
    devices_[notice.slot] = notice.device;
    if (is_known) {
        require_some();
        return;
    }
    view_.say(fmt::format("{} is out of use: {}; it is tried again, less and less often", name_of({notice.slot}),
                          notice.message));
    drop({notice.slot});
}

/// Drops the slots and the workers on them. Their trials continue elsewhere.
void UsableSlots::drop(const std::set<SlotId>& slots) {
    decisions_.commit();
    orders_.lose(slots);
    health_.note_lost(slots);
    decisions_.record(SlotsLost{{slots.begin(), slots.end()}});
    decisions_.commit();
    orders_.resume_held_back();
    require_some();
}

void UsableSlots::regain(const SlotUp& notice) {
    orders_.note_back(notice.slot);
    if (down_.erase(notice.slot) == 0) {
        return;
    }
    view_.say(fmt::format("slot {} is in use again", notice.slot.value));
    const auto& slot = orders_.slots().slot(notice.slot);
    health_.note_joined(slot);
    decisions_.record(SlotsJoined{{slot}});
}

void UsableSlots::note_progress(TrialId trial) {
    if (health_.has_doubts()) {
        health_.note_progress(orders_.groups().members(trial));
    }
}

void UsableSlots::note_failure(const WorkerFailed& notice) {
    devices_[notice.slot] = notice.device;
    const auto count = [this](const auto& fits) {
        return static_cast<int>(std::ranges::count_if(decisions_.sweep().trials(), fits));
    };
    const auto bad = health_.note_failure(notice.slot, notice.trial, [&] {
        return SlotHealth::Record{count([](const Trial& trial) { return trial.resource.value > 0; }),
                                  count([](const Trial& trial) { return trial.failures > 0; })};
    });
    if (!bad.empty()) {
        leave_out(bad);
    }
}

/// Leaves the slots out for this session. Their agent stays, with idle workers on them.
void UsableSlots::leave_out(const std::set<SlotId>& slots) {
    view_.say(fmt::format(
        "{} {} left out: trial after trial failed there, and none made progress; check the GPU or the node. A resumed "
        "sweep uses {} again",
        name_of(slots), slots.size() == 1 ? "is" : "are", slots.size() == 1 ? "it" : "them"));
    for (const auto& trial : decisions_.sweep().trials()) {
        const auto& group = trial.group.slots;
        if (!group.empty() && std::ranges::all_of(group, [&](SlotId slot) { return slots.contains(slot); })) {
            orders_.dismiss(trial.id, /*save=*/true);
        }
    }
    LeftOut left_out;
    for (const auto slot : slots) {
        left_out.emplace(slot, devices_[slot]);
    }
    decisions_.append(left_out_note(journal_clock(), left_out));
    decisions_.record(SlotsLost{{slots.begin(), slots.end()}});
    decisions_.commit();
}

/// Names the slots of one node, with their devices: "slots 4, 5 of node 1 (GPU 0 of node17, GPU 1 of node17)".
std::string UsableSlots::name_of(const std::set<SlotId>& slots) const {
    std::string list;
    std::string devices;
    std::set<std::string> named;  // slots may share a GPU
    for (const auto slot : slots) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", slot.value);
        const auto device = devices_.find(slot);
        if (device != devices_.end() && !device->second.empty() && named.insert(device->second).second) {
            devices += fmt::format("{}{}", devices.empty() ? "" : ", ", device->second);
        }
    }
    return fmt::format("slot{} {} of node {}{}", slots.size() == 1 ? "" : "s", list,
                       orders_.slots().node_of(*slots.begin()).value,
                       devices.empty() ? "" : fmt::format(" ({})", devices));
}

/// While other slots are left, a slot may be retried forever. With no slots left, each gets two more attempts. Slots
/// that were left out do not come back in this session, and a job of several nodes must not wait in vain until its time
/// is up.
void UsableSlots::require_some() const {
    constexpr int enough = 2;
    const auto& sweep = decisions_.sweep();
    if (sweep.state() != SweepState::running || sweep.num_slots() > 0) {
        return;
    }
    if (const auto& left_out = decisions_.history().left_out(); down_.empty() && !left_out.empty()) {
        throw std::runtime_error(fmt::format(
            "no slot is left: {} {} left out, because trial after trial failed there, and all others are lost; check "
            "the GPU or the node, and resume the sweep, which uses them again",
            left_out.size(), left_out.size() == 1 ? "was" : "were"));
    }
    const bool may_come_back =
        std::ranges::any_of(down_, [](const auto& each) { return each.second.num_retries < enough; });
    if (!down_.empty() && !may_come_back) {
        throw std::runtime_error(
            fmt::format("no trainer can start on any slot, and nothing runs: {}; resume the sweep once that is fixed",
                        down_.begin()->second.message));
    }
}

}  // namespace crescendo::launch
