#include "launch/journal/proposal_record.hpp"

#include <fmt/format.h>

#include <iterator>

#include "launch/json/record_text.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view proposed_head = R"("event":"trial_proposed","trial":)";

struct Append {
    std::string& text;

    void operator()(bool value) const { text += value ? "true" : "false"; }
    void operator()(std::int64_t value) const { fmt::format_to(std::back_inserter(text), "{}", value); }
    void operator()(double value) const { append_number(text, value); }
    void operator()(const std::string& value) const { append_string(text, value); }
    void operator()(const JsonValue& value) const { text += value.text; }  // a JSON parser reads it back
};

Value read_value(RecordScanner& scanner) {
    const auto next = scanner.peek();
    if (next.starts_with('"')) {
        return std::string(scanner.string());
    }
    if (next == "true" || next == "false") {
        scanner.skip(next);
        return next == "true";
    }
    if (next.find_first_of(".eE") != std::string_view::npos) {
        return scanner.number<double>();
    }
    return scanner.number<std::int64_t>();
}

}  // namespace

bool is_from_model(Origin origin) { return origin == Origin::model || origin == Origin::warm; }

ProposalRecord record_of_start(const Trial& trial, double time) {
    const bool is_told = is_from_model(trial.origin);
    return {{trial.id, trial.config, is_told ? std::optional(trial.origin) : std::nullopt}, time};
}

std::string members_of(const ProposalRecord& record) {
    std::string text(proposed_head);
    fmt::format_to(std::back_inserter(text), R"({},"config":{{)", record.event.trial.value);
    std::string_view separator;
    for (const auto& [name, value] : record.event.config) {
        text += separator;
        append_string(text, name);
        text += ':';
        std::visit(Append{text}, value);
        separator = ",";
    }
    text += '}';
    if (record.event.origin) {
        fmt::format_to(std::back_inserter(text), R"(,"origin":"{}")", origins.of(*record.event.origin));
    }
    text += R"(,"time":)";
    append_number(text, record.time);
    return text;
}

std::optional<ProposalRecord> proposal_from(std::string_view members) {
    RecordScanner scanner(members);
    if (!scanner.skip(proposed_head)) {
        return std::nullopt;
    }
    ProposalRecord record;
    record.event.trial = TrialId{scanner.number<std::int32_t>()};
    scanner.expect(R"(,"config":{)");
    while (!scanner.has_failed() && !scanner.skip("}")) {
        const auto name = scanner.string();
        scanner.expect(":");
        record.event.config.emplace_back(name, read_value(scanner));
        scanner.skip(",");
    }
    if (scanner.skip(R"(,"origin":)")) {
        record.event.origin = origins.find(std::string(scanner.string()));
        if (!record.event.origin) {
            return std::nullopt;
        }
    }
    scanner.expect(R"(,"time":)");
    record.time = scanner.number<double>();
    return scanner.is_done() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace crescendo::launch
