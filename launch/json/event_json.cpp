#include "launch/json/event_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/spelling.hpp"
#include "core/words.hpp"
#include "launch/json/record_text.hpp"
#include "launch/json/value_json.hpp"

namespace crescendo::launch {
namespace {

constexpr Words failure_kinds{{std::pair{FailureKind::crash, "crash"},
                               {FailureKind::error, "error"},
                               {FailureKind::repeated_error, "repeated_error"},
                               {FailureKind::out_of_memory, "out_of_memory"}}};

/// Appends the member "step", unless nothing was measured.
void append_steps(std::string& text, const Steps& steps) {
    const auto& [seconds, batch, noise_scale] = steps;
    const std::array measures{seconds, batch, noise_scale};
    const auto end = std::find_if(measures.rbegin(), measures.rend(), [](const auto& measure) { return measure; });
    std::string_view separator = R"(,"step":[)";
    for (auto measure = measures.begin(); measure != end.base(); ++measure) {
        text += separator;
        append_number(text, measure->value_or(std::numeric_limits<double>::quiet_NaN()));
        separator = ",";
    }
    text += end == measures.rend() ? "" : "]";
}

/// Adds the members of an event after "event" and "trial".
struct AddMembers {
    OrderedJson& json;

    void operator()(const SlotsJoined& event) const {
        auto& slots = json["slots"] = OrderedJson::array();
        for (const auto& slot : event.slots) {
            auto& entry = slots.emplace_back(OrderedJson{{"slot", slot.id.value}, {"node", slot.node.value}});
            if (slot.gpu) {
                entry["gpu"] = *slot.gpu;
            }
        }
    }
    void operator()(const SlotsLost& event) const { json["slots"] = event.slots; }
    void operator()(const TrialReported& event) const {
        json = OrderedJson::parse("{" + members_of(event) + "}");
        if (event.seconds) {
            json["clock"] = OrderedJson::array({*event.seconds});
        }
    }
    void operator()(const TrialTimed& event) const {
        auto members = fmt::format(R"("generation":{})", event.generation);
        append_steps(members, event.steps);
        json.update(OrderedJson::parse("{" + members + "}"));
        if (event.samples_per_resource) {
            json["samples_per_resource"] = *event.samples_per_resource;
        }
    }
    void operator()(const TrialRegrouped& event) const {
        json["generation"] = event.generation;
        json["seconds"] = event.seconds;
        if (event.step_seconds) {
            json["step"] = OrderedJson::array({*event.step_seconds});
        }
    }
    void operator()(const TrialFailed& event) const {
        json["kind"] = failure_kinds.of(event.kind);
        if (event.slot) {
            json["slot"] = event.slot->value;
        }
        if (event.suspect) {
            json["suspect"] = event.suspect->value;
        }
    }
    void operator()(const TrialProposed& event) const {
        json["config"] = launch::to_json(event.config);
        if (event.origin) {
            json["origin"] = origins.of(*event.origin);
        }
    }
    void operator()(const LimitsChanged& event) const {
        const auto& limits = event.limits;
        json.update({{"run_cap", limits.run_cap},
                     {"target", limits.target},
                     {"time_budget", limits.has_time_budget},
                     {"max_concurrent", limits.max_concurrent},
                     {"max_retries", limits.max_retries},
                     {"time_left", event.has_time_left}});
    }
    void operator()(const TrialHeld& event) const { json["at"] = hold_moments.of(event.at); }

    template <class Kind>
    void operator()(const Kind&) const {
        static_assert(std::is_empty_v<Kind> || sizeof(Kind) == sizeof(TrialId), "what is known has to be written");
    }
};

template <class Integer>
bool fits(const Json& number) {
    return number.is_number_unsigned() ? std::in_range<Integer>(number.get<std::uint64_t>())
                                       : std::in_range<Integer>(number.get<std::int64_t>());
}

/// Reads the members of an event, or of an object in it, and checks their types.
class Reader {
  public:
    explicit Reader(const Json& json) : json_(json) {
        if (!json.is_object()) {
            throw InvalidInput(
                fmt::format(R"({} is not an event; write an object such as {{"event":"time_up"}})", quoted()));
        }
    }

    const Json& member(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end()) {
            throw InvalidInput(fmt::format(R"({} needs the key "{}")", quoted(), key));
        }
        return *found;
    }

    template <class Integer>
    Integer integer(const char* key) const {
        return integer<Integer>(key, member(key));
    }

    template <class Integer>
    Integer integer(const char* key, const Json& value) const {
        if (!value.is_number_integer() || !fits<Integer>(value)) {
            wrong(key, fmt::format("a {}-bit whole number", 8 * sizeof(Integer)));
        }
        return value.get<Integer>();
    }

    TrialId trial() const { return TrialId{integer<std::int32_t>("trial")}; }

    /// `expected` describes what the key must be.
    std::optional<double> number_or_null(const char* key, const Json& value, std::string_view expected) const {
        if (!value.is_number() && !value.is_null()) {
            wrong(key, expected);
        }
        return value.get<std::optional<double>>();
    }

    double loss() const {
        return number_or_null("loss", member("loss"), "a number, or null if it is not finite")
            .value_or(std::numeric_limits<double>::infinity());
    }

    double number(const char* key) const {
        if (!member(key).is_number()) {
            wrong(key, "a number");
        }
        return member(key).get<double>();
    }

    std::optional<double> number_if_any(const char* key) const {
        return json_.contains(key) ? std::optional(number(key)) : std::nullopt;
    }

    /// The step times of a report, or of a group that changed.
    Steps steps() const {
        Steps steps;
        if (!json_.contains("step")) {
            return steps;
        }
        const std::array measures{&steps.seconds, &steps.batch, &steps.noise_scale};
        const auto& values = list("step");
        for (std::size_t i = 0; i < std::min(values.size(), measures.size()); ++i) {
            *measures[i] = number_or_null("step", values[i], "a list of numbers, with null for what was not measured");
        }
        return steps;
    }

    /// The first number of a report's clock. Older journals have no clock, or null if it was not finite.
    std::optional<double> training_clock() const {
        const auto clock = json_.find("clock");
        if (clock == json_.end()) {
            return std::nullopt;
        }
        if (!clock->is_array() || clock->empty()) {
            wrong("clock", "a list of seconds");
        }
        return number_or_null("clock", clock->front(), "a list of seconds");
    }

    template <class Enum, std::size_t Count>
    Enum word(const char* key, const Words<Enum, Count>& words) const {
        const auto& text = member(key);
        const auto value = text.is_string() ? words.find(text.get<std::string>()) : std::nullopt;
        if (!value) {
            wrong(key, words.list());
        }
        return *value;
    }

    template <class Enum, std::size_t Count>
    std::optional<Enum> word_if_any(const char* key, const Words<Enum, Count>& words) const {
        return json_.contains(key) ? std::optional(word(key, words)) : std::nullopt;
    }

    std::optional<SlotId> slot(const char* key) const {
        return json_.contains(key) ? std::optional(SlotId{integer<std::int32_t>(key)}) : std::nullopt;
    }

    bool boolean(const char* key) const {
        if (!member(key).is_boolean()) {
            wrong(key, "true or false");
        }
        return member(key).get<bool>();
    }

    /// The limit; nothing if it is null.
    std::optional<int> limit(const char* key) const {
        return member(key).is_null() ? std::nullopt : std::optional<int>(integer<std::int32_t>(key));
    }

    std::optional<double> target() const {
        return number_or_null("target", member("target"), "a number, or null if there is none");
    }

    Config config() const {
        if (!member("config").is_object()) {
            wrong("config", "an object with a value for each parameter");
        }
        Config config;
        for (const auto& [name, value] : member("config").items()) {
            config.emplace_back(name, value_from_json(value));
        }
        return config;
    }

    const Json& list(const char* key) const {
        if (!member(key).is_array()) {
            wrong(key, "a list");
        }
        return member(key);
    }

    [[noreturn]] void wrong(const char* key, std::string_view expected) const {
        throw InvalidInput(fmt::format(R"("{}" of {} must be {})", key, quoted(), expected));
    }

  private:
    std::string quoted() const { return json_.dump().substr(0, 200); }

    const Json& json_;
};

Event read_joined(const Reader& event) {
    SlotsJoined joined;
    for (const auto& item : event.list("slots")) {
        const Reader slot(item);
        joined.slots.push_back({SlotId{slot.integer<std::int32_t>("slot")}, NodeId{slot.integer<std::int32_t>("node")},
                                item.contains("gpu") ? std::optional(slot.integer<int>("gpu")) : std::nullopt});
    }
    return joined;
}

Event read_limits(const Reader& event) {
    return LimitsChanged{{event.limit("run_cap"), event.target(), event.boolean("time_budget"),
                          event.limit("max_concurrent"), event.integer<std::int32_t>("max_retries")},
                         event.boolean("time_left")};
}

Event read_lost(const Reader& event) {
    return SlotsLost{mapped(event.list("slots"),
                            [&](const Json& item) { return SlotId{event.integer<std::int32_t>("slots", item)}; })};
}

Event read_reported(const Reader& event) {
    return TrialReported{event.trial(), Resource{event.integer<std::int64_t>("resource")}, event.loss(),
                         event.training_clock(), event.steps()};
}

Event read_timed(const Reader& event) {
    return TrialTimed{event.trial(), event.integer<std::int32_t>("generation"), event.steps(),
                      event.number_if_any("samples_per_resource")};
}

Event read_regrouped(const Reader& event) {
    return TrialRegrouped{event.trial(), event.integer<std::int32_t>("generation"), event.number("seconds"),
                          event.steps().seconds};
}

Event read_failed(const Reader& event) {
    return TrialFailed{event.trial(), event.word("kind", failure_kinds), event.slot("slot"), event.slot("suspect")};
}

/// Older journals have no origins.
Event read_proposed(const Reader& event) {
    return TrialProposed{event.trial(), event.config(), event.word_if_any("origin", origins)};
}

Event read_held(const Reader& event) {
    return TrialHeld{event.trial(), event.word_if_any("at", hold_moments).value_or(HoldAt::once)};
}

template <class TrialEvent>
Event about_trial(const Reader& event) {
    return TrialEvent{event.trial()};
}

template <class PlainEvent>
Event plain_event(const Reader&) {
    return PlainEvent{};
}

/// A value of "event", and the function that reads the other members.
struct EventKind {
    std::string_view name;
    Event (*read)(const Reader& event);
};
constexpr std::array event_kinds{// in the order of the variant
                                 EventKind{"slots_joined", read_joined},
                                 EventKind{"slots_lost", read_lost},
                                 EventKind{"trial_reported", read_reported},
                                 EventKind{"trial_timed", read_timed},
                                 EventKind{"trial_regrouped", read_regrouped},
                                 EventKind{"trial_finished", about_trial<TrialFinished>},
                                 EventKind{"trial_failed", read_failed},
                                 EventKind{"deadline_near", plain_event<DeadlineNear>},
                                 EventKind{"time_up", plain_event<TimeUp>},
                                 EventKind{"cancelled", plain_event<Cancelled>},
                                 EventKind{"trial_proposed", read_proposed},
                                 EventKind{"limits_changed", read_limits},
                                 EventKind{"trial_retried", about_trial<TrialRetried>},
                                 EventKind{"proposals_ended", plain_event<ProposalsEnded>},
                                 EventKind{"trial_stopped", about_trial<TrialStopped>},
                                 EventKind{"trial_held", read_held},
                                 EventKind{"trial_released", about_trial<TrialReleased>},
                                 EventKind{"trial_time_up", about_trial<TrialTimeUp>}};
static_assert(event_kinds.size() == std::variant_size_v<Event>, "what is written has to be read");

}  // namespace

OrderedJson to_json(const Event& event) {
    OrderedJson json{{"event", event_kinds.at(event.index()).name}};
    const auto add = [&](const auto& each) {
        if constexpr (requires { each.trial; }) {
            json["trial"] = each.trial;
        }
        AddMembers{json}(each);
    };
    std::visit(add, event);
    return json;
}

OrderedJson record_of(const Event& event, double time) {
    auto record = to_json(event);
    record["time"] = time;
    return record;
}

std::string members_of(const TrialReported& event) {
    auto text = fmt::format(R"("event":"trial_reported","trial":{},"resource":{},"loss":)", event.trial.value,
                            event.resource.value);
    append_number(text, event.loss);
    append_steps(text, event.steps);
    return text;
}

Event event_from_json(const Json& json) {
    const Reader event(json);
    const auto* name = event.member("event").get_ptr<const std::string*>();  // null if it is not text
    const auto kind =
        std::ranges::find_if(event_kinds, [&](const EventKind& each) { return name != nullptr && each.name == *name; });
    if (kind == event_kinds.end()) {
        event.wrong("event", enumerate(names_of(event_kinds)));
    }
    return kind->read(event);
}

}  // namespace crescendo::launch
