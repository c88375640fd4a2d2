#include "launch/report/chronicle.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "core/check.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {
namespace {

/// Nearly all lines of a journal are reports, configurations, and records about groups. For these, note() has nothing
/// to do, because the state machine alone tracks them.
bool is_frequent(std::string_view members) {
    constexpr std::array beginnings{R"("event":"trial_reported")", R"("event":"trial_proposed")",
                                    R"("event":"trial_timed")", R"("event":"trial_regrouped")"};
    return std::ranges::any_of(beginnings, [&](const char* each) { return members.starts_with(each); });
}

}  // namespace

Chronicle Chronicle::read(const SweepSpec& spec, const std::filesystem::path& journal, bool is_running,
                          Reports reports) {
    Chronicle chronicle(spec, reports);
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
    history_.apply(line);
    if (!is_frequent(line.members())) {
        note(line.json());
    }
}

void Chronicle::close(bool is_running) {
    history_.look(wall_clock(), is_running);
    const double now = history_.elapsed();
    for (const auto& trial : history_.sweep().trials()) {
        add_spans(trial.id, now);
    }
    for (const auto& [slot, from] : joined_) {
        lanes_.push_back({slot, nodes_[slot], from, now});
    }
    joined_.clear();
}

void Chronicle::note(const Json& record) {
    const auto event = record.value("event", "");
    if (event == "slots_joined") {
        for (const auto& slot : record.at("slots")) {
            nodes_[SlotId{slot.at("slot")}] = NodeId{slot.at("node")};
        }
        follow_slots();
    } else if (event == "slots_lost") {
        follow_slots();
    } else if (event == "trial_failed") {
        const char* where = record.contains("slot") ? "slot" : "suspect";
        faults_.push_back({history_.elapsed(), TrialId{record.at("trial")},
                           record.contains(where) ? std::optional(SlotId{record.at(where)}) : std::nullopt,
                           record.value("kind", ""), record.value("message", "")});
    }
}

/// Each group lasts until the next one, and the last group until `now`.
void Chronicle::add_spans(TrialId trial, double now) {
    const auto& groups = history_.of(trial).groups;
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        const auto next = std::next(group);
        if (!group->slots.empty()) {
            spans_.push_back({trial, group->time, next == groups.end() ? now : next->time, group->slots});
        }
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
