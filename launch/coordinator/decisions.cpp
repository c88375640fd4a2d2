#include "launch/coordinator/decisions.hpp"

#include <utility>

#include "launch/json/event_json.hpp"
#include "launch/system/wall_clock.hpp"

namespace crescendo::launch {

Decisions::Decisions(Journal& journal, History& history, Orders& orders, std::unique_ptr<ProposalSource> source)
    : journal_(journal), history_(history), orders_(orders), source_(std::move(source)) {}

void Decisions::record(const Event& event, const Json& details) {
    Json content = record_of(event, journal_clock());
    content.update(details);
    append(std::move(content));
}

void Decisions::record(const TrialFailed& event, const std::string& message, ProgramFault fault) {
    hope_.note(fault, sweep());
    record(event, {{"message", message}});
}

void Decisions::record(ReportRecord record) {
    reported_[record.report.trial] = record.report.resource;
    batch_.emplace_back(std::move(record));
}

void Decisions::record(const EnergyUsed& energy) { append(energy_note(journal_clock(), energy)); }

void Decisions::read_again(const SweepSpec& spec, const std::filesystem::path& journal) {
    commit();
    history_ = History::read(spec, journal);
}

/// The record waits for the next sync instead of causing its own. If a crash loses it, the sweep's file, which may not
/// change, leads to the same configuration again.
void Decisions::record_config(TrialId trial) {
    const auto& repeat = sweep().spec().repeat;
    const auto first = repeat.first_of(repeat.configuration_of(trial));
    if (configured_.insert(first).second) {
        batch_.emplace_back(record_of_start(sweep().trial(first), journal_clock()));
    }
}

/// Writes to the journal before deciding, so that everything answered is on disk.
void Decisions::commit() {
    if (batch_.empty()) {
        return;
    }
    for (const auto& each : batch_) {
        std::visit([this](const auto& record) { write(record); }, each);
    }
    journal_.sync();
    reported_.clear();
    for (auto& each : std::exchange(batch_, {})) {
        std::visit([this](auto& record) { take_effect(record); }, each);
    }
}

/// A sampler's proposal depends on the trials that started before. So proposals take effect one by one, and a single
/// sync writes all of them to disk before the first of their trials is ordered to start.
void Decisions::propose() {
    std::vector<Action> actions;
    while (auto event = history_.propose(*source_)) {
        const auto take = [&](const auto& record) {
            write(record);
            const auto more = history_.apply(record);
            actions.insert(actions.end(), more.begin(), more.end());
        };
        if (auto* proposed = std::get_if<TrialProposed>(&*event)) {
            take(ProposalRecord{std::move(*proposed), journal_clock()});
        } else {
            take(Json(record_of(*event, journal_clock())));
        }
    }
    if (!actions.empty()) {
        journal_.sync();
        carry_out(actions);
    }
}

void Decisions::take_effect(const Json& record) {
    const auto actions = history_.apply(record);
    if (record.value("event", "") == "trial_failed" && hope_.is_lost(sweep())) {
        is_hopeless_ = true;
        orders_.start_no_more();
    }
    carry_out(actions);
}

void Decisions::take_effect(ReportRecord& record) {
    const auto trial = record.report.trial;
    const auto actions = history_.apply(std::move(record));
    carry_out(actions);
    orders_.answer(trial, actions);
}

void Decisions::take_effect(const ProposalRecord& record) {
    configured_.erase(record.event.trial);
    carry_out(history_.apply(record));
}

void Decisions::carry_out(const std::vector<Action>& actions) {
    for (const auto& action : actions) {
        if (const auto* start = std::get_if<StartTrial>(&action); start && !sweep().trial(start->trial).is_proposed) {
            record_config(start->trial);
        }
    }
    orders_.carry_out(actions);
}

Resource Decisions::last_resource(TrialId trial) const {
    const auto reported = reported_.find(trial);
    return reported == reported_.end() ? sweep().trial(trial).resource : reported->second;
}

}  // namespace crescendo::launch
