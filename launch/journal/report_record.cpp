#include "launch/journal/report_record.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "launch/json/event_json.hpp"
#include "launch/json/record_text.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view reported_head = R"("event":"trial_reported","trial":)";

std::string key_of(const auto& field) { return std::string("\"").append(field.key).append("\":"); }

double read_number(RecordScanner& scanner, double if_null) {
    return scanner.skip("null") ? if_null : scanner.number<double>();
}

/// Reads what members_of(TrialReported) wrote after the loss.
Steps read_steps(RecordScanner& scanner) {
    Steps steps;
    if (!scanner.skip(R"(,"step":[)")) {
        return steps;
    }
    for (auto* measure : {&steps.seconds, &steps.batch, &steps.noise_scale}) {
        if (!scanner.skip("null")) {
            *measure = scanner.number<double>();
        }
        if (!scanner.skip(",")) {
            break;
        }
    }
    scanner.expect("]");
    return steps;
}

}  // namespace

void ReportRecord::set_steps(const Steps& steps) {
    report.step_seconds = steps.seconds;
    report.group_batch = steps.batch;
    report.noise_scale = steps.noise_scale;
}

std::string members_of(const ReportRecord& record) {
    auto text = launch::members_of(record.event());
    text += R"(,"time":)";
    append_number(text, record.time);
    if (record.report.seconds) {
        text += R"(,"clock":[)";
        append_number(text, *record.report.seconds);
        if (record.report.evaluated) {
            text += ',';
            append_number(text, *record.report.evaluated);
        }
        text += ']';
    }
    for_each_field(protocol::Report::measures(), [&](const auto& measure) {
        if (const auto& value = measure.of(record.report)) {
            text.append(",").append(key_of(measure));
            append_number(text, *value);
        }
    });
    if (record.report.step_seconds && record.report.generation >= 0) {
        text += fmt::format(R"(,"generation":{})", record.report.generation);
    }
    text += R"(,"metrics":{)";
    std::string_view separator;
    for (const auto& [name, value] : record.report.metrics) {
        text += separator;
        append_string(text, name);
        text += ':';
        append_number(text, value);
        separator = ",";
    }
    text += '}';
    return text;
}

std::optional<ReportRecord> report_from(std::string_view members) {
    RecordScanner scanner(members);
    if (!scanner.skip(reported_head)) {
        return std::nullopt;
    }
    ReportRecord record;
    record.report.trial = TrialId{scanner.number<std::int32_t>()};
    scanner.expect(R"(,"resource":)");
    record.report.resource = Resource{scanner.number<std::int64_t>()};
    scanner.expect(R"(,"loss":)");
    record.loss = read_number(scanner, std::numeric_limits<double>::infinity());
    record.set_steps(read_steps(scanner));
    scanner.expect(R"(,"time":)");
    record.time = scanner.number<double>();
    if (scanner.skip(R"(,"clock":[)")) {
        record.report.seconds = scanner.number<double>();
        if (scanner.skip(",")) {
            record.report.evaluated = scanner.number<double>();
        }
        scanner.expect("]");
    }
    for_each_field(protocol::Report::measures(), [&](const auto& measure) {
        if (scanner.skip("," + key_of(measure))) {
            measure.of(record.report) = scanner.number<double>();
        }
    });
    if (scanner.skip(R"(,"generation":)")) {
        record.report.generation = scanner.number<std::int32_t>();
    }
    scanner.expect(R"(,"metrics":{)");
    while (!scanner.has_failed() && !scanner.skip("}")) {
        const auto name = scanner.string();
        scanner.expect(":");
        record.report.metrics.emplace_hint(record.report.metrics.end(), name,
                                           read_number(scanner, std::numeric_limits<double>::quiet_NaN()));
        scanner.skip(",");
    }
    return scanner.is_done() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace crescendo::launch
