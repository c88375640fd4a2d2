#include "launch/ask_tell/ask_tell.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "core/files/host_name.hpp"
#include "core/mapped.hpp"
#include "core/trial_protocol.hpp"
#include "launch/journal/history.hpp"
#include "launch/journal/proposal_record.hpp"
#include "launch/json/action_json.hpp"
#include "launch/json/event_json.hpp"
#include "launch/json/value_json.hpp"
#include "launch/messages/line_channel.hpp"
#include "launch/system/wall_clock.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/space/membership.hpp"

namespace crescendo::launch {
namespace {

/// Maximum number of slots. More must be a typing error, and would use up all memory.
constexpr std::int64_t most_slots = 1'000'000;

constexpr std::string_view example = R"({"event":"trial_reported","trial":3,"resource":1,"metrics":{"val_loss":0.3}})";

SlotsJoined join(const Json& count, std::int64_t first) {
    CRESCENDO_VALIDATE(count.is_number_unsigned() && count >= 1 && count <= most_slots - first, "slots",
                       R"("slots" is {} (how many join); use a whole number from 1 to {}, or a list of slots)",
                       count.dump(), most_slots - first);
    SlotsJoined joined;
    for (std::int64_t slot = first; slot < first + count.get<std::int64_t>(); ++slot) {
        joined.slots.push_back({SlotId{static_cast<std::int32_t>(slot)}, NodeId{0}});
    }
    return joined;
}

}  // namespace

AskTell::AskTell(Sweep sweep, Journal& journal, std::unique_ptr<ProposalSource> source)
    : sweep_(std::move(sweep)), source_(std::move(source)), journal_(&journal) {
    journal_->append(session_note(journal_clock(), host_name(), 0));
    if (sweep_.num_slots() > 0) {
        const SlotsLost lost{sweep_.slots()};
        sweep_.apply(lost);
        record(lost, {});
    }
    for (const auto& trial : sweep_.trials()) {
        record_config(trial.id);
    }
}

void AskTell::change_limits(const Json& record) {
    sweep_.apply(event_from_json(record));
    if (journal_ != nullptr) {
        journal_->append(record);
    }
}

std::string AskTell::take(std::string_view bytes) {
    std::string answers;
    for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        hold(bytes.substr(0, end));
        answers += finish_line();
    }
    hold(bytes);
    return answers;
}

std::string AskTell::end() { return line_.empty() && !too_long_ ? "" : finish_line(); }

void AskTell::hold(std::string_view bytes) {
    too_long_ = too_long_ || line_.size() + bytes.size() > longest_line;
    if (too_long_) {
        line_.clear();
    } else {
        line_ += bytes;
    }
}

std::string AskTell::finish_line() {
    ++line_number_;
    OrderedJson result;
    try {
        CRESCENDO_VALIDATE(!too_long_, "",
                           "longer than {} bytes, too long for an event; end each event with a line feed",
                           longest_line);
        result = answer(line_);
    } catch (const std::runtime_error& error) {
        result = {{"error", {{"message", error.what()}, {"line", line_number_}}}};
    }
    line_.clear();
    too_long_ = false;
    return one_line(result) + '\n';
}

OrderedJson AskTell::answer(std::string_view text) {
    const auto line = parse_line(text, example);
    const auto event = read(line);
    const auto* report = std::get_if<TrialReported>(&event);
    const bool has_group = report != nullptr && sweep_.has(report->trial);
    const auto before = has_group ? sweep_.trial(report->trial).group : Group{};
    auto actions = sweep_.apply(event);
    record(event, line);
    const auto add = [&actions](const std::vector<Action>& more) {
        actions.insert(actions.end(), more.begin(), more.end());
    };
    while (const auto proposed = source_->await_next(sweep_)) {
        add(sweep_.apply(*proposed));
        record(*proposed, Json::object());
    }
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (const auto* start = std::get_if<StartTrial>(&actions[i])) {
            add(record_config(start->trial));
        }
    }
    if (const auto* joined = std::get_if<SlotsJoined>(&event)) {
        for (const auto& slot : joined->slots) {
            next_slot_ = std::max(next_slot_, std::int64_t{slot.id.value} + 1);
        }
    }
    if (actions.empty() && sweep_.finish_reason()) {
        actions.push_back(FinishSweep{*sweep_.finish_reason(), sweep_.best()});  // tells a launcher that still asks
    }
    OrderedJson answer{{"actions", mapped(actions, [&](const Action& each) { return launch::to_json(each, sweep_); })}};
    if (has_group) {
        const auto& now = sweep_.trial(report->trial).group;
        if (now.generation == before.generation && now.batch.multiple != before.batch.multiple) {
            answer["batch_multiple"] = now.batch.multiple;  // no action reports it
        }
    }
    return answer;
}

Event AskTell::read(const Json& line) const {
    const auto name = line.find("event");
    if (name != line.end() && *name == "trial_reported") {
        return read_report(line);
    }
    if (name != line.end() && *name == "slots_joined" && line.contains("slots") && line["slots"].is_number()) {
        return join(line["slots"], next_slot_);
    }
    auto event = event_from_json(line);
    if (auto* proposed = std::get_if<TrialProposed>(&event)) {
        proposed->config = member(sweep_.spec().space, proposed->config);  // samplers learn from it
    }
    return event;
}

/// Reads a report with metrics, in the form that trials use. We compute the loss.
Event AskTell::read_report(const Json& line) const {
    const auto& spec = sweep_.spec();
    const auto metrics = line.find("metrics");
    CRESCENDO_VALIDATE(metrics != line.end() && metrics->is_object(), "metrics",
                       R"("metrics" is missing or not an object; write "metrics":{"{}":0.31})", spec.metric);
    const auto metric = metrics->find(spec.metric);
    CRESCENDO_VALIDATE(metric != metrics->end(), "metrics",
                       R"("metrics" lacks "{}", the sweep's metric.name, by which trials are judged; report it)",
                       spec.metric);
    CRESCENDO_VALIDATE(metric->is_number() || metric->is_null(), "metrics",
                       R"("{}" is {}; use a number, or null if it is not finite)", spec.metric,
                       metric->dump().substr(0, 200));
    Json event = line;
    event["loss"] = metric->is_null() ? worst_loss : to_loss(spec.goal, *metric);
    event["step"] = Json::array();
    for_each_field(protocol::Report::steps(), [&](const auto& field) {
        const auto measure = line.find(field.key);
        event["step"].push_back(measure != line.end() && measure->is_number() ? *measure : Json(nullptr));
    });
    event.erase("clock");
    if (const auto seconds = line.find("seconds"); seconds != line.end()) {
        CRESCENDO_VALIDATE(seconds->is_number() && *seconds >= 0, "seconds",
                           R"("seconds" is {} (the trial's training clock); use a number that is not negative)",
                           seconds->dump().substr(0, 200));
        event["clock"] = Json::array({*seconds});
    } else {
        CRESCENDO_VALIDATE(!spec.trial_end.seconds, "seconds",
                           R"("seconds" is missing (trial.time of the sweep needs the trial's training clock); )"
                           "report how many seconds the trial has trained");
    }
    return event_from_json(event);
}

void AskTell::record(const Event& event, const Json& line) {
    if (journal_ == nullptr) {
        return;
    }
    if (const auto* proposed = std::get_if<TrialProposed>(&event)) {
        journal_->append_members(members_of(ProposalRecord{*proposed, journal_clock()}));
        return;
    }
    auto record = record_of(event, journal_clock());
    if (line.contains("metrics")) {
        record["metrics"] = launch::to_json(metrics_from(line["metrics"]));
    }
    if (line.contains("message") && line["message"].is_string()) {
        record["message"] = line["message"];
    }
    journal_->append(record);
}

/// Records the configuration of a trial, once. The record is an event like any other, so actions may follow from it.
std::vector<Action> AskTell::record_config(TrialId trial) {
    if (journal_ == nullptr || sweep_.trial(trial).is_proposed) {
        return {};
    }
    const auto record = record_of_start(sweep_.trial(trial), journal_clock());
    journal_->append_members(members_of(record));
    return sweep_.apply(record.event);
}

}  // namespace crescendo::launch
