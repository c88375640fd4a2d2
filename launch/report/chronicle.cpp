#include "launch/report/chronicle.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "launch/messages/event_json.hpp"

namespace crescendo::launch {
namespace {

/// Reports, configurations and what groups tell of their steps are nearly all lines; the state machine alone says what
/// follows from them.
bool is_frequent(std::string_view members) {
    constexpr std::array beginnings{R"("event":"trial_reported")", R"("event":"trial_proposed")",
                                    R"("event":"trial_timed")", R"("event":"trial_regrouped")"};
    return std::ranges::any_of(beginnings, [&](const char* each) { return members.starts_with(each); });
}

/// The trial that an action is about, if it has a group then.
std::optional<TrialId> trial_of(const Action& action) {
    return std::visit(
        [](const auto& each) -> std::optional<TrialId> {
            if constexpr (requires { each.trial; }) {
                return each.trial;
            } else {
                return std::nullopt;
            }
        },
        action);
}

}  // namespace

Chronicle Chronicle::read(const SweepSpec& spec, const std::filesystem::path& journal, bool is_running) {
    Chronicle chronicle(spec);
    try {
        chronicle.history_.replay(journal, History::Purpose::look,
                                  [&](const Journal::Line& line) { chronicle.take(line); });
    } catch (const InvalidInput& error) {
        chronicle.problem_ = error.what();
    }
    chronicle.close(is_running);
    return chronicle;
}

void Chronicle::take(const Journal::Line& line) {
    const bool is_rare = !is_frequent(line.members());
    const auto actions = history_.apply(line);
    follow_groups(actions, is_rare ? Changed::any : Changed::by_actions);
    if (is_rare) {
        note(line.json());
        follow_slots();
    }
}

void Chronicle::close(bool is_running) {
    if (history_.sweep().state() == SweepState::running && !is_running) {
        history_.interrupt();
    }
    const double now = history_.elapsed();
    for (const auto& [trial, open] : holding_) {
        spans_.push_back({trial, open.from, now, open.group.slots});
    }
    holding_.clear();
    for (const auto& [slot, from] : joined_) {
        lanes_.push_back({slot, nodes_[slot], from, now});
    }
    joined_.clear();
}

void Chronicle::note(const Json& record) {
    const auto event = record.value("event", "");
    if (record.value("note", "") == "session") {
        sessions_.push_back({history_.elapsed(), record.value("host", "")});
    } else if (event == "slots_joined") {
        for (const auto& slot : record.at("slots")) {
            nodes_[SlotId{slot.at("slot")}] = NodeId{slot.at("node")};
        }
    } else if (event == "trial_failed") {
        faults_.push_back({history_.elapsed(), TrialId{record.at("trial")},
                           record.contains("slot") ? std::optional(SlotId{record.at("slot")}) : std::nullopt,
                           record.value("kind", ""), record.value("message", "")});
    }
}

void Chronicle::follow_groups(const std::vector<Action>& actions, Changed changed) {
    std::set<TrialId> trials;
    for (const auto& action : actions) {
        if (const auto trial = trial_of(action)) {
            trials.insert(*trial);
        }
    }
    if (changed == Changed::any) {
        for (const auto& [trial, open] : holding_) {
            trials.insert(trial);
        }
    }
    for (const auto trial : trials) {
        follow_group(trial);
    }
}

/// A group that changed ends a span, and begins another unless it is gone.
void Chronicle::follow_group(TrialId trial) {
    const double now = history_.elapsed();
    const auto& group = history_.sweep().trial(trial).group;
    const auto open = holding_.find(trial);
    if (open != holding_.end()) {
        const auto& [from, held] = open->second;
        if (group.generation == held.generation && group.slots.size() == held.slots.size()) {
            return;
        }
        spans_.push_back({trial, from, now, held.slots});
    }
    if (!group.slots.empty()) {
        holding_.insert_or_assign(trial, Open{now, group});
    } else if (open != holding_.end()) {
        holding_.erase(open);
    }
}

void Chronicle::follow_slots() {
    const auto there = history_.sweep().slots();
    std::erase_if(joined_, [&](const auto& joined) {
        if (std::ranges::binary_search(there, joined.first)) {
            return false;
        }
        lanes_.push_back({joined.first, nodes_[joined.first], joined.second, history_.elapsed()});
        return true;
    });
    for (const auto slot : there) {
        joined_.try_emplace(slot, history_.elapsed());
    }
}

}  // namespace crescendo::launch
