#include "launch/messages/trial_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "core/message_json.hpp"

namespace crescendo::launch {

namespace {

/// The beginning of a value, for messages.
std::string beginning_of(const Json& value) { return one_line(value).substr(0, 80); }

void require_report(const Json& message) {
    constexpr std::string_view remedy = R"(write reports like {"resource": 3, "metrics": {"val_loss": 0.31}})";
    const auto require = [&](bool holds, const std::string& problem) {
        if (!holds) {
            throw std::runtime_error(fmt::format("{}; {}", problem, remedy));
        }
    };
    for (const char* key : {"resource", "metrics"}) {
        require(message.contains(key), fmt::format("it has no \"{}\"", key));
    }
    const auto& resource = message.at("resource");
    constexpr double most = 9e15;  // whole numbers are exact up to here
    const bool is_whole = resource.is_number() && std::floor(resource.get<double>()) == resource.get<double>() &&
                          std::abs(resource.get<double>()) < most;
    require(is_whole, fmt::format("its \"resource\" is {}, but must be a whole number, such as the epochs so far",
                                  beginning_of(resource)));
    require(message.at("metrics").is_object(), fmt::format("its \"metrics\" is {}, but must be an object of numbers by "
                                                           "name",
                                                           beginning_of(message.at("metrics"))));
}

}  // namespace

std::string plain(const std::exception& error) {
    const std::string_view what = error.what();
    const auto end = what.starts_with("[json.exception") ? what.find("] ") : std::string_view::npos;
    return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

std::string problem_in(std::string_view line, const std::exception& error, const std::string& place) {
    const auto problem = plain(error);
    const auto beginning = fmt::format("'{}'", line.substr(0, 200));
    const bool is_quoted = problem.find(beginning) != std::string::npos;
    const auto where = is_quoted ? place : place + (place.empty() ? "" : ": ") + beginning;
    return problem + (where.empty() ? "" : fmt::format(" (in {})", where));
}

protocol::Report report_from(TrialId trial, const Json& message) {
    require_report(message);
    auto report = protocol::read<protocol::Report>(message, protocol::Report::content());
    for (const auto& [name, value] : message.at("metrics").items()) {
        const bool is_metric = (value.is_number() || value.is_null()) && name.find('\0') == std::string::npos;
        if (!is_metric) {
            report.metrics.erase(name);
        }
    }
    report.trial = trial;
    for (auto* share : {&report.data_wait, &report.samples_left_out}) {
        if (*share) {
            *share = std::clamp(**share, 0.0, 1.0);
        }
    }
    for (auto* seconds : {&report.seconds, &report.evaluated}) {
        if (*seconds && (!std::isfinite(**seconds) || **seconds < 0)) {
            seconds->reset();  // not a valid time
        }
    }
    const auto keep_from = [](double least, std::optional<double>& measure) {
        if (measure && !(std::isfinite(*measure) && *measure >= least)) {
            measure.reset();
        }
    };
    keep_from(std::numeric_limits<double>::min(), report.step_seconds);
    keep_from(1, report.group_batch);
    keep_from(0, report.noise_scale);
    return report;
}

}  // namespace crescendo::launch
