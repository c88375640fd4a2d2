#include "launch/steering/idle_sweep.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "launch/json/event_json.hpp"
#include "launch/steering/steering.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

IdleSweep::IdleSweep(const SweepDirectory& directory)
    : lock_(directory),
      recorded_(RecordedSweep::recover(directory)),
      journal_(Journal::open(directory.journal(), recorded_.end)),
      time_(journal_clock()) {}

Answer IdleSweep::obey(const Request& request, const std::string& name) {
    if (recorded_.history.has_done(name)) {
        return {true, "already done"};
    }
    try {
        begin();
        auto steered = steer(request, recorded_.directory, recorded_.history, time_);
        for (auto& record : steered.records) {
            if (!name.empty()) {
                record["request"] = name;
            }
            take(record);
            has_decided_ = has_decided_ || record.contains("event");
        }
        if (!steered.records.empty()) {
            write();
        }
        return {true, steered.text};
    } catch (const InvalidInput& error) {
        return {false, error.what()};
    }
}

/// Makes the trials of the last session wait. Begins a session with no slots, so it takes no time in the accounts.
void IdleSweep::begin() {
    if (std::exchange(has_begun_, true)) {
        return;
    }
    take(session_note(time_, host_name(), 0));
    if (const auto slots = recorded_.history.sweep().slots(); !slots.empty()) {
        take(record_of(SlotsLost{slots}, time_));
    }
}

void IdleSweep::take(const Json& record) {
    records_.push_back(record);
    recorded_.history.apply(record);
}

void IdleSweep::write() {
    for (const auto& record : std::exchange(records_, {})) {
        journal_.append(record);
    }
    journal_.sync();
}

}  // namespace crescendo::launch
