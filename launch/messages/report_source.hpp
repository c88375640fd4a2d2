#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Where to find the reports of a program that does not send them, and that gets no decisions about them.
struct ReportSource {
    std::vector<std::string> patterns;  ///< in ReportPattern's syntax; empty: the lines are JSON reports
    std::string file;                   ///< a file in the trial's folder; empty: the program's output
    std::int64_t counts_from = 1;       ///< the number that the program gives to its first epoch

    bool is_printed() const { return file.empty(); }

    friend bool operator==(const ReportSource&, const ReportSource&) = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReportSource, patterns, file, counts_from)

}  // namespace crescendo::launch
