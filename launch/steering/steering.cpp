#include "launch/steering/steering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "core/check.hpp"
#include "core/draws.hpp"
#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "core/spelling.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/json/event_json.hpp"
#include "launch/json/value_json.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "scheduler/space/completion.hpp"
#include "scheduler/space/membership.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t longest_note = 4096;  // bytes
constexpr std::size_t longest_tag = 64;     // bytes

/// The listed value that equals the whole text, because in YAML "red #2" is red with a comment. Nothing if there is
/// none, or if a listed value that is not text looks the same; YAML then tells them apart.
std::optional<Value> listed_as(const Distribution& distribution, const std::string& text) {
    const Value value = text;
    const auto has_others = [&](const std::vector<Value>& values) {
        return std::ranges::any_of(values, [&](const Value& each) { return each != value && to_string(each) == text; });
    };
    const auto* list = std::get_if<Categorical>(&distribution);
    return list != nullptr && has_others(list->values) ? std::nullopt : member(distribution, value);
}

/// The parameter's value for a text such as "0.1" or "adam". Throws InvalidInput if the parameter cannot have it.
Value value_of(const Parameter& parameter, const std::string& text) {
    CRESCENDO_VALIDATE(!parameter.is_derived(), parameter.name, "{} is computed from other parameters; leave it out",
                       parameter.name);
    CRESCENDO_VALIDATE(!text.empty(), parameter.name, "{} has no value here; write it after the =", parameter.name);
    if (auto listed = listed_as(parameter.distribution, text)) {
        return *std::move(listed);
    }
    const auto meant = member(parameter.distribution, value_from_json(parse_yaml_value(text, parameter.name)));
    CRESCENDO_VALIDATE(meant, parameter.name, "{} cannot be {}; choose a value that the sweep file allows{}",
                       parameter.name, text, values_in_words(parameter.distribution));
    return *meant;
}

/// Describes new settings: "run_cap=9 from now on; hang_timeout=5m from the next session on".
std::string announced(const std::vector<Override>& settings) {
    std::string text;
    for (const bool later : {false, true}) {
        std::string each;
        for (const auto& [key, value, applies] : settings) {
            if (changes_next_session(key) == later) {
                each += fmt::format("{}{}={}", each.empty() ? "" : ", ", key, value.value_or("null"));
            }
        }
        if (!each.empty()) {
            text += fmt::format("{}{} from {} on", text.empty() ? "" : "; ", each, later ? "the next session" : "now");
        }
    }
    return text;
}

class Steer {
  public:
    Steer(const SweepDirectory& directory, const History& history, double time)
        : directory_(directory), history_(history), sweep_(history.sweep()), time_(time) {}

    Steered operator()(const StopRequest& request) const {
        const auto& trial = known_trial(sweep_, request.trial);
        if (trial.reason == StopReason::requested) {
            return {{}, fmt::format("trial {} was already stopped", trial.id.value), {}};
        }
        require_not_ended(trial);
        const auto& repeat = sweep_.spec().repeat;
        const auto others = repeat.is_on() ? fmt::format(", with the other repetitions of configuration {}",
                                                         repeat.configuration_of(trial.id).value)
                                           : "";
        return {{record_of(TrialStopped{trial.id})}, fmt::format("trial {} stops{}", trial.id.value, others), {}};
    }

    Steered operator()(const PauseRequest& request) const {
        const auto& trial = known_trial(sweep_, request.trial);
        require_not_ended(trial);
        if (trial.is_held) {
            return {{}, fmt::format("trial {} is already paused", trial.id.value), {}};
        }
        TrialHeld held{trial.id};
        const char* text = "gets no slots until it is resumed";
        if (trial.status == TrialStatus::running) {
            const bool is_told = has_warm_trainers();
            held.at = is_told ? HoldAt::once : HoldAt::report;
            text = is_told ? "saves and pauses" : "pauses at its next report";
        }
        return {{record_of(held)}, fmt::format("trial {} {}", trial.id.value, text), {}};
    }

    Steered operator()(const ResumeRequest& request) const {
        const auto& trial = known_trial(sweep_, request.trial);
        require_not_ended(trial);
        CRESCENDO_VALIDATE(trial.is_held || trial.status != TrialStatus::paused, "trial",
                           "trial {} is paused at a rung, not by request; it continues if it is among the best there",
                           trial.id.value);
        if (!trial.is_held) {
            return {{}, fmt::format("trial {} is {}, and not held", trial.id.value, to_string(trial.status)), {}};
        }
        const bool has_left = trial.status == TrialStatus::held;
        const auto* text = has_left ? "continues as soon as slots are free" : "is no longer held";
        return {{record_of(TrialReleased{trial.id})}, fmt::format("trial {} {}", trial.id.value, text), {}};
    }

    Steered operator()(const RetryRequest& request) const {
        if (!request.trial) {
            return retry_all();
        }
        const auto& trial = known_trial(sweep_, *request.trial);
        if (!trial.ended() && trial.failures > 0) {
            const auto* status = to_string(trial.status);
            return {{}, fmt::format("trial {} is {}, and is already being retried", trial.id.value, status), {}};
        }
        const TrialRetried retried{trial.id};
        sweep_.require_valid(retried);
        return {{record_of(retried)}, fmt::format("trial {} is tried again", trial.id.value), {}};
    }

    Steered operator()(const SetRequest& request) const {
        const auto frozen = FrozenFile::recorded_in(directory_.journal());
        read_first_file(directory_, frozen);  // throws if the file was edited
        auto changes = history_.limits_changes();
        changes.push_back({request.settings, LimitsChange::Source::command});
        auto file = directory_.read_sweep(limits_after(frozen, changes));
        auto record = limits_record(changes.back(), file, history_.elapsed(), time_);
        sweep_.require_valid(std::get<LimitsChanged>(event_from_json(record)));
        return {{std::move(record)}, announced(request.settings), std::move(file)};
    }

    Steered operator()(const NoteRequest& request) const {
        const auto about = name_of(request.trial);
        CRESCENDO_VALIDATE(!request.text.empty() && request.text.size() <= longest_note, "text",
                           "a note has 1 to {} bytes, but this one has {}; shorten it, or name a file in it",
                           longest_note, request.text.size());
        return {{user_note({time_, request.trial, request.text})}, fmt::format("{}: noted", about), {}};
    }

    Steered operator()(const TagRequest& request) const {
        const auto about = name_of(request.trial);
        for (const auto& tag : request.add) {
            require_tag(tag);
        }
        auto tags = history_.annotations().tags(request.trial);
        const auto before = tags;
        tags.insert(request.add.begin(), request.add.end());
        for (const auto& tag : request.remove) {
            tags.erase(tag);
        }
        const auto text = tags.empty() ? fmt::format("{} has no tag", about)
                                       : fmt::format("{} is tagged {}", about, fmt::join(tags, ", "));
        if (tags == before) {
            return {{}, text, {}};
        }
        return {{tag_note(time_, request.trial, request.add, request.remove)}, text, {}};
    }

    Steered operator()(const EnqueueRequest& request) const {
        const auto& cap = sweep_.spec().run_cap;
        const auto trial = sweep_.first_unproposed();
        CRESCENDO_VALIDATE(sweep_.state() == SweepState::running, "",
                           "the sweep is over ({}); first raise its limits, as in `crescendo set {} run_cap={}`",
                           finish_reason_texts.of(*sweep_.finish_reason()), shell_quoted(directory_.path()),
                           std::max(cap.value_or(0), trial.value) + 1);
        const auto candidate = sweep_.spec().repeat.configuration_of(trial);
        CRESCENDO_VALIDATE(!cap || candidate.value < *cap, "run_cap",
                           "all {} {} of run_cap have started or are enqueued; raise it first: run_cap={}", *cap,
                           sweep_.spec().repeat.is_on() ? "configurations" : "trials", *cap + 1);
        const TrialProposed proposed{trial, configuration(request, candidate), Origin::enqueued};
        const auto texts = mapped(request.values, [](const auto& each) { return each.first + "=" + each.second; });
        return {
            {record_of(proposed)}, fmt::format("trial {} will begin with {}", trial.value, fmt::join(texts, " ")), {}};
    }

  private:
    /// The given values, and for other parameters a draw with the seed for this trial. Draws again until the rules of
    /// the search space hold and every given value is present.
    Config configuration(const EnqueueRequest& request, TrialId candidate) const {
        const auto& space = sweep_.spec().space;
        Config given;
        for (const auto& [name, text] : request.values) {
            CRESCENDO_VALIDATE(std::ranges::find(given, name, &Config::value_type::first) == given.end(), name,
                               "{} is given twice; remove one", name);
            given.emplace_back(name, value_of(parameter_of(name), text));
        }
        const auto random = draws(sweep_.spec().seed, Purpose::configuration, candidate);
        if (auto config = complete(space, given, {}, random)) {
            return *std::move(config);
        }
        throw InvalidInput(why_incomplete(space, given, random));
    }

    const Parameter& parameter_of(const std::string& name) const {
        const auto& parameters = sweep_.spec().space.parameters();
        const auto found = std::ranges::find(parameters, name, &Parameter::name);
        if (found == parameters.end()) {
            const auto names = names_of(parameters);
            throw InvalidInput(fmt::format("{} is not a parameter of this sweep{}; its parameters are {}", name,
                                           did_you_mean(name, names), enumerate(names, " and ")));
        }
        return *found;
    }

    Json record_of(const Event& event) const { return launch::record_of(event, time_); }

    static void require_not_ended(const Trial& trial) {
        CRESCENDO_VALIDATE(!trial.ended(), "trial", "trial {} has already ended: it is {} ({})", trial.id.value,
                           to_string(trial.status), stop_reasons.of(*trial.reason));
    }

    bool has_warm_trainers() const {
        const auto frozen = FrozenFile::recorded_in(directory_.journal());
        return directory_.read_sweep(limits_after(frozen, {})).has_warm_trainers();
    }

    std::string name_of(std::optional<TrialId> trial) const {
        return trial ? fmt::format("trial {}", known_trial(sweep_, *trial).id.value) : "the sweep";
    }

    /// Trials that cannot be retried are counted in the answer.
    Steered retry_all() const {
        Steered steered;
        int num_left = 0;
        std::string reason;
        for (const auto& trial : sweep_.trials()) {
            if (trial.status != TrialStatus::failed) {
                continue;
            }
            try {
                sweep_.require_valid(TrialRetried{trial.id});
                steered.records.push_back(record_of(TrialRetried{trial.id}));
            } catch (const InvalidInput& error) {
                ++num_left;
                reason = error.what();
            }
        }
        CRESCENDO_VALIDATE(!steered.records.empty() || num_left == 0, "trial", "{}", reason);
        steered.text = steered.records.empty() ? "no trial has failed, so there is none to retry"
                       : steered.records.size() == 1
                           ? "1 failed trial is tried again"
                           : fmt::format("{} failed trials are tried again", steered.records.size());
        if (num_left > 0) {
            steered.text += fmt::format("; {} are not: {}", num_left, reason);
        }
        return steered;
    }

    static void require_tag(const std::string& tag) {
        const bool is_word = std::ranges::none_of(
            tag, [](unsigned char byte) { return std::isspace(byte) != 0 || std::iscntrl(byte) != 0 || byte == ','; });
        CRESCENDO_VALIDATE(is_word && !tag.empty() && tag.size() <= longest_tag, "tag",
                           "'{}' is not a tag, which is one word of at most {} bytes, without commas", tag,
                           longest_tag);
    }

    const SweepDirectory& directory_;
    const History& history_;
    const Sweep& sweep_;
    double time_;
};

}  // namespace

Steered steer(const Request& request, const SweepDirectory& directory, const History& history, double time) {
    return std::visit(Steer(directory, history, time), request);
}

}  // namespace crescendo::launch
