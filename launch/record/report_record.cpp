#include "launch/record/report_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "launch/messages/json.hpp"
#include "launch/record/record_text.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view head = R"("event":"trial_reported","trial":)";

double read_number(RecordScanner& scanner, double if_null) {
    return scanner.skip("null") ? if_null : scanner.number<double>();
}

}  // namespace

std::string members_of(const ReportRecord& record) {
    std::string text(head);
    fmt::format_to(std::back_inserter(text), R"({},"resource":{},"loss":)", record.event.trial.value,
                   record.event.resource.value);
    append_number(text, record.event.loss);
    text += R"(,"time":)";
    append_number(text, record.time);
    if (!std::isnan(record.data_wait)) {
        text += R"(,"data_wait":)";
        append_number(text, record.data_wait);
    }
    text += R"(,"metrics":{)";
    std::string_view separator;
    for (const auto& [name, value] : record.metrics) {
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
    if (!scanner.skip(head)) {
        return std::nullopt;
    }
    ReportRecord record;
    record.event.trial = TrialId{scanner.number<std::int32_t>()};
    scanner.expect(R"(,"resource":)");
    record.event.resource = Resource{scanner.number<std::int64_t>()};
    scanner.expect(R"(,"loss":)");
    record.event.loss = read_number(scanner, std::numeric_limits<double>::infinity());
    scanner.expect(R"(,"time":)");
    record.time = scanner.number<double>();
    if (scanner.skip(R"(,"data_wait":)")) {
        record.data_wait = scanner.number<double>();
    }
    scanner.expect(R"(,"metrics":{)");
    while (!scanner.has_failed() && !scanner.skip("}")) {
        const auto name = scanner.string();
        scanner.expect(":");
        record.metrics.emplace_hint(record.metrics.end(), name,
                                    read_number(scanner, std::numeric_limits<double>::quiet_NaN()));
        scanner.skip(",");
    }
    return scanner.is_done() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace crescendo::launch
