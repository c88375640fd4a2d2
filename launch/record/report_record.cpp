#include "launch/record/report_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "launch/messages/json.hpp"

namespace crescendo::launch {
namespace {

/// A number that is whole keeps its point: it reads back as the same kind of number.
void append_number(std::string& text, double number) {
    if (!std::isfinite(number)) {
        text += "null";
        return;
    }
    const auto begin = text.size();
    fmt::format_to(std::back_inserter(text), "{}", number);
    if (text.find_first_of(".e", begin) == std::string::npos) {
        text += ".0";
    }
}

void append_name(std::string& text, const std::string& name) {
    const bool is_plain =
        std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (is_plain) {
        text.append(1, '"').append(name).append(1, '"');
    } else {
        text += Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

}  // namespace

std::string members_of(const ReportRecord& record) {
    std::string text;
    fmt::format_to(std::back_inserter(text), R"("event":"trial_reported","trial":{},"resource":{},"loss":)",
                   record.event.trial.value, record.event.resource.value);
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
        append_name(text, name);
        text += ':';
        append_number(text, value);
        separator = ",";
    }
    text += '}';
    return text;
}

}  // namespace crescendo::launch
