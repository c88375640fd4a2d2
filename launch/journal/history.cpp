#include "launch/journal/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "core/message_json.hpp"
#include "launch/json/event_json.hpp"
#include "launch/json/value_json.hpp"
#include "scheduler/samplers/any_sampler.hpp"

namespace crescendo::launch {
namespace {

/// The fields of a report in the journal. Its metrics may be missing.
constexpr auto in_journal() {
    using protocol::Report;
    return std::tuple_cat(std::tuple(Field{"trial", &Report::trial}, Field{"resource", &Report::resource},
                                     Field{"metrics", &Report::metrics, Presence::optional},
                                     Field{"generation", &Report::generation, Presence::optional}),
                          Report::measures());
}

protocol::Report report_from_journal(const Json& record) {
    auto report = protocol::read<protocol::Report>(record, in_journal());
    if (const auto clock = record.value("clock", Json::array()); !clock.empty()) {
        const auto read = [](const Json& seconds) {
            return seconds.is_number() ? std::optional(seconds.get<double>()) : std::nullopt;
        };
        report.seconds = read(clock.front());
        if (clock.size() > 1) {
            report.evaluated = read(clock.back());
        }
    }
    return report;
}

/// Reads a journal in the way that its purpose needs.
Journal::End read_journal(const std::filesystem::path& journal, History::Purpose purpose,
                          const std::function<void(const Journal::Line&)>& take) {
    return purpose == History::Purpose::go_on ? Journal::recover(journal, take) : Journal::read(journal, take);
}

}  // namespace

History::History(SweepSpec spec, Reports kept) : sweep_(std::move(spec)), kept_(kept) {}

History History::read(const SweepSpec& spec, const std::filesystem::path& journal) {
    History history(spec);
    history.replay(journal, Purpose::look);
    return history;
}

Journal::End History::replay(const std::filesystem::path& journal, Purpose purpose,
                             std::function<void(const Journal::Line&)> take) {
    try {
        if (foresee(journal, purpose)) {
            purpose = Purpose::look;  // recover() has just read what is on disk
        }
    } catch (const InvalidInput&) {
        // The journal is damaged. The read below reports that, after taking the lines before the damage.
    }
    if (!take) {
        take = [this](const Journal::Line& line) { apply(line); };
    }
    return read_journal(journal, purpose, take);
}

bool History::foresee(const std::filesystem::path& journal, Purpose purpose) {
    const auto& spec = sweep_.spec();
    if (!learns(spec.sampler) || AnySampler(spec)->proposes_by_events()) {
        return false;
    }
    const auto& repeat = spec.repeat;
    read_journal(journal, purpose, [&](const Journal::Line& line) {
        auto proposal = proposal_from(line.members());
        const auto origin = proposal ? proposal->event.origin : std::nullopt;
        if (origin && is_from_model(*origin)) {
            // Journals may name each repetition; the proposal for the first one holds for all of them.
            proposal->event.trial = repeat.first_of(repeat.configuration_of(proposal->event.trial));
            sweep_.apply(proposal->event);
        }
    });
    return true;
}

std::vector<Action> History::apply(const Json& record) {
    if (!record.contains("time")) {
        return {};  // the journal's header
    }
    const bool new_session = record.value("note", "") == "session";
    if (new_session) {
        elapsed_before_ += last_time_ - session_start_;
        session_start_ = last_time_ = record.at("time");
        sessions_.push_back({elapsed_before_, session_start_, record.value("host", "")});
        left_out_.clear();
        slots_of_nodes_.clear();
        meter_of_host_.clear();
    }
    const double previous_time = last_time_;
    come_to(record.at("time"));
    if (const auto request = record.find("request"); request != record.end()) {
        done_requests_.insert(request->get<std::string>());
    }
    if (!record.contains("event")) {
        note(record, previous_time);
        return {};
    }
    const auto event = event_from_json(record);
    if (const auto* report = std::get_if<TrialReported>(&event)) {
        ReportRecord reported{report_from_journal(record), report->loss, last_time_};
        reported.set_steps(report->steps);
        return apply(std::move(reported));
    }
    if (const auto* failed = std::get_if<TrialFailed>(&event);
        failed != nullptr && record.contains("message") && knows(failed->trial)) {
        its(failed->trial).last_failure = record.at("message");
    }
    if (const auto* joined = std::get_if<SlotsJoined>(&event)) {
        for (const auto& slot : joined->slots) {
            slots_of_nodes_[slot.node].insert(slot.id);
        }
    }
    if (const auto* timed = std::get_if<TrialTimed>(&event)) {
        if (auto* group = note_told(timed->trial, timed->generation)) {
            group->timed = *timed;
        }
    }
    if (const auto* regrouped = std::get_if<TrialRegrouped>(&event)) {
        note_regroup(*regrouped);
        for (const auto& [phase, seconds] : record.value("phases", std::map<std::string, double>())) {
            regroup_phases_[phase].push_back(seconds);
        }
    }
    if (auto change = limits_change_from(record)) {
        limits_changes_.push_back(std::move(*change));
    }
    return decide(event);
}

/// A report may have been on its way, or in the same turn, when its trial got another group. The step times of the
/// previous group say nothing about the new one.
std::vector<Action> History::apply(ReportRecord record) {
    come_to(record.time);
    auto& report = record.report;
    if (report.generation >= 0 && knows(report.trial) &&
        report.generation != sweep_.trial(report.trial).group.generation) {
        report.step_seconds.reset();
    }
    const Event event = record.event();
    remember(std::move(record));
    return decide(event);
}

std::vector<Action> History::apply(const ProposalRecord& record) {
    come_to(record.time);
    return decide(record.event);
}

std::vector<Action> History::apply(const Journal::Line& line) {
    if (auto report = report_from(line.members())) {
        return apply(std::move(*report));
    }
    if (const auto proposal = proposal_from(line.members())) {
        return apply(*proposal);
    }
    return apply(line.json());
}

void History::come_to(double time) {
    constexpr double latest = 1e11;  // year 5138; exports write dates, which have a range
    CRESCENDO_VALIDATE(std::abs(time) < latest, "", "its time, {} seconds after 1970, is no date", time);
    last_time_ = std::max(last_time_, time);
}

void History::interrupt() { decide(SlotsLost{sweep_.slots()}); }

void History::look(double now, bool is_held) {
    if (sweep_.state() != SweepState::running) {
        return;
    }
    if (is_held) {
        come_to(std::min(now, last_time_ + 2 * longest_silence));
    } else {
        interrupt();
    }
}

std::vector<Action> History::decide(const Event& event) {
    auto actions = sweep_.apply(event);
    if (std::holds_alternative<SlotsJoined>(event) || std::holds_alternative<SlotsLost>(event)) {
        num_nodes_ = num_nodes();
        most_slots_ = std::max(most_slots_, sweep_.num_slots());
    }
    // After its end, a sweep may still have slots, but they are not idle time: nothing is left to do.
    const bool is_running = sweep_.state() == SweepState::running;
    slots_had_.set(is_running ? sweep_.num_slots() : 0, elapsed());
    nodes_had_.set(is_running ? num_nodes_ : 0, elapsed());
    trials_.resize(sweep_.trials().size());
    holding_.resize(trials_.size());
    for (const auto& action : actions) {
        std::visit([this](const auto& each) { follow(each); }, action);
    }
    if (std::holds_alternative<SlotsLost>(event)) {
        for (const auto& trial : sweep_.trials()) {
            follow_slots(trial.id);
        }
    } else {
        std::visit([this](const auto& each) { follow(each); }, event);
    }
    ++num_events_;
    return actions;
}

void History::note(const Json& record, double previous_time) {
    const std::string note = record.at("note");
    annotations_.take(record);
    if (note == "tested") {
        test_ = Test{TrialId{record.at("trial")}, metrics_from(record.at("metrics"))};
        evaluation_seconds_ = last_time_ - previous_time;
    } else if (note == "regrouped") {  // an older form, from before it was an event
        note_regroup({TrialId{record.at("trial")}, record.at("generation"), record.at("seconds"), {}});
    } else if (note == "energy") {
        note_energy(record);
    } else if (note == "left_out") {
        if (record.contains("node")) {  // an older form, when whole nodes were left out
            for (const auto slot : slots_of_nodes_[NodeId{record.at("node")}]) {
                left_out_.emplace(slot, "");
            }
        } else {
            const auto devices = record.value("devices", std::vector<std::string>());
            for (std::size_t i = 0; i < record.at("slots").size(); ++i) {
                left_out_.emplace(SlotId{record.at("slots").at(i)}, i < devices.size() ? devices[i] : "");
            }
        }
    }
}

/// Several agents of one host measure the same processors, so only the first of them counts.
void History::note_energy(const Json& record) {
    const auto add = [](std::optional<double>& sum, double joules) { sum = sum.value_or(0) + joules; };
    const int node = record.at("node");
    const std::string host = record.at("host");
    if (record.contains("cpus") && meter_of_host_.try_emplace(host, node).first->second == node) {
        add(energy_.cpus, record.at("cpus"));
    }
    if (record.contains("idle_gpus")) {
        add(energy_.gpus, record.at("idle_gpus"));
        for (const auto& [trial, joules] : record.at("trials").get<std::map<int, double>>()) {
            add(energy_.gpus, joules);
            if (knows(TrialId{trial})) {
                add(its(TrialId{trial}).gpu_joules, joules);
            }
        }
    }
}

/// Keeps what the scheduler does not: all metrics, and how long each trial trained.
void History::remember(ReportRecord&& record) {
    const auto id = record.report.trial;
    if (!knows(id) || sweep_.trial(id).status != TrialStatus::running || record.report.metrics.empty()) {
        return;
    }
    auto& trial = its(id);
    if (!trial.reports.empty() && trial.reports.back().resource >= record.report.resource) {
        return;
    }
    if (kept_ == Reports::last) {
        trial.reports.clear();
    }
    if (kept_ == Reports::curves && !trial.reports.empty()) {
        std::erase_if(trial.reports.back().metrics,
                      [&](const auto& metric) { return metric.first != sweep_.spec().metric; });
    }
    const auto workers = static_cast<int>(sweep_.trial(id).group.slots.size());
    trial.data_wait.add(record.report.data_wait);
    trial.reports.push_back({std::move(record.report), elapsed(), workers, num_events_});
    ++num_reports_;
}

double History::clock_at(TrialId id, double time) const {
    const auto& reports = of(id).reports;
    const double since = holding_of(id).since;
    const double now = elapsed_at(time);
    const double before = reports.empty() ? 0 : reports.back().seconds.value_or(0);
    const double from = reports.empty() ? since : std::max(since, reports.back().time);
    return before + std::max(0.0, now - from);  // the machine's clock may have been set back
}

double History::running_seconds_at(TrialId id, double time) const {
    const auto& holding = holding_of(id);
    return of(id).running_seconds + (holding.slots > 0 ? std::max(0.0, elapsed_at(time) - holding.counted) : 0.0);
}

double History::slot_seconds_of(TrialId id) const {
    const auto& holding = holding_of(id);
    return of(id).slot_seconds + holding.slots * (elapsed() - holding.counted);
}

/// Updates how many slots the trial held, and for how long. A configuration may be known before its trial starts.
void History::follow_slots(TrialId id) {
    if (!knows(id)) {
        return;
    }
    const auto& trial = sweep_.trial(id);
    auto& history = its(id);
    auto& holding = holding_of(id);
    history.slot_seconds += holding.slots * (elapsed() - holding.counted);
    history.running_seconds += holding.slots > 0 ? elapsed() - holding.counted : 0;
    holding.counted = elapsed();
    const auto slots = static_cast<int>(trial.group.slots.size());
    slots_held_.set(slots_held_.now + slots - holding.slots, elapsed());
    trials_running_.set(trials_running_.now + (slots > 0) - (holding.slots > 0), elapsed());
    follow_group(id);
    history.most_workers = std::max(history.most_workers, slots);
    if (std::exchange(holding.slots, slots) == 0 && slots > 0) {
        holding.since = elapsed();
    }
    if (!history.started && slots > 0) {
        history.started = elapsed();
    }
    if (!trial.ended()) {
        history.ended.reset();
    } else if (!history.ended) {
        history.ended = elapsed();
    }
}

void History::follow_group(TrialId id) {
    if (kept_ == Reports::last) {
        return;
    }
    const auto& group = sweep_.trial(id).group;
    auto& groups = its(id).groups;
    const GroupRecord none;
    const auto& before = groups.empty() ? none : groups.back();
    if (group.slots.size() != before.slots.size() || (!group.slots.empty() && group.generation != before.generation)) {
        groups.push_back({elapsed(), num_events_, group.slots, group.generation});
    }
}

void History::note_regroup(const TrialRegrouped& regrouped) {
    regroup_seconds_.push_back(regrouped.seconds);
    if (auto* group = note_told(regrouped.trial, regrouped.generation)) {
        group->regrouped = regrouped;
    }
}

/// Notes that the trial reports about this group now. Returns the group's record; null if none is kept.
GroupRecord* History::note_told(TrialId trial, int generation) {
    if (!knows(trial)) {
        return nullptr;
    }
    auto& groups = its(trial).groups;
    const auto group = std::ranges::find(groups, generation, &GroupRecord::generation);
    if (group == groups.end()) {
        return nullptr;
    }
    group->told = elapsed();
    group->num_events_told = num_events_;
    return &*group;
}

std::string History::why_no_best() const {
    const auto& trials = sweep_.trials();
    const auto has_reported = [](const Trial& trial) { return trial.resource.value > 0; };
    const auto has_failed = [](const Trial& trial) { return trial.status == TrialStatus::failed; };
    if (std::ranges::none_of(trials, has_reported)) {
        return "no trial has reported yet";
    }
    if (std::ranges::all_of(trials, [&](const Trial& trial) { return has_failed(trial) || !has_reported(trial); })) {
        return "every trial that reported has failed";
    }
    const auto* who = std::ranges::any_of(trials, has_failed) ? "no trial that did not fail" : "no trial";
    return fmt::format("{} has a finite {}", who, sweep_.spec().metric);
}

double History::idle_slot_seconds() const {
    return std::max(0.0, slot_seconds_had() - slot_seconds());  // the two sums may round differently
}

int History::num_nodes() const {
    const auto slots = sweep_.slots();  // in the order of their ids
    return static_cast<int>(std::ranges::count_if(slots_of_nodes_, [&](const auto& node) {
        return std::ranges::any_of(node.second, [&](SlotId slot) { return std::ranges::binary_search(slots, slot); });
    }));
}

std::optional<double> History::seconds_per_report() const {
    return num_reports_ > 0 ? std::optional(trials_running_.total(elapsed()) / num_reports_) : std::nullopt;
}

std::optional<double> History::data_wait() const {
    Mean mean;
    for (const auto& trial : trials_) {
        mean.add(trial.data_wait);
    }
    return mean.value();
}

Json time_note(double time) { return {{"note", "time"}, {"time", time}}; }

Json session_note(double time, const std::string& host, int slots) {
    return {{"note", "session"}, {"time", time}, {"host", host}, {"slots", slots}};
}

Json left_out_note(double time, const LeftOut& slots) {
    Json note{{"note", "left_out"}, {"time", time}, {"slots", Json::array()}, {"devices", Json::array()}};
    for (const auto& [slot, device] : slots) {
        note["slots"].push_back(slot.value);
        note["devices"].push_back(device);
    }
    return note;
}

Json test_note(double time, TrialId trial, const protocol::Metrics& metrics) {
    return {{"note", "tested"}, {"time", time}, {"trial", trial.value}, {"metrics", to_json(metrics)}};
}

Json energy_note(double time, const EnergyUsed& energy) {
    Json note{{"note", "energy"}, {"time", time}, {"node", energy.node.value}, {"host", energy.host}};
    if (energy.has_cpus) {
        note["cpus"] = energy.cpus;
    }
    if (energy.has_gpus) {
        note["idle_gpus"] = energy.idle_gpus;
        auto& trials = note["trials"] = Json::array();  // pairs of trial and joules
        for (const auto& [trial, joules] : energy.trials) {
            trials.push_back({trial.value, joules});
        }
    }
    return note;
}

}  // namespace crescendo::launch
