#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/messages/report_source.hpp"

namespace crescendo::launch {

/// How agents get reports from workers and detect hangs, as the sweep file says.
struct Supervision {
    std::string metric;                  ///< the sweep's metric; empty: the first report decides it
    std::optional<ReportSource> report;  ///< where programs' reports are; none: programs send them
    std::optional<std::chrono::milliseconds> hang_timeout;  ///< silence after which a worker is killed; none: unlimited

    friend bool operator==(const Supervision&, const Supervision&) = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Supervision, metric, report, hang_timeout)

}  // namespace crescendo::launch
