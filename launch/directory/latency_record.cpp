#include "launch/directory/latency_record.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/message_json.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {

std::optional<LatencyRecord> read_latency(const SweepDirectory& directory, TrialId trial) {
    const auto path = directory.latency(trial);
    if (!is_there(path)) {
        return {};
    }
    try {
        const auto json = Json::parse(read_regular_file(path));
        return LatencyRecord{.latency = protocol::read<protocol::Latency>(json),
                             .resource = Resource{json.at("resource")},
                             .data = json.at("data"),
                             .threads = json.at("threads"),
                             .hardware = json.at("hardware")};
    } catch (const std::exception& error) {
        throw InvalidInput(fmt::format("{}: is not a measurement of `crescendo latency` ({}); remove it", path.string(),
                                       error.what()));
    }
}

void write_latency(const SweepDirectory& directory, const LatencyRecord& record) {
    auto json = protocol::write<Json>(record.latency);
    json["resource"] = record.resource.value;
    json["data"] = record.data;
    json["threads"] = record.threads;
    json["hardware"] = record.hardware;
    replace_file(directory.latency(record.latency.trial), in_lines(json));
}

std::optional<double> parse_latency(const std::string& text) {
    constexpr std::array units{std::pair{"us", 1e-6}, std::pair{"ms", 1e-3}, std::pair{"s", 1.0}};
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    for (const auto& [name, seconds] : units) {
        if (error == std::errc{} && unit == name && std::isfinite(number) && number > 0) {
            return number * seconds;
        }
    }
    return {};
}

}  // namespace crescendo::launch
