#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/messages/report_source.hpp"

namespace crescendo::launch {

/// How workers are heard of: the sweep file says it, and agents act on it.
struct Supervision {
    std::string metric;                  ///< the sweep's; empty: the first report decides
    std::optional<ReportSource> report;  ///< where the reports of programs are; none: they send them
    std::optional<std::chrono::milliseconds> hang_timeout;  ///< silence after which a worker is killed; none: never

    friend bool operator==(const Supervision&, const Supervision&) = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Supervision, metric, report, hang_timeout)

}  // namespace crescendo::launch
